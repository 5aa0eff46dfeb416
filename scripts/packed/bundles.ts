import { build } from 'esbuild';
import type { Consumer } from './consumer.ts';
import type { Packed } from './manifest.ts';

/** Shows that `sideEffects: false` works: what is not used of an entry is not in a bundle. */
export async function checkBundles(consumer: Consumer, packed: readonly Packed[]): Promise<void> {
  for (const entry of packed.flatMap(({ entries }) => entries)) {
    const left = await bundle(consumer, `import { unused } from '${entry}';`);
    if (left !== '') throw new Error(`of ${entry} nothing is used, and ${left.length} bytes are left`);
  }
  const all = await bundle(consumer, `export * from '@kimi-tc/core';`);
  const ids = await bundle(consumer, `export { parseToolCallId } from '@kimi-tc/core';`);
  if (ids.length > all.length / 20) {
    throw new Error(`parseToolCallId alone takes ${ids.length} bytes of ${all.length}`);
  }
}

async function bundle({ folder }: Consumer, contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'node',
  });
  return outputFiles[0]?.text.trim() ?? '';
}
