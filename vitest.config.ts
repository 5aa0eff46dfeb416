import { existsSync, readdirSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

// Tests read the packages' sources, so that none of them needs a build.
const conditions = ['@kimi-tc/source', 'module', 'node', 'development|production'];

const workspaces = ['packages', 'apps', 'internal']
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder).map((name) => ({ name, root: `${folder}/${name}` })))
  .filter(({ root }) => existsSync(`${root}/package.json`));

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // It remembers where a dependency was, and a later install may move it.
    fsModuleCache: false,
    // A property test tries hundreds of inputs, and some machines have two slow cores.
    testTimeout: 60_000,
    // What never comes costs it, and nothing else does.
    expect: { poll: { timeout: 20_000 } },
    // By itself vitest leaves a core to its main process, which is half of a small machine.
    maxWorkers: '100%',
    projects: [
      ...workspaces.map(({ name, root }) => ({
        extends: true as const,
        test: { name, root, include: ['src/**/*.test.{ts,tsx}'] },
      })),
      { extends: true, test: { name: 'scripts', root: 'scripts', include: ['*.test.ts'] } },
    ],
  },
});
