import { type ExecFileException, execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Packed } from './manifest.ts';

export type Manager = 'npm' | 'pnpm';

/** A project that has the packed packages, their peers and the compilers, and nothing of the workspace. */
export interface Consumer {
  readonly folder: string;
  write(file: string, text: string): void;
  /** Runs a command in the project; what it says. Throws if it fails, with what it said of that. */
  run(command: string, ...args: string[]): Promise<string>;
  /** Runs a program of Node.js in the project, which may fail. */
  try(...args: string[]): Promise<{ status: number; stdout: string }>;
}

/** The versions of TypeScript whose users are served, by the alias that they are installed under. */
export const compilers = {
  typescript5: 'npm:typescript@5.9.3',
  typescript6: 'npm:typescript@6.0.3',
  typescript7: 'npm:typescript@7.0.2',
} as const;

const shell = process.platform === 'win32';

export async function createConsumer(
  folder: string,
  manager: Manager,
  packed: readonly Packed[],
): Promise<Consumer> {
  const consumer: Consumer = {
    folder,
    write: (file, text) => writeFileSync(join(folder, file), text),
    async run(command, ...args) {
      const { stdout } = await promisify(execFile)(command, args, { cwd: folder, shell });
      return stdout;
    },
    async try(...args) {
      const { error, stdout } = await new Promise<{ error: ExecFileException | null; stdout: string }>(
        (resolve) => {
          execFile(process.execPath, args, { cwd: folder }, (error, stdout) => resolve({ error, stdout }));
        },
      );
      if (error === null) return { status: 0, stdout };
      if (typeof error.code !== 'number') throw error; // it did not end by itself
      return { status: error.code, stdout };
    },
  };
  const tarballs = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]));
  const { version: nodeTypes } = JSON.parse(
    readFileSync('node_modules/@types/node/package.json', 'utf8'),
  ) as {
    version: string;
  };
  consumer.write(
    'package.json',
    JSON.stringify({
      name: 'consumer',
      private: true,
      type: 'module',
      dependencies: {
        ...Object.fromEntries(packed.flatMap(({ peers }) => peers)),
        ...tarballs,
        ...compilers,
        '@types/node': nodeTypes,
      },
    }),
  );
  if (manager === 'npm') {
    await consumer.run('npm', 'install', '--strict-peer-deps', '--no-audit', '--no-fund', '--loglevel=error');
  } else {
    // A tarball asks for its siblings by version, and no registry has that yet.
    const settings = { overrides: tarballs, strictPeerDependencies: true, pmOnFail: 'ignore' };
    consumer.write('pnpm-workspace.yaml', JSON.stringify(settings)); // JSON is YAML
    await consumer.run('pnpm', 'install', '--reporter=append-only', '--loglevel=error');
  }
  return consumer;
}
