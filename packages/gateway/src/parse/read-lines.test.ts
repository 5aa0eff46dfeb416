import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Line, readLines } from './read-lines.ts';

async function* cut(text: string, length: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function read(text: string, length: number, longest?: number): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const batch of readLines(cut(text, length), longest)) lines.push(...batch);
  return lines;
}

test('reads the same lines wherever the bytes are cut', async () => {
  const piece = fc.constantFrom('a', 'é', '😀', '\n', '\r\n', '\u2028', ' ', '{"a":1}');
  await fc.assert(
    fc.asyncProperty(fc.array(piece), fc.integer({ min: 1, max: 9 }), async (pieces, length) => {
      const text = pieces.join('');
      const expected = text
        .split('\n')
        .map((line, at) => ({ number: at + 1, text: line.replace(/\r$/, '') }))
        .filter((line) => line.text.trim() !== '');
      expect(await read(text, length)).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});

test('leaves out a line that is too long, and reads on', async () => {
  expect(await read('abc\nabcdefgh\nxyz', 2, 4)).toEqual([
    { number: 1, text: 'abc' },
    { number: 2, text: undefined },
    { number: 3, text: 'xyz' },
  ]);
});

test('takes a byte order mark for what it is', async () => {
  expect(await read('\ufeff"a"\n', 3)).toEqual([{ number: 1, text: '"a"' }]);
});
