import { CUT_ARGUMENTS_SEAL } from '@kimi-tc/core';
import { expect, test } from 'vitest';
import { addPiece, type Piece, readPieces } from './pieces.ts';

test.each(['', '{}', '{"a":1}', '[', '{"a":"b', '{"a":"b\\', '12', 'nul'])(
  'arguments of a call that was given up do not parse: %s',
  (sent) => {
    const pieces: Piece[] = [];
    if (sent !== '') addPiece(pieces, { type: 'tool-call-delta', index: 0, delta: sent }, new Map());
    const reason = 'limit-exceeded';
    addPiece(
      pieces,
      { type: 'tool-call-error', index: 0, id: 'x', name: 'f', arguments: sent, reason },
      new Map(),
    );
    const [piece] = pieces as unknown as [{ text: string }];
    expect(piece.text).toBe(sent + CUT_ARGUMENTS_SEAL);
    for (const ending of ['', '"', '}', '"}', ']', '":1}'])
      expect(() => JSON.parse(piece.text + ending)).toThrow();
  },
);

test('a call that never started has nothing on the wire', () => {
  const pieces: Piece[] = [];
  addPiece(
    pieces,
    {
      type: 'tool-call-error',
      index: -1,
      id: '',
      name: '',
      arguments: '{',
      reason: 'unresolved-tool',
    },
    new Map(),
  );
  expect(pieces).toEqual([]);
});

const first = { index: 0, id: 'x', type: 'function', function: { name: 'f', arguments: '' } };
const later = { index: 0, function: { arguments: '{}' } };

test.each<[string, object]>([
  ['no calls at all', { tool_calls: [] }],
  ['an entry that is no object', { tool_calls: [null] }],
  ['no index', { tool_calls: [{ ...first, index: undefined }] }],
  ['one index twice', { tool_calls: [first, first] }],
  ['no id', { tool_calls: [{ ...first, id: '' }] }],
  ['no type', { tool_calls: [{ ...first, type: undefined }] }],
  ['no name', { tool_calls: [{ ...first, function: { arguments: '' } }] }],
  ['no arguments', { tool_calls: [{ ...first, function: { name: 'f' } }] }],
  ['arguments as an object', { tool_calls: [{ ...first, function: { name: 'f', arguments: {} } }] }],
  ['reasoning in the other field', { reasoning: 'a' }],
])('a delta with %s must not pass as it is', (_, delta) => {
  expect(readPieces(delta as Record<string, unknown>, () => false)).toBeUndefined();
});

test.each<[string, object]>([
  ['an id', { ...later, id: 'y' }],
  ['a name', { ...later, function: { name: 'f', arguments: '' } }],
  ['an empty type', { ...later, type: '' }],
])('a later fragment with %s must not pass as it is', (_, entry) => {
  expect(readPieces({ tool_calls: [entry] }, () => true)).toBeUndefined();
});

test('healthy deltas are read', () => {
  expect(readPieces({ role: 'assistant', content: null }, () => false)).toEqual([]);
  expect(readPieces({ reasoning_content: 'a', reasoning: 'a', content: 'b' }, () => false)).toEqual([
    { type: 'reasoning', text: 'a' },
    { type: 'content', text: 'b' },
  ]);
  expect(readPieces({ tool_calls: [first] }, () => false)).toEqual([
    { type: 'tool-call', index: 0, id: 'x', name: 'f' },
  ]);
  expect(readPieces({ tool_calls: [{ ...later, id: null, type: 'function' }] }, () => true)).toEqual([
    { type: 'arguments', index: 0, text: '{}' },
  ]);
});
