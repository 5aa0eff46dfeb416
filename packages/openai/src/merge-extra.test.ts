import { expect, test } from 'vitest';
import { mergeExtra } from './merge-extra.ts';

const problem = (code: 'unknown-tool' | 'truncated-call' | 'empty-turn', index?: number, offset = 0) => ({
  code,
  message: '',
  offset,
  ...(index !== undefined && { index }),
});

test('the same about the same call is told once, by the one who read first', () => {
  const told = { problems: [problem('unknown-tool', 0, 3), problem('truncated-call')] };
  const found = { problems: [problem('unknown-tool', 0, 0), problem('truncated-call')] };
  expect(mergeExtra(told, found)).toEqual(told);
});

test('the same about another call is told, too', () => {
  const told = { problems: [problem('unknown-tool', 0)] };
  const found = { problems: [problem('unknown-tool', 0), problem('unknown-tool', 1)] };
  expect(mergeExtra(told, found)).toEqual(found);
});

test('a turn is not empty in which a call was given up', () => {
  const incomplete = { id: '', name: 'f', reason: 'truncated-call' as const, arguments: '{' };
  const found = { problems: [problem('empty-turn')] };
  expect(mergeExtra({ incomplete_tool_calls: [incomplete] }, found)).toEqual({
    incomplete_tool_calls: [incomplete],
  });
  expect(mergeExtra({}, found)).toEqual(found);
});

test('what no reader of this package has written counts for nothing', () => {
  const found = { problems: [problem('empty-turn')] };
  for (const told of [
    undefined,
    null,
    'x',
    [],
    { problems: 7, tool_calls: [null], incomplete_tool_calls: {} },
  ])
    expect(mergeExtra(told, found)).toEqual(found);
});
