import { expect, test } from 'vitest';
import type { CorpusCase, Expected } from './case.ts';
import { compareOutcome } from './compare.ts';
import type { Outcome, TurnOutcome } from './outcome.ts';

const call = { index: 0, id: 'functions.ping:0', name: 'ping', arguments: '{"host":"a","n":[1,2]}' };

const turn: TurnOutcome = {
  reasoning: 'why',
  content: 'Hi.',
  toolCalls: [call],
  incompleteToolCalls: [],
  finishReason: 'tool_calls',
  problems: [],
};

const expected: Expected = {
  reasoning: 'why',
  content: 'Hi.',
  toolCalls: [call],
  finishReason: 'tool_calls',
  problems: [],
};

function compareTurn(expectation: Expected, outcome: Partial<TurnOutcome> = {}): string[] {
  return compare({ kind: 'message', choice: {} }, { ...expected, ...expectation }, { ...turn, ...outcome });
}

function compare(input: CorpusCase['input'], expectation: Expected, outcome: Outcome): string[] {
  const rest = { id: 'x', topic: 'text', source: 'project case', family: 'k2', note: 'x' } as const;
  return compareOutcome({ ...rest, input, expected: expectation }, outcome);
}

test('equal is equal', () => {
  expect(compareTurn({})).toEqual([]);
});

test.each<[Partial<TurnOutcome>, string]>([
  [{ reasoning: 'why ' }, 'reasoning: differs at 3, expected "why", got "why "'],
  [{ content: 'Ho.' }, 'content: differs at 1, expected "Hi.", got "Ho."'],
  [{ finishReason: 'stop' }, 'finishReason: differs at 0, expected "tool_calls", got "stop"'],
  [{ toolCalls: [] }, 'toolCalls: expected 1, got 0: []'],
  [{ toolCalls: [{ ...call, index: 1 }] }, 'toolCalls[0].index: expected 0, got 1'],
  [{ toolCalls: [{ ...call, id: 'ping:0' }] }, 'toolCalls[0].id: differs at 0'],
  [{ toolCalls: [{ ...call, name: 'pong' }] }, 'toolCalls[0].name: differs at 1'],
  [{ toolCalls: [{ ...call, arguments: '{"n":[1,2],"host":"a"}' }] }, 'toolCalls[0].arguments: differs at 2'],
  [{ incompleteToolCalls: [{ name: 'ping', arguments: '' }] }, 'incompleteToolCalls: expected 0, got 1'],
  [{ problems: ['stray-markup'] }, 'problems: expected none, got stray-markup'],
])('names what differs: %j', (outcome, difference) => {
  const found = compareTurn({}, outcome);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(difference);
});

test('shows only the neighbourhood of a difference in a long text', () => {
  const [found] = compareTurn(
    { content: `${'a'.repeat(500)}b${'c'.repeat(500)}` },
    { content: 'a'.repeat(500) },
  );
  expect(found).toMatch(/^content: differs at 500, expected …"a{40}bc{79}"…, got …"a{40}"$/);
});

test('trims only where the case says so', () => {
  expect(compareTurn({ textCompare: 'trim' }, { content: '\nHi. ', reasoning: ' why' })).toEqual([]);
});

test('a call may lack its index, an expectation its id', () => {
  const { index: _, ...listed } = call;
  const { id: __, ...anyId } = call;
  expect(compareTurn({ toolCalls: [anyId] }, { toolCalls: [{ ...listed, id: 'other' }] })).toEqual([]);
});

test('arguments given as an object are equal as JSON', () => {
  const asObject = { toolCalls: [{ ...call, arguments: { n: [1, 2], host: 'a' } }] };
  expect(compareTurn(asObject)).toEqual([]);
  expect(
    compareTurn(asObject, { toolCalls: [{ ...call, arguments: '{"n":[2,1],"host":"a"}' }] }),
  ).toHaveLength(1);
  expect(compareTurn(asObject, { toolCalls: [{ ...call, arguments: '{' }] })).toHaveLength(1);
});

test('incomplete calls: number always, fields where given, outer white space removed', () => {
  const cut = [{ name: 'ping', arguments: ' {"ho\n' }];
  expect(compareTurn({ incompleteToolCalls: [{}] }, { incompleteToolCalls: cut })).toEqual([]);
  expect(compareTurn({ incompleteToolCalls: [{ arguments: '{"ho' }] }, { incompleteToolCalls: cut })).toEqual(
    [],
  );
  expect(compareTurn({ incompleteToolCalls: [{ name: 'pong' }] }, { incompleteToolCalls: cut })).toHaveLength(
    1,
  );
  expect(compareTurn({ incompleteToolCalls: [{}, {}] }, { incompleteToolCalls: cut })).toHaveLength(1);
});

test('extra problems are fine unless none is expected', () => {
  const some = { problems: ['unclosed-call', 'id-rewritten'] };
  expect(compareTurn({ problems: ['id-rewritten'] }, some)).toEqual([]);
  expect(compareTurn({ problems: ['unknown-tool'] }, some)).toEqual([
    'problems: unknown-tool not reported, got unclosed-call, id-rewritten',
  ]);
  expect(compareTurn({ problems: [] }, some)).toHaveLength(1);
  const { problems: _, ...unchecked } = expected;
  expect(compare({ kind: 'message', choice: {} }, unchecked, { ...turn, ...some })).toEqual([]);
});

test('usage is equal as JSON', () => {
  expect(compareTurn({ usage: { a: 1, b: 2 } }, { usage: { b: 2, a: 1 } })).toEqual([]);
  expect(compareTurn({ usage: { a: 1 } }, {})).toEqual(['usage: expected {"a":1}, got undefined']);
});

test('other kinds compare their own field; null is refused', () => {
  const request = { kind: 'request', request: { model: 'm' } } as const;
  expect(compare(request, { request: null }, { request: null, problems: [] })).toEqual([]);
  expect(compare(request, { request: null }, { request: {}, problems: [] })).toEqual([
    'request: expected null, got {}',
  ]);
  const schema = { kind: 'schema', schema: {} } as const;
  expect(compare(schema, { schema: { a: 1, b: 2 } }, { schema: { b: 2, a: 1 }, problems: ['x'] })).toEqual(
    [],
  );
});
