import { readJson } from './read-input.ts';
import { UsageError } from './usage-error.ts';

/**
 * Reads the tools of a request: a JSON array of them, or a request that has `tools`.
 *
 * @throws UsageError if the file is neither
 */
export async function readTools(path: string | undefined): Promise<object[] | undefined> {
  if (path === undefined) return undefined;
  const value = await readJson(path);
  const tools = Array.isArray(value) ? value : (value as { tools?: unknown } | null)?.tools;
  if (!Array.isArray(tools) || !tools.every((tool) => typeof tool === 'object' && tool !== null)) {
    throw new UsageError(`${path}: expected a JSON array of tools, or a request with "tools"`);
  }
  return tools;
}
