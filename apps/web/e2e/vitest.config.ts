import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const conditions = ['@kimi-tc/source', 'module', 'node', 'development|production'];

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    name: 'web e2e',
    include: ['*.test.ts'],
    globalSetup: './global-setup.ts',
    fsModuleCache: false,
    // One browser at a time, which two slow cores are busy enough with.
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 90_000,
  },
});
