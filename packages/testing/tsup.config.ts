import { defineConfig } from 'tsup';

export default defineConfig({
  entry: { index: 'src/index.ts', vitest: 'src/describe-corpus.ts' },
  format: ['esm'],
  platform: 'node',
  target: 'es2022',
  dts: true,
  sourcemap: true,
  clean: true,
});
