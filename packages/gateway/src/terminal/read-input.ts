import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import { placeInJson } from '../json.ts';
import { UsageError } from './usage-error.ts';

export interface Input {
  /** For messages: the file as it was given, or `stdin`. */
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Bytes in all, where that is known. */
  readonly size: number | undefined;
}

/**
 * Opens a file, or the standard input for `-` and for nothing.
 *
 * @throws UsageError if the file cannot be read
 */
export async function openInput(path: string | undefined): Promise<Input> {
  if (path === undefined || path === '-') {
    if (process.stdin.isTTY) process.stderr.write('Reading from the terminal; end with Ctrl-D.\n');
    return { name: 'stdin', bytes: process.stdin, size: undefined };
  }
  try {
    const file = await open(path);
    const stats = await file.stat();
    if (stats.isDirectory()) {
      await file.close();
      throw new UsageError(`${path}: is a folder, expected a file`);
    }
    const bytes = createReadStream(path, { fd: file });
    return { name: path, bytes, size: stats.isFile() ? stats.size : undefined };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`${path}: ${describeError(error)}`);
  }
}

/**
 * Reads a whole file, or the standard input, as JSON.
 *
 * @throws UsageError if it cannot be read, or is no JSON
 */
export async function readJson(path: string | undefined): Promise<unknown> {
  const { name, bytes } = await openInput(path);
  const text = await readText(bytes);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${name}: expected JSON${placeInJson(error)}`);
  }
}

/** What an error says, without the stack. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
