import { createParser } from '@kimi-tc/core';
import { cutIntoDeltas, type Fixture } from './fixtures.ts';

/** The most UTF-16 units of the arguments of a fixture's one call that were fed and had not left, at any time. */
export function measureHeldBack(fixture: Fixture, deltaLength: number): number {
  const args = fixture.turn.toolCalls[0]?.arguments as string;
  const start = fixture.text.indexOf(args);
  let left = 0;
  const parser = createParser({
    tools: fixture.tools,
    onEvent: (event) => {
      if (event.type === 'tool-call-delta') left += event.delta.length;
    },
  });
  let most = 0;
  let fed = 0;
  for (const delta of cutIntoDeltas(fixture.text, deltaLength)) {
    parser.feed(delta);
    fed += delta.length;
    most = Math.max(most, Math.min(fed - start, args.length) - left);
  }
  return most;
}
