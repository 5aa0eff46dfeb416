import { expect, test } from 'vitest';
import { createAssembler } from './assembler.ts';
import type { KimiEvent } from './events.ts';

const start = (index: number, id: string): KimiEvent => ({
  type: 'tool-call-start',
  index,
  id,
  name: 'f',
  rawId: `raw ${id}`,
});
const end = (index: number, id: string, args: string): KimiEvent => ({
  type: 'tool-call-end',
  index,
  id,
  name: 'f',
  arguments: args,
});

function assemble(...events: KimiEvent[]) {
  const assembler = createAssembler();
  for (const event of events) assembler.push(event);
  return assembler;
}

test('a turn of which nothing is known yet', () => {
  expect(createAssembler().turn).toEqual({
    reasoning: '',
    content: '',
    toolCalls: [],
    incompleteToolCalls: [],
    finishReason: { unified: 'other', raw: undefined },
    problems: [],
  });
});

test('texts are joined, each field for itself', () => {
  const { turn } = assemble(
    { type: 'reasoning-delta', delta: 'Hm' },
    { type: 'text-delta', delta: 'It ' },
    { type: 'reasoning-delta', delta: '.' },
    { type: 'text-delta', delta: 'rains.' },
  );
  expect(turn).toMatchObject({ reasoning: 'Hm.', content: 'It rains.' });
});

test('calls stand in the order they started, however they ended, counted without those that must not run', () => {
  const { turn } = assemble(
    start(0, 'a'),
    start(1, 'b'),
    start(2, 'c'),
    { type: 'tool-call-delta', index: 2, delta: '{}' },
    end(2, 'c', '{}'),
    { type: 'tool-call-error', index: 0, id: 'a', name: 'f', arguments: '{"x', reason: 'truncated-call' },
    end(1, 'b', '{"y":1}'),
  );
  expect(turn.toolCalls).toEqual([
    { index: 0, id: 'b', name: 'f', arguments: '{"y":1}', rawId: 'raw b' },
    { index: 1, id: 'c', name: 'f', arguments: '{}', rawId: 'raw c' },
  ]);
  expect(turn.incompleteToolCalls).toEqual([
    { id: 'a', name: 'f', arguments: '{"x', reason: 'truncated-call' },
  ]);
});

test('calls that were given up before they started are kept, each of them', () => {
  const never = (name: string): KimiEvent => ({
    type: 'tool-call-error',
    index: -1,
    id: '',
    name,
    arguments: '',
    reason: 'malformed-call',
  });
  expect(assemble(never('f'), never('g')).turn.incompleteToolCalls.map(({ name }) => name)).toEqual([
    'f',
    'g',
  ]);
});

test('a call whose start was not seen has its id for a raw id', () => {
  expect(assemble(end(0, 'a', '{}')).turn.toolCalls[0]?.rawId).toBe('a');
});

test('problems are what was reported, without the type of the event', () => {
  const about = { code: 'unclosed-call' as const, message: 'Not closed.', offset: 7, index: 0 };
  expect(assemble({ type: 'problem', ...about }).turn.problems).toEqual([about]);
});

test('the finish reason is the one of the finish event', () => {
  const finishReason = { unified: 'tool-calls' as const, raw: 'stop' };
  expect(assemble({ type: 'finish', finishReason }).turn.finishReason).toEqual(finishReason);
});

test('a turn that was taken does not change when more comes', () => {
  const assembler = assemble(start(0, 'a'), end(0, 'a', '{}'));
  const before = assembler.turn;
  const copy = structuredClone(before);
  for (const event of [
    { type: 'text-delta', delta: 'more' },
    start(1, 'b'),
    end(1, 'b', '{}'),
    { type: 'tool-call-error', index: -1, id: '', name: '', arguments: '', reason: 'malformed-call' },
    { type: 'problem', code: 'malformed-call', message: '', offset: 0 },
  ] satisfies KimiEvent[])
    assembler.push(event);
  expect(before).toEqual(copy);
  expect(assembler.turn).toMatchObject({
    content: 'more',
    toolCalls: [{ index: 0 }, { index: 1 }],
    incompleteToolCalls: [{}],
    problems: [{}],
  });
});

test('many small pieces are joined in their order', () => {
  const assembler = createAssembler();
  const text = Array.from({ length: 5000 }, (_, at) => `${at} `);
  for (const delta of text) assembler.push({ type: 'text-delta', delta });
  expect(assembler.turn.content).toBe(text.join(''));
});
