import { defineConfig } from 'tsup';
import manifest from './package.json' with { type: 'json' };

export default defineConfig({
  // Provider and middleware in files of their own: a bundler leaves out the one that is not used, and
  // with the provider what it stands on.
  entry: ['src/index.ts', 'src/kimi-middleware.ts', 'src/kimi-provider.ts'],
  format: ['esm'],
  platform: 'neutral',
  target: 'es2022',
  dts: { entry: 'src/index.ts' },
  sourcemap: true,
  clean: true,
  define: { __PACKAGE_VERSION__: JSON.stringify(manifest.version) },
});
