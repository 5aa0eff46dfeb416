import { expect, test } from 'vitest';
import { addCut, cutEvery, cutsOf, joinDeltas, moveCut, removeCut } from './cuts.ts';
import { type Delta, MOST_DELTAS, textOf } from './reply.ts';

const content = (text: string): Delta => ({ channel: 'content', text });
const reasoning = (text: string): Delta => ({ channel: 'reasoning', text });
const call: Delta = { channel: 'tool_calls', piece: { index: 0, name: 'f' } };
const deltas = [reasoning('ab'), content('cde'), content('fg'), call, content('h')];

test('a cut can move where both sides are text of one field', () => {
  expect(cutsOf(deltas)).toEqual([
    { index: 0, at: 2, min: 1, max: 4, movable: false },
    { index: 1, at: 5, min: 3, max: 6, movable: true },
    { index: 2, at: 7, min: 6, max: 6, movable: false },
    { index: 3, at: 7, min: 8, max: 7, movable: false },
  ]);
});

test('a moved cut stays between its neighbours, and the text stays the same', () => {
  expect(moveCut(deltas, 1, 4)).toEqual([reasoning('ab'), content('cd'), content('efg'), call, content('h')]);
  expect(moveCut(deltas, 1, 99)[1]).toEqual(content('cdef'));
  expect(moveCut(deltas, 1, -99)[1]).toEqual(content('c'));
  expect(moveCut(deltas, 0, 1)).toBe(deltas);
});

test('a cut is added inside of a delta only', () => {
  expect(addCut(deltas, 3)).toEqual([
    reasoning('ab'),
    content('c'),
    content('de'),
    content('fg'),
    call,
    content('h'),
  ]);
  expect(addCut(deltas, 5)).toBe(deltas);
  expect(addCut(deltas, 0)).toBe(deltas);
  expect(addCut(deltas, 99)).toBe(deltas);
});

test('a cut is removed where both sides are text of one field', () => {
  expect(removeCut(deltas, 1)[1]).toEqual(content('cdefg'));
  expect(removeCut(deltas, 0)).toBe(deltas);
  expect(removeCut(deltas, 4)).toBe(deltas);
});

test('joining leaves the fields and the calls apart', () => {
  expect(joinDeltas([content(''), ...deltas])).toEqual([
    reasoning('ab'),
    content('cdefg'),
    call,
    content('h'),
  ]);
});

test('cutting anew keeps the text and the number of deltas within bounds', () => {
  expect(cutEvery(deltas, 2)).toEqual([
    reasoning('ab'),
    content('cd'),
    content('ef'),
    content('g'),
    call,
    content('h'),
  ]);
  const long = cutEvery([content('x'.repeat(100_000)), call, content('y')], 1);
  expect(long.length).toBeLessThanOrEqual(MOST_DELTAS);
  expect(textOf(long).length).toBe(100_001);
});
