import { expect, test } from 'vitest';
import * as ours from './index.ts';

test('the front door is this, and nothing happens when it is opened', () => {
  expect(Object.keys(ours).toSorted()).toEqual(['ChatKimi', 'KimiError', 'KimiOutputParser']);
  const registry = (globalThis as { lc_block_translators_registry?: Map<string, object> })
    .lc_block_translators_registry;
  expect(registry?.has('kimi')).toBe(false);
  new ours.KimiOutputParser();
  expect(registry?.has('kimi')).toBe(true);
});
