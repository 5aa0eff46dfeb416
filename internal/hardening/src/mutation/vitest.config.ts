import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const conditions = ['@kimi-tc/source', 'module', 'node', 'development|production'];
/** Relative to this file, so that the copy that Stryker mutates is what the tests read. */
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The tests that mutants have to survive: the corpus, the unit tests beside what is mutated, and the laws. */
export default defineConfig({
  resolve: { conditions, alias: { '@kimi-tc/core': here('../../../../packages/core/src/index.ts') } },
  ssr: { resolve: { conditions } },
  test: {
    root: here('../../../..'),
    fsModuleCache: false,
    // As in the root: what is slow on a busy machine has not failed.
    testTimeout: 60_000,
    include: [
      'packages/core/src/corpus.test.ts',
      'packages/core/src/parse/*.test.ts',
      'packages/core/src/grammar/*.test.ts',
      'internal/hardening/src/laws/laws.test.ts',
    ],
  },
});
