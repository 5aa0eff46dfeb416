import { expect, test } from 'vitest';
import { cutBytes, cutText, isCuts } from './cuts.ts';

test('cuts into equal lengths', () => {
  expect(cutText('abcdefgh', 3)).toEqual(['abc', 'def', 'gh']);
  expect(cutText('', 3)).toEqual([]);
});

test('cuts surrogate pairs and the bytes of a character', () => {
  expect(cutText('🚀', 1)).toEqual(['\ud83d', '\ude80']);
  expect(cutBytes(Buffer.from('é'), 1).map((bytes) => [...bytes])).toEqual([[0xc3], [0xa9]]);
});

test('random cuts follow their seed and their longest length', () => {
  const text = 'x'.repeat(500);
  const lengths = (seed: number, max?: number): number[] =>
    cutText(text, max === undefined ? { seed } : { seed, max }).map(({ length }) => length);
  expect(lengths(1)).toEqual(lengths(1));
  expect(lengths(1)).not.toEqual(lengths(2));
  expect(lengths(1).reduce((sum, length) => sum + length)).toBe(500);
  expect(new Set(lengths(1).slice(0, -1))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8]));
  expect(new Set(lengths(3, 2))).toEqual(new Set([1, 2]));
});

test('knows what cuts are', () => {
  expect([1, 7, { seed: 0 }, { seed: 1, max: 2 }].every(isCuts)).toBe(true);
  expect([0, 1.5, -1, Number.NaN, null, {}, { seed: 'a' }, { seed: 1, max: 0 }, 'units'].some(isCuts)).toBe(
    false,
  );
});
