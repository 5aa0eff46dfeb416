import { expect, test } from 'vitest';
import type { Piece } from './pieces.ts';
import { createWaitingChunks } from './waiting-chunks.ts';

const content = (text: string): Piece => ({ type: 'content', text });
const args = (text: string, index = 0): Piece => ({ type: 'arguments', index, text });
const start: Piece = { type: 'tool-call', index: 0, id: 'x', name: 'f' };
const chunk = (name: string) => ({ name });

test('a chunk passes when what was made is what it says', () => {
  const waiting = createWaitingChunks();
  const a = chunk('a');
  expect(waiting.push([{ chunk: a, pieces: [content('hi')] }], [content('hi')], true)).toEqual({
    chunks: [a],
    pieces: [],
    own: 'passes',
  });
});

test('the beginning of a marker waits with its chunk, until it is known to be none', () => {
  const waiting = createWaitingChunks();
  const [a, b, c] = [chunk('a'), chunk('b'), chunk('c')];
  expect(waiting.push([{ chunk: a, pieces: [content('1 <')] }], [content('1 ')], true)).toMatchObject({
    chunks: [],
    own: 'waits',
  });
  expect(waiting.push([{ chunk: b, pieces: [content(' 2 <')] }], [content('< 2 ')], true)).toEqual({
    chunks: [a],
    pieces: [],
    own: 'waits',
  });
  expect(waiting.push([{ chunk: c, pieces: [content('3')] }], [content('<3')], true)).toEqual({
    chunks: [b, c],
    pieces: [],
    own: 'passes',
  });
});

test('of several chunks those pass that are said, and the last ones wait', () => {
  const waiting = createWaitingChunks();
  const entries = ['a', 'b', ' <', '|'].map((text) => ({ chunk: chunk(text), pieces: [content(text)] }));
  const [a, b, c, d] = entries.map((entry) => entry.chunk);
  expect(waiting.push(entries, [content('ab ')], true)).toEqual({ chunks: [a, b], pieces: [], own: 'waits' });
  const e = chunk('e');
  expect(waiting.push([{ chunk: e, pieces: [content(' e')] }], [content('<| e')], true)).toEqual({
    chunks: [c, d, e],
    pieces: [],
    own: 'passes',
  });
});

test('what else a chunk holds leaves where its text does otherwise, but for the last one', () => {
  const waiting = createWaitingChunks();
  const [a, b, c] = [chunk('a'), chunk('b'), chunk('c')];
  const [restA, restB, restC] = [chunk('rest of a'), chunk('rest of b'), chunk('rest of c')];
  waiting.push([{ chunk: a, pieces: [content('1 <|tool')], rest: restA }], [content('1 ')], true);
  const marker = '_call_begin|>functions.f:0';
  expect(waiting.push([{ chunk: b, pieces: [content(marker)], rest: restB }], [], true)).toEqual({
    chunks: [restA],
    pieces: [content('1 ')],
    own: 'changes',
  });
  waiting.push([{ chunk: c, pieces: [content('2 <')], rest: restC }], [content('2 ')], true);
  expect(waiting.flush([])).toEqual({ chunks: [restC], pieces: [content('2 ')], own: 'changes' });
});

test('text in front of a marker leaves when it is one', () => {
  const waiting = createWaitingChunks();
  const [a, b] = [chunk('a'), chunk('b')];
  waiting.push([{ chunk: a, pieces: [content('1 <|tool')] }], [content('1 ')], true);
  const passed = waiting.push([{ chunk: b, pieces: [content('_call_begin|>functions.f:0')] }], [], true);
  expect(passed).toEqual({ chunks: [], pieces: [content('1 ')], own: 'changes' });
});

test('the first fragment of a call passes with its arguments', () => {
  const waiting = createWaitingChunks();
  const [a, b] = [chunk('a'), chunk('b')];
  expect(waiting.push([{ chunk: a, pieces: [start] }], [], true)).toMatchObject({ chunks: [], own: 'waits' });
  expect(waiting.push([{ chunk: b, pieces: [args('{')] }], [start, args('{')], true)).toMatchObject({
    chunks: [a, b],
    own: 'passes',
  });
});

test('what was made besides comes behind the chunk', () => {
  const waiting = createWaitingChunks();
  const a = chunk('a');
  const passed = waiting.push([{ chunk: a, pieces: [content('a')] }], [content('ab'), start], true);
  expect(passed).toEqual({ chunks: [a], pieces: [content('b'), start], own: 'passes' });
});

test.each<[string, Piece[]]>([
  ['other text', [content('x')]],
  ['another field', [{ type: 'reasoning', text: '1 ' }]],
  ['another call', [args('1 ', 1)]],
])('%s is a change', (_, made) => {
  const passed = createWaitingChunks().push([{ chunk: chunk('a'), pieces: [content('1 <')] }], made, true);
  expect(passed).toEqual({ chunks: [], pieces: made, own: 'changes' });
});

test('a chunk that must not wait changes', () => {
  const passed = createWaitingChunks().push(
    [{ chunk: chunk('a'), pieces: [content('1 <')] }],
    [content('1 ')],
    false,
  );
  expect(passed).toEqual({ chunks: [], pieces: [content('1 ')], own: 'changes' });
});

test('more than a marker’s length is not waited for', () => {
  const held = `1${'x'.repeat(30)}`;
  expect(
    createWaitingChunks().push([{ chunk: chunk('a'), pieces: [content(held)] }], [content('1')], true).own,
  ).toBe('changes');
  expect(
    createWaitingChunks().push(
      [{ chunk: chunk('a'), pieces: [content(held.slice(1))] }],
      [content('x')],
      true,
    ).own,
  ).toBe('waits');
});

test('few chunks wait', () => {
  const waiting = createWaitingChunks();
  const fates = Array.from(
    { length: 64 },
    () => waiting.push([{ chunk: chunk('a'), pieces: [content('x')] }], [], true).own,
  );
  expect(new Set(fates)).toEqual(new Set(['waits']));
  expect(waiting.push([{ chunk: chunk('a'), pieces: [content('x')] }], [], true).own).toBe('changes');
});

test('so do few that begin calls, behind a text that may be a marker', () => {
  const waiting = createWaitingChunks();
  waiting.push([{ chunk: chunk('a'), pieces: [content('1 <')] }], [content('1 ')], true);
  const begin = (index: number) => {
    const pieces: Piece[] = [{ type: 'tool-call', index, id: `c${index}`, name: 'f' }];
    return waiting.push([{ chunk: chunk(`c${index}`), pieces }], [], true);
  };
  const fates = Array.from({ length: 63 }, (_, index) => begin(index).own);
  expect(new Set(fates)).toEqual(new Set(['waits']));
  expect(begin(63)).toMatchObject({ pieces: [content('1 ')], own: 'changes' });
});

test('flush lets go of what is known, and forgets the rest', () => {
  const waiting = createWaitingChunks();
  const a = chunk('a');
  waiting.push([{ chunk: a, pieces: [content('1 <')] }], [content('1 ')], true);
  expect(waiting.flush([content('<'), start])).toMatchObject({ chunks: [a], pieces: [start] });
  expect(waiting.flush([])).toMatchObject({ chunks: [], pieces: [] });
});
