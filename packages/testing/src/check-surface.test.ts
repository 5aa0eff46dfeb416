import { expect, test } from 'vitest';
import type { CaseInput, CorpusCase } from './case.ts';
import { checkSurface, type Surface } from './check-surface.ts';
import type { TurnOutcome } from './outcome.ts';

const of: CorpusCase = {
  id: 'plain',
  topic: 'text',
  source: 'project case',
  family: 'k2',
  note: 'plain text',
  input: { kind: 'deltas', deltas: [['content', 'abc']], finishReason: 'stop' },
  expected: { reasoning: '', content: 'abc', toolCalls: [], finishReason: 'stop', problems: [] },
};

const textOf = (input: CaseInput): string =>
  input.kind === 'deltas' ? input.deltas.map(([, text]) => text).join('') : '';

const outcome = (content: string): TurnOutcome => ({
  reasoning: '',
  content,
  toolCalls: [],
  incompleteToolCalls: [],
  finishReason: 'stop',
  problems: [],
});

const surface = (run: Surface['run']): Surface => ({ name: 'test', run });

test('a surface that passes plays every chunking', async () => {
  let runs = 0;
  const good = surface((_, input) => {
    runs += 1;
    return outcome(textOf(input));
  });
  expect(await checkSurface(good, of)).toBeUndefined();
  expect(runs).toBe(5);
  expect(await checkSurface(good, of, ['whole', 'cut-in-two'])).toBeUndefined();
  expect(runs).toBe(8);
});

test('a failure names the file, the chunking and the difference', async () => {
  const bad = surface((_, input) =>
    outcome(input.kind === 'deltas' && input.deltas.length === 2 ? 'ab' : 'abc'),
  );
  expect(await checkSurface(bad, of)).toBe(
    'cases/text/plain.json (cut-in-two at 1 of 3)\n  content: differs at 2, expected "abc", got "ab"',
  );
});

test('what a surface throws is a failure', async () => {
  const throws = surface(() => {
    throw new Error('lost');
  });
  expect(await checkSurface(throws, of)).toMatch(
    /^cases\/text\/plain\.json \(whole\)\n {2}threw Error: lost/,
  );
});

test('inputs are not to be changed', async () => {
  const greedy = surface((_, input) => {
    const text = textOf(input);
    if (input.kind === 'deltas') (input.deltas as unknown[]).pop();
    return outcome(text);
  });
  expect(await checkSurface(greedy, of)).toContain('input: was changed in place');
  expect(textOf(of.input)).toBe('abc');
});

test('streaming is asked only of text that comes in pieces', async () => {
  const streaming: CorpusCase = { ...of, expected: { ...of.expected, checks: ['argumentDeltasStreamed'] } };
  const blob = surface((_, input) => ({ ...outcome(textOf(input)), argumentsLeftEarly: [false] }));
  expect(await checkSurface(blob, streaming, ['whole', 'cut-in-two'])).toBeUndefined();
  expect(await checkSurface(blob, streaming)).toContain('argumentDeltasStreamed');
});
