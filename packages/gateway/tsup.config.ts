import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/main.ts'],
  format: ['esm'],
  platform: 'node',
  target: 'es2023',
  dts: false,
  sourcemap: true,
  clean: true,
});
