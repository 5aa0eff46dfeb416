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
    // While one file waits for a paced reply or a retry, another works; they share nothing but the servers.
    maxWorkers: 3,
    // A page is given time by machines that are busy; what never comes costs it, and nothing else does.
    expect: { poll: { timeout: 20_000, interval: 50 } },
    testTimeout: 90_000,
    hookTimeout: 90_000,
  },
});
