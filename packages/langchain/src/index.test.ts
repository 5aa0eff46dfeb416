import { expect, test } from 'vitest';
import * as ours from './index.ts';

test('nothing happens when the front door is opened', () => {
  const registry = (globalThis as { lc_block_translators_registry?: Map<string, object> })
    .lc_block_translators_registry;
  expect(registry?.has('kimi')).toBe(false);
  new ours.KimiOutputParser();
  expect(registry?.has('kimi')).toBe(true);
});
