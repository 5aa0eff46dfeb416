import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

export function finish(child: ChildProcessWithoutNullStreams): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
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
