import { defineConfig } from 'tsup';

export default defineConfig({
  entry: { index: 'src/index.ts', stream: 'src/parse/stream.ts', trace: 'src/parse/trace.ts' },
  format: ['esm'],
  platform: 'neutral',
  target: 'es2022',
  dts: true,
  sourcemap: true,
  clean: true,
});
