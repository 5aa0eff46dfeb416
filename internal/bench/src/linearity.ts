import { createParser } from '@kimi-tc/core';
import { createArgumentFixture, cutIntoDeltas } from './fixtures.ts';
import { median } from './measure.ts';

/** Milliseconds for one call with arguments of so many megabytes, by the length of its deltas. */
export interface Growth {
  deltaLength: number;
  /** One for each of the sizes. */
  times: number[];
}

const MEGA = 1_000_000;
export const GROWTH_DELTA_LENGTHS = [1, 4, 4096] as const;

function timeOnce(deltas: readonly string[]): number {
  let units = 0;
  const start = performance.now();
  const parser = createParser({
    onEvent: (event) => {
      if (event.type === 'tool-call-delta') units += event.delta.length;
    },
  });
  for (const delta of deltas) parser.feed(delta);
  parser.end('tool_calls');
  const time = performance.now() - start;
  if (units === 0) throw new Error('no arguments were read');
  return time;
}

/** Times ever longer arguments, in rounds; the sizes double. */
export function measureGrowth(megabytes: readonly number[], rounds: number): Growth[] {
  const texts = megabytes.map((size) => createArgumentFixture(`${size} MB`, size * MEGA).text);
  return GROWTH_DELTA_LENGTHS.map((deltaLength) => {
    const inputs = texts.map((text) => cutIntoDeltas(text, deltaLength));
    const times: number[][] = inputs.map(() => []);
    timeOnce(inputs[0] as string[]);
    for (let round = 0; round < rounds; round++) {
      for (const [at, deltas] of inputs.entries()) times[at]?.push(timeOnce(deltas));
    }
    return { deltaLength, times: times.map(median) };
  });
}
