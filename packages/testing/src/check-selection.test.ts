import { expect, test } from 'vitest';
import { checkSurface } from './check-surface.ts';
import { describeCorpus } from './describe-corpus.ts';
import { loadCases } from './load-cases.ts';

const surface = { name: 'nothing', run: () => ({}) as never };

test.each([
  [{ kinds: ['delta'] }, /kinds: there is no "delta", only deltas/],
  [{ topics: ['section'] }, /topics: there is no "section"/],
  [{ families: ['K2'] }, /families: there is no "K2"/],
  [{ chunkings: ['unit'] }, /chunkings: there is no "unit"/],
  [{ chunkings: [] }, /chunkings: expected a list of at least one/],
  [{ cases: [] }, /select no case/],
  [{ kinds: ['deltas'], topics: ['history'] }, /select no case/],
])('describeCorpus refuses %j, which would play nothing', (options, message) => {
  expect(() => describeCorpus(surface, options as never)).toThrow(message);
});

test('loadCases refuses names that the corpus does not have', () => {
  expect(() => loadCases({ topics: ['nope'] })).toThrow(/topics: there is no "nope"/);
  expect(() => loadCases({ kinds: ['delta' as never] })).toThrow(/kinds: there is no "delta"/);
});

test('a surface that returns something else is told what is missing', async () => {
  const [of] = loadCases({ kinds: ['deltas'] });
  if (!of) throw new Error('no case');
  for (const [returned, told] of [
    [undefined, /expected an object, got undefined/],
    [{}, /toolCalls: missing/],
    [{ toolCalls: [], incompleteToolCalls: [], problems: [] }, /reasoning: missing/],
  ] as const) {
    expect(await checkSurface({ name: 's', run: () => returned as never }, of)).toMatch(told);
  }
});

test('a case that has none of the chunkings is not passed', async () => {
  const [of] = loadCases({ kinds: ['message'] });
  if (!of) throw new Error('no case');
  expect(await checkSurface(surface, of, ['units'])).toMatch(/has none of the chunkings units/);
});
