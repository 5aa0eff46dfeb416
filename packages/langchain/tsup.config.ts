import { defineConfig } from 'tsup';
import manifest from './package.json' with { type: 'json' };

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    'output-parser': 'src/kimi-output-parser.ts',
    middleware: 'src/kimi-agent-middleware.ts',
  },
  format: ['esm'],
  platform: 'neutral',
  target: 'es2022',
  dts: true,
  sourcemap: true,
  clean: true,
  define: { __PACKAGE_VERSION__: JSON.stringify(manifest.version) },
});
