import { ToolError } from './tool.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/**
 * @throws ToolError naming a key that the tool does not have
 */
export function checkKeys(args: Arguments, allowed: readonly string[], at = ''): void {
  const unknown = Object.keys(args).find((key) => !allowed.includes(key));
  if (unknown !== undefined) {
    throw new ToolError(`unknown argument ${at}${unknown}; there are: ${allowed.join(', ')}`);
  }
}

/**
 * A string argument that is not empty.
 *
 * @param at how to name it to the model, e.g. `args[1].path`
 * @param limit most UTF-16 units that are taken
 * @throws ToolError
 */
export function readString(value: unknown, at: string, limit: number): string {
  if (typeof value !== 'string' || value === '') throw new ToolError(`${at}: expected a string with text`);
  if (value.length > limit) throw new ToolError(`${at}: at most ${limit} characters are allowed`);
  return value;
}

/**
 * @throws ToolError
 */
export function readObject(value: unknown, at: string): Arguments {
  if (!isObject(value)) throw new ToolError(`${at}: expected an object`);
  return value;
}

export function isObject(value: unknown): value is Arguments {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
