import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** Only for tests: the real command in a process of its own. */

const main = fileURLToPath(new URL('main.ts', import.meta.url));

/** Types are taken out of the sources once, not in each process. Node.js keeps it by their contents. */
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Node.js's own arguments, and those of the command. */
export function commandLine(args: readonly string[], nodeArgs: readonly string[] = []): string[] {
  return [...nodeArgs, '--conditions=@kimi-tc/source', main, ...args];
}

export function startCommand(
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly nodeArgs?: readonly string[] } = {},
): ChildProcessWithoutNullStreams {
  const { PATH, SystemRoot, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, commandLine(args, options.nodeArgs), {
    env: { PATH, SystemRoot, NODE_COMPILE_CACHE, ...options.env },
  });
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  // It may leave before it has read everything.
  child.stdin.on('error', () => {});
  return child;
}

export async function finish(child: ChildProcessWithoutNullStreams): Promise<Finished> {
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

/** Runs the command to its end. */
export function runCommand(
  args: readonly string[],
  input = '',
  options?: Parameters<typeof startCommand>[1],
): Promise<Finished> {
  const child = startCommand(args, options);
  child.stdin.end(input);
  return finish(child);
}
