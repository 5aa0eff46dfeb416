import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Host } from './host.ts';

const program = fileURLToPath(new URL('../in-process.ts', import.meta.url));

/** A runtime that is a command: it runs the sources of the smoke, and the packages as they are built. */
export function createProcessHost(name: string, binary: () => string, args: readonly string[]): Host {
  return {
    name,
    async run(baseURL) {
      const { stdout } = await promisify(execFile)(binary(), [...args, program, baseURL], {
        timeout: 60_000,
      });
      return JSON.parse(stdout) as string[];
    },
  };
}
