import { loadCases } from '@kimi-tc/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ARGUMENT_LAWS, argumentTexts } from './argument-laws.ts';
import { toReply } from './corpus-replies.ts';
import { checkLaws, LAWS, playAll } from './laws.ts';
import { plainText, replies, sizes } from './replies.ts';
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

  test('hold on the corpus', () => {
    const given = loadCases({ kinds: ['deltas', 'chunks', 'message'] }).flatMap((of) => toReply(of) ?? []);
    for (const reply of given) checkLaws(reply, [3, 1, 7]);
    expect(given.length).toBeGreaterThan(300);
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

describe('laws of arguments', () => {
  test.each(Object.entries(ARGUMENT_LAWS))('%s', (_, law) => {
    fc.assert(fc.property(argumentTexts, law), { numRuns });
  });
});
