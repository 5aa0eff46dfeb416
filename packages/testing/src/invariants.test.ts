import { expect, test } from 'vitest';
import type { CheckName, CorpusCase } from './case.ts';
import { checkInvariants } from './invariants.ts';
import type { Outcome, TurnOutcome } from './outcome.ts';

const rest = { id: 'x', topic: 'text', source: 'project case', family: 'k3', note: 'x' } as const;

function check(name: CheckName, outcome: Outcome, messages: readonly object[] = []): string[] {
  const input = { kind: 'history', messages } as CorpusCase['input'];
  return checkInvariants({ ...rest, input, expected: { checks: [name] } }, outcome);
}

const turn: TurnOutcome = {
  reasoning: '',
  content: '',
  toolCalls: [
    { id: 'a', name: 'ping', arguments: '{}' },
    { id: 'b', name: 'ping', arguments: '{"n":1}' },
  ],
  incompleteToolCalls: [],
  finishReason: 'tool_calls',
  problems: [],
};

test('uniqueToolCallIds', () => {
  expect(check('uniqueToolCallIds', turn)).toEqual([]);
  const twice = { ...turn, toolCalls: [turn.toolCalls[0], turn.toolCalls[0]] } as TurnOutcome;
  expect(check('uniqueToolCallIds', twice)).toEqual(['uniqueToolCallIds: "a" occurs twice']);
});

test('singleFinishEvent', () => {
  expect(check('singleFinishEvent', { ...turn, finishEvents: 1 })).toEqual([]);
  expect(check('singleFinishEvent', { ...turn, finishEvents: 2 })).toHaveLength(1);
  expect(check('singleFinishEvent', { ...turn, finishEvents: 0 })).toHaveLength(1);
});

test('argumentDeltasStreamed', () => {
  const streamed = {
    ...turn,
    argumentDeltas: [
      ['{', '}'],
      ['{"n', '":1}'],
    ],
  };
  expect(check('argumentDeltasStreamed', { ...streamed, argumentsLeftEarly: [true, true] })).toEqual([]);
  expect(check('argumentDeltasStreamed', { ...streamed, argumentsLeftEarly: [true, false] })).toHaveLength(1);
  expect(
    check('argumentDeltasStreamed', { ...turn, argumentDeltas: [['{}'], ['{"n', '":1}']] }),
  ).toHaveLength(1);
});

test('argument deltas always join to the arguments', () => {
  const of = { ...rest, input: { kind: 'message', choice: {} }, expected: {} } as CorpusCase;
  expect(checkInvariants(of, { ...turn, argumentDeltas: [['{', '}'], ['{"n":1}']] })).toEqual([]);
  expect(
    checkInvariants(of, {
      ...turn,
      argumentDeltas: [
        ['{', '}'],
        ['{"n":1}', ' '],
      ],
    }),
  ).toHaveLength(1);
  expect(checkInvariants(of, { ...turn, argumentDeltas: [['{}']] })).toHaveLength(1);
});

const assistant = (reasoning: string, ...calls: [id: string, json: string][]): object => ({
  role: 'assistant',
  reasoning_content: reasoning,
  tool_calls: calls.map(([id, json]) => ({ id, function: { name: 'ping', arguments: json } })),
});
const tool = (id: string): object => ({ role: 'tool', tool_call_id: id, content: '' });

const before = [
  assistant('one', ['x', '1'], ['x', '2']),
  tool('x'),
  tool('x'),
  assistant('two', ['x', '3']),
  tool('x'),
];
const after = [
  assistant('one', ['a', '1'], ['b', '2']),
  tool('a'),
  tool('b'),
  assistant('two', ['c', '3']),
  tool('c'),
];

test('everyToolResultMatchesNearestPrecedingCall', () => {
  const name = 'everyToolResultMatchesNearestPrecedingCall';
  expect(check(name, { messages: after, problems: [] }, before)).toEqual([]);
  const swapped = [after[0], tool('b'), tool('a'), ...after.slice(3)];
  expect(check(name, { messages: swapped, problems: [] }, before)).toEqual([
    `${name}: result 0 refers to b, not to a`,
  ]);
  expect(check(name, { messages: [...after.slice(0, 4), tool('a')], problems: [] }, before)).toHaveLength(1);
  expect(check(name, { messages: after.slice(1), problems: [] }, before)).toHaveLength(1);
});

test('argumentsUnchanged and reasoningUnchanged', () => {
  const changed = [assistant('One', ['a', '1'], ['b', '0']), ...after.slice(1)];
  for (const name of ['argumentsUnchanged', 'reasoningUnchanged'] as const) {
    expect(check(name, { messages: after, problems: [] }, before)).toEqual([]);
    expect(check(name, { messages: changed, problems: [] }, before)).toHaveLength(1);
  }
});
