// Bundles what .size-limit.json measures: the whole of core as built, and what a user of
// `createParser` alone is left with.
import { build } from 'esbuild';

const bundles = { 'core.js': '*', 'create-parser.js': '{ createParser }' };

for (const [name, names] of Object.entries(bundles)) {
  await build({
    stdin: { contents: `export ${names} from '@kimi-tc/core';`, resolveDir: 'packages/openai' },
    outfile: `.size/${name}`,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
  });
}
