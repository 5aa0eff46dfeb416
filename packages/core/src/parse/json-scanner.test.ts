import { expect, test } from 'vitest';
import { createJsonScanner } from './json-scanner.ts';

/** How far a text was read that comes in pieces of this length, and what the scanner says of it then. */
function scan(text: string, length: number) {
  const scanner = createJsonScanner();
  let output = '';
  for (let from = 0; from < text.length; from += length) {
    const piece = text.slice(from, from + length);
    const end = scanner.read(piece, 0);
    output += scanner.output();
    if (end < piece.length) break;
  }
  return { status: scanner.status(), output };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const numbers = [
  '0',
  '-0',
  '12',
  '1.5',
  '-0.25e+10',
  '9E-07',
  '01',
  '-',
  '1.',
  '.5',
  '1e',
  '1e+',
  '+1',
  '1.e1',
  '--1',
];
const literals = ['true', 'false', 'null', 'tru', 'True', 'falsE', 'nul', 'nulll', 'truefalse'];
const strings = [
  '""',
  '"a"',
  '"\\u00eF"',
  '"\\n\\/"',
  '"\\x"',
  '"\\u12g4"',
  '"\\u123"',
  '"é😀\u007f"',
  "'a'",
  '"a',
];
const values = [
  ...numbers,
  ...literals,
  ...strings,
  '{}',
  '[]',
  '[',
  '{',
  ']',
  '}',
  '[}',
  '{]',
  ',',
  ':',
  'é',
  '\u007f',
  '',
];
const around = (value: string) => [
  value,
  ` \n\t\r${value}`,
  `[${value}]`,
  `[ 1 , ${value} ]`,
  `[${value},]`,
  `{"k" : ${value} }`,
  `{"k":${value},"l":[{"m":${value}}]}`,
  `{"k":${value},}`,
  `{${value}:1}`,
  `[${value} ${value}]`,
];

test.each(values.flatMap(around))('takes what JSON.parse takes, and nothing else: %j', (text) => {
  for (const length of [1, 2, 3, Infinity]) {
    const { status, output } = scan(text, length);
    expect(status === 'complete' && output === text).toBe(isJson(text));
  }
});
