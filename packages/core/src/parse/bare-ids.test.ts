import { describe, expect, test } from 'vitest';
import { LONGEST_BARE_ID } from '../grammar/tool-call-id.ts';
import { createToolBox } from '../grammar/tools.ts';
import { createBareIds } from './bare-ids.ts';

const ids = createBareIds(
  createToolBox(
    ['ping', 'pong', 'read_pdf'].map((name) => ({ type: 'function', function: { name } }) as const),
  ),
);
/** Units of which no id is made, longer than any. */
const PROSE = 'a b '.repeat(LONGEST_BARE_ID);

describe('a token-stripped call', () => {
  test.each<[text: string, start: number, brace: number, whole: boolean]>([
    ['functions.ping:0{}', 0, 16, true],
    ['functions.ping:9{ \n"host":1}', 0, 16, true],
    ['functions.ping:0{', 0, 16, false],
    ['functions.ping:0{ \n', 0, 16, false],
    [`${PROSE}functions.ping:0{}`, PROSE.length, PROSE.length + 16, true],
    ['functions.pang:0{}functions.ping:1{}', 18, 34, true],
    ['functions.x functions.pong:10{"', 12, 29, true],
  ])('stands in %j', (text, start, brace, whole) => {
    expect(ids.findStripped(text, 0)).toEqual({ start, brace, whole });
  });

  test.each([
    'functions.pang:0{}',
    'functions.ping:0 {}',
    'functions.ping:0{host}',
    'functions.ping:0{1}',
    'functions.ping:x{}',
    'functions.ping{}',
    'functions.ping x:0{}',
    'ping:0{}',
    '{}',
    `functions.ping:0{${' '.repeat(LONGEST_BARE_ID)}`,
    `functions.ping:0{${' '.repeat(LONGEST_BARE_ID)}}`,
    `functions.${'x'.repeat(LONGEST_BARE_ID)}.ping:0{}`,
  ])('does not stand in %j', (text) => {
    expect(ids.findStripped(text, 0)).toBeUndefined();
  });

  test('is looked for from an index on', () => {
    expect(ids.findStripped('functions.ping:0{} functions.ping:1{}', 17)?.start).toBe(19);
    expect(ids.findStripped('functions.ping:0{}', 3)).toBeUndefined();
  });
});

describe('what may become an id', () => {
  test.each([
    ['', ''],
    ['I look', ''],
    ['off', 'f'],
    ['so fun', 'fun'],
    ['so functions.', 'functions.'],
    ['so functions.any', 'functions.any'],
    ['so xfunctions.any:0', 'functions.any:0'],
    ['functions.a functions.b', 'functions.b'],
    ['functions.a b', ''],
    ['functions. ', ''],
    ['so (pi', 'pi'],
    ['ping', 'ping'],
    ['pong:', 'pong:'],
    ['pong:12', 'pong:12'],
    ['pong:12x', ''],
    ['ping:0,pong:1', 'pong:1'],
    ['plan:ping:1', 'ping:1'],
    ['read_pdf', 'read_pdf'],
    ['shipping:0', ''],
    ['pang', ''],
    [`functions.${'x'.repeat(LONGEST_BARE_ID)}`, ''],
    [`functions.${'x'.repeat(LONGEST_BARE_ID - 10)}`, `functions.${'x'.repeat(LONGEST_BARE_ID - 10)}`],
  ])('at the end of %j is %j', (text, held) => {
    expect(text.slice(ids.findHeld(text, 0, Number.NaN))).toBe(held);
  });

  test('depends on the unit in front', () => {
    expect(ids.findHeld('ping', 0, 'p'.charCodeAt(0))).toBe(4);
    expect(ids.findHeld('ping', 0, '('.charCodeAt(0))).toBe(0);
    expect(ids.findHeld('ping', 1, Number.NaN)).toBe(4);
  });
});

test.each([
  ['functions.any:0', true],
  ['functions.any:12', true],
  ['pong:12', true],
  ['functions.any:0x', false],
  ['xfunctions.any:0', false],
  ['functions.:0', false],
  ['pong', false],
  ['pong:', false],
  ['pong:1x', false],
  ['pong.x:1', false],
  ['pang:1', false],
  ['', false],
])('%j alone is an id in front of an argument marker: %j', (text, is) => {
  expect(ids.isHeader(text)).toBe(is);
});
