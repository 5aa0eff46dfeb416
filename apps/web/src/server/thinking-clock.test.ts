import { expect, it } from 'vitest';
import { createThinkingClock } from './thinking-clock.ts';

it('writes on the end of a thought how long it took', () => {
  let time = 1_000;
  const clock = createThinkingClock(() => time);
  const start = { type: 'reasoning-start', id: 'a' } as const;
  expect(clock.stamp(start)).toBe(start);
  time = 3_500;
  expect(clock.stamp({ type: 'reasoning-end', id: 'a', providerMetadata: { kimi: { a: 1 } } })).toEqual({
    type: 'reasoning-end',
    id: 'a',
    providerMetadata: { kimi: { a: 1 }, thinking: { milliseconds: 2_500 } },
  });
});
