import { expect, test } from 'vitest';
import { replaceInPieces, slicePieces, toPieces } from './pieces.ts';

test.each([
  '<think>Why not?</think>Because.\n\nThen <|tool_calls_section_begin|><|tool_call_begin|>functions.a:0',
  'a < b <c> 🚀🚀🚀🚀🚀🚀🚀 <|odd',
  '',
])('pieces are the text: %j', (text) => {
  const pieces = toPieces(text);
  expect(pieces.join('')).toBe(text);
  expect(pieces.every((piece) => piece.length > 0 && !/\p{Cs}/u.test(piece))).toBe(true);
});

test('special tokens are pieces of their own', () => {
  expect(toPieces('Hi.<|im_end|><think>')).toEqual(['Hi.', '<|im_end|>', '<think>']);
});

test('replaces across borders and keeps the others where they were', () => {
  const pieces = ['one <|a', '|> two', ' th', 'ree<|b|>', 'end'];
  expect(replaceInPieces(pieces, /<\|\w\|>/g, () => '')).toEqual(['one ', ' two', ' th', 'ree', 'end']);
  expect(replaceInPieces(pieces, /<\|(\w)\|>/g, ([, name]) => `[${name}]`)).toEqual([
    'one [a]',
    ' two',
    ' th',
    'ree[b]',
    'end',
  ]);
  expect(replaceInPieces(pieces, /nothing/g, () => 'x')).toEqual(pieces);
  expect(replaceInPieces(['<', '<', '<'], /</g, () => '')).toEqual([]);
});

test('slices by offsets in the text', () => {
  const pieces = ['abc', 'de', 'fgh'];
  expect(slicePieces(pieces, 1, 7)).toEqual(['bc', 'de', 'fg']);
  expect(slicePieces(pieces, 3, 5)).toEqual(['de']);
  expect(slicePieces(pieces, 4, 4)).toEqual([]);
});
