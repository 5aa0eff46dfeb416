import { loadCases } from '@kimi-tc/testing';
import { expect, test } from 'vitest';
import { searchCases } from './search-cases.ts';

const corpus = loadCases();

test('without words every case is there, under its topic', () => {
  const groups = searchCases(corpus, ' ');
  expect(groups.flatMap(({ cases }) => cases)).toEqual(corpus);
  expect(groups.every(({ topic, cases }) => cases.every((of) => of.topic === topic))).toBe(true);
});

test('all words must occur, in any case and any order', () => {
  const groups = searchCases(corpus, 'ARGS truncated mid');
  expect(groups.map(({ topic }) => topic)).toEqual(['truncated']);
  expect(groups[0]?.cases.map(({ id }) => id)).toContain('trunc-mid-args');
  expect(searchCases(corpus, 'no-such-word')).toEqual([]);
});
