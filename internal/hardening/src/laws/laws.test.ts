import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainText, replies, sizes } from './k2-text.ts';
import { LAWS, playAll } from './laws.ts';
import { cutPieces, play } from './reply.ts';

/** Runs of each property; the nightly setting asks for more. */
const numRuns = Number(process.env.KIMI_LAW_RUNS ?? 400);

describe('laws', () => {
  test.each(Object.entries(LAWS))('%s', (_, law) => {
    fc.assert(
      fc.property(replies, sizes, (reply, lengths) => law(playAll(reply, lengths))),
      { numRuns },
    );
  });

  test('no text is lost: without markup it comes out as it went in', () => {
    fc.assert(
      fc.property(plainText, replies, fc.integer({ min: 1, max: 9 }), (text, { options }, size) => {
        const { turn } = play({
          pieces: cutPieces([['content', text]], () => size),
          options: { ...options, promptOpensThink: false, guidedJson: false },
          finishReason: 'stop',
        });
        expect(turn.content).toBe(text);
      }),
      { numRuns },
    );
  });
});
