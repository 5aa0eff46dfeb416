import { expect, test } from 'vitest';
import type { CaseDelta, CaseInput } from './case.ts';
import { chunkings } from './chunkings.ts';
import type { JsonObject } from './json.ts';

const deltas = (...list: CaseDelta[]): CaseInput => ({ kind: 'deltas', deltas: list, finishReason: 'stop' });

const cuts = (input: CaseInput): [string, unknown][] =>
  [...chunkings(input)].map(({ label, input: cut }) => [
    label,
    cut.kind === 'deltas' ? cut.deltas.map(([channel, text]) => `${channel[0]}:${text}`).join(' ') : cut,
  ]);

test('cuts deltas in four ways', () => {
  expect(cuts(deltas(['reasoning', 'ab'], ['content', 'c'], ['content', ''], ['content', 'de']))).toEqual([
    ['whole', 'r:ab c:cde'],
    ['as given', 'r:ab c:c c: c:de'],
    ['units', 'r:a r:b c:c c:d c:e'],
    ['cut-in-two at 1 of 5', 'r:a r:b c:cde'],
    ['cut-in-two at 3 of 5', 'r:ab c:c c:de'],
    ['cut-in-two at 4 of 5', 'r:ab c:cd c:e'],
  ]);
});

test('cuts surrogate pairs', () => {
  expect(cuts(deltas(['content', '🚀']))[2]).toEqual(['units', 'c:\ud83d c:\ude80']);
});

test('an empty stream stays empty', () => {
  expect(cuts(deltas())).toEqual([
    ['whole', ''],
    ['as given', ''],
    ['units', ''],
  ]);
});

function cutChunk(delta: JsonObject, rest: JsonObject = {}): unknown {
  const chunk = { id: 'x', choices: [{ index: 0, delta, finish_reason: 'stop' }], ...rest };
  const runs = [...chunkings({ kind: 'chunks', chunks: [chunk] })];
  expect(runs.map(({ label }) => label)).toEqual(['as given', 'units']);
  const cut = runs[1]?.input;
  return cut?.kind === 'chunks' ? cut.chunks : undefined;
}

const piece = (delta: JsonObject): JsonObject => ({ choices: [{ index: 0, delta, finish_reason: null }] });

test('cuts reasoning, content and arguments of a chunk, in this order', () => {
  const call = { index: 3, id: 'c1', type: 'function', function: { name: 'ping', arguments: '{}' } };
  expect(
    cutChunk(
      { role: 'assistant', content: 'ab', reasoning_content: 'r', tool_calls: [call] },
      { usage: { n: 1 } },
    ),
  ).toEqual([
    piece({ role: 'assistant', reasoning_content: 'r' }),
    piece({ content: 'a' }),
    piece({ content: 'b' }),
    piece({ tool_calls: [{ ...call, function: { name: 'ping', arguments: '{' } }] }),
    {
      id: 'x',
      usage: { n: 1 },
      choices: [
        {
          index: 0,
          delta: { tool_calls: [{ index: 3, function: { arguments: '}' } }] },
          finish_reason: 'stop',
        },
      ],
    },
  ]);
});

test('keeps two names of one text side by side', () => {
  expect(cutChunk({ reasoning_content: 'ab', reasoning: 'abc' })).toEqual([
    piece({ reasoning_content: 'a', reasoning: 'a' }),
    {
      id: 'x',
      choices: [{ index: 0, delta: { reasoning_content: 'b', reasoning: 'bc' }, finish_reason: 'stop' }],
    },
  ]);
});

test('leaves chunks without text alone', () => {
  const delta = { tool_calls: [], content: null };
  expect(cutChunk(delta)).toEqual([{ id: 'x', choices: [{ index: 0, delta, finish_reason: 'stop' }] }]);
  expect(cuts({ kind: 'chunks', chunks: [{ choices: [], usage: {} }] })[1]).toEqual([
    'units',
    { kind: 'chunks', chunks: [{ choices: [], usage: {} }] },
  ]);
});

test('hands everything else in once', () => {
  const input: CaseInput = { kind: 'message', choice: { message: { content: 'abc' } } };
  expect([...chunkings(input)]).toEqual([{ chunking: 'as-given', label: 'as given', input }]);
});
