import { expect, test } from 'vitest';
import { LONGEST_BARE_ID } from '../grammar/tool-call-id.ts';
import { createLastWord } from './last-word.ts';

const ID = 'functions.ping:0';
const LONG = 'x'.repeat(LONGEST_BARE_ID);

function read(pieces: readonly string[]) {
  const last = createLastWord(() => false);
  for (const piece of pieces) last.take(piece);
  return { word: last.word(), reach: last.reach(), hasMore: last.hasMore() };
}

test.each<[pieces: string[], word: string, reach: number, hasMore: boolean]>([
  [[], '', 0, false],
  [[' \n'], '', 2, false],
  [[ID], ID, ID.length, false],
  [['functions', '.ping:0', ' \n'], ID, ID.length + 2, false],
  [['\n ', ID], ID, ID.length, false],
  [[`so: ${ID}`], ID, ID.length, true],
  [['so: ', ID, ' '], ID, ID.length + 1, true],
  [['好的　', ID], ID, ID.length, true],
  [['so ', ' '.repeat(LONGEST_BARE_ID), ID], ID, ID.length, true],
  [[`so ${' '.repeat(LONGEST_BARE_ID)}${ID}`], ID, ID.length, true],
  [[`${' '.repeat(LONGEST_BARE_ID)}${ID}`], ID, ID.length, false],
  [[' ', ' '.repeat(LONGEST_BARE_ID - 1), ID], ID, ID.length, false],
  [['so ', LONG], LONG, LONGEST_BARE_ID, true],
  [['a', LONG], LONG, LONGEST_BARE_ID, true],
  [[`a${LONG}`], LONG, LONGEST_BARE_ID, true],
  [['x', LONG.slice(9)], LONG.slice(8), LONGEST_BARE_ID - 8, false],
  [[LONG.slice(9), 'x'], LONG.slice(8), LONGEST_BARE_ID - 8, false],
])('of %j', (pieces, word, reach, hasMore) => {
  const expected = { word, reach, hasMore };
  expect(read(pieces)).toEqual(expected);
  expect(read(pieces.join('').split(''))).toEqual(expected);
});

test('an accepted word directly in front of a brace ends the text', () => {
  const last = createLastWord((word) => word === ID);
  expect(last.take('{ } so: functions')).toBeUndefined();
  expect(last.take('.ping:0 {')).toBeUndefined();
  expect(last.take(`x{${ID}`)).toBeUndefined();
  expect(last.take('{"host":"a"}')).toEqual({ word: ID, brace: 0 });
  expect(last.word()).toBe(ID);
  expect(createLastWord((word) => word === LONG).take(`y${LONG}{}`)).toEqual({
    word: LONG,
    brace: LONGEST_BARE_ID + 1,
  });
});

test('what stands behind the brace is not taken', () => {
  const last = createLastWord((word) => word === ID);
  expect(last.take(`${ID}{"host":"a"} so`)).toEqual({ word: ID, brace: ID.length });
  expect(last.hasMore()).toBe(false);
});
