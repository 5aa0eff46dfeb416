import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Packed } from './manifest.ts';

export type Manager = 'npm' | 'pnpm';

/** A project that has the packed packages, their peers and the compilers, and nothing of the workspace. */
export interface Consumer {
  readonly folder: string;
  write(file: string, text: string): void;
  /** Runs a command in the project. Throws if it fails. */
  run(command: string, ...args: string[]): string;
  /** Runs a program of Node.js in the project, which may fail. */
  try(...args: string[]): { status: number; stdout: string };
}

/** The versions of TypeScript whose users are served, by the alias that they are installed under. */
export const compilers = {
  typescript5: 'npm:typescript@5.9.3',
  typescript6: 'npm:typescript@6.0.3',
  typescript7: 'npm:typescript@7.0.2',
} as const;

const shell = process.platform === 'win32';

export function createConsumer(folder: string, manager: Manager, packed: readonly Packed[]): Consumer {
  const consumer: Consumer = {
    folder,
    write: (file, text) => writeFileSync(join(folder, file), text),
    run: (command, ...args) =>
      execFileSync(command, args, {
        cwd: folder,
        shell,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    try(...args) {
      const { status, stdout, error } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
      if (error || status === null) throw error ?? new Error(`${args[0]} did not end by itself`);
      return { status, stdout };
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
    consumer.run('npm', 'install', '--strict-peer-deps', '--no-audit', '--no-fund', '--loglevel=error');
  } else {
    // A tarball asks for its siblings by version, and no registry has that yet.
    const settings = { overrides: tarballs, strictPeerDependencies: true, pmOnFail: 'ignore' };
    consumer.write('pnpm-workspace.yaml', JSON.stringify(settings)); // JSON is YAML
    consumer.run('pnpm', 'install', '--reporter=append-only', '--loglevel=error');
  }
  return consumer;
}
