import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSseSplitter, joinBytes, readSseEvent, type SseEvent } from './sse.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

type Frame = SseEvent & { bytes: Uint8Array };

const toFrame = (bytes: Uint8Array): Frame => ({ bytes, ...readSseEvent(bytes) });

/** All events of a text whose bytes come in pieces of these lengths, over and over. */
function split(text: string, lengths: readonly number[]): { frames: Frame[]; left: Frame | undefined } {
  const bytes = encoder.encode(text);
  const frames: Frame[] = [];
  const splitter = createSseSplitter((event) => frames.push(toFrame(event)));
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length] ?? bytes.length;
    splitter.push(bytes.slice(at, at + length));
    at += length;
  }
  const left = splitter.end();
  return { frames, left: left && toFrame(left) };
}

const read = (text: string, lengths = [text.length * 4]) =>
  split(text, lengths).frames.map(({ data, type, rest }) => ({ data, type, rest }));

test.each(['\n', '\r\n', '\r'])('reads events whose lines end in %j', (end) => {
  const lines = [
    ': note',
    'event: message',
    'id: 7',
    'data: {"a":',
    'data:1}',
    '',
    'data',
    '',
    'data: [DONE]',
    '',
    '',
  ];
  const expected = [
    { data: '{"a":\n1}', type: 'message', rest: ': note\nid: 7\n' },
    { data: '', type: '', rest: '' },
    { data: '[DONE]', type: '', rest: '' },
  ];
  for (const lengths of [[1], [2], [3], [1000]]) {
    const seen = read(lines.join(end), lengths).filter(({ data }) => data !== undefined);
    expect(seen).toEqual(expected);
  }
});

test('a value begins behind one space, if there is one', () => {
  expect(read('data:a\n\ndata: b\n\ndata:  c\n\n').map(({ data }) => data)).toEqual(['a', 'b', ' c']);
});

test('a byte order mark is no part of the first field', () => {
  const { frames } = split('\ufeffdata: a\n\n', [2]);
  expect(frames[0]?.data).toBe('a');
  expect(frames[0]?.bytes.slice(0, 3)).toEqual(new Uint8Array([0xef, 0xbb, 0xbf]));
});

test('what stands behind the last event is told apart', () => {
  expect(split('data: a\n\ndata: b\n', [5]).left).toMatchObject({ data: 'b' });
  expect(split('data: a\n\n', [5]).left).toBeUndefined();
});

test('events are the same however the bytes are cut, and no byte is lost', () => {
  const line = fc.oneof(
    fc.constantFrom(
      '',
      '',
      'data: {"content":"é日😀"}',
      'data: [DONE]',
      ': ping',
      'id: 1',
      'event: x',
      'data:',
      ':',
    ),
    fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !/[\r\n]/.test(text)),
  );
  const text = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 30 })
    .map((lines) => lines.map(([value, end]) => value + end).join(''));
  const lengths = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(text, lengths, (whole, cuts) => {
      const { frames, left } = split(whole, cuts);
      const bytes = joinBytes([...frames, ...(left ? [left] : [])].map((frame) => frame.bytes));
      expect(decoder.decode(bytes)).toBe(whole);
      const said = (given: typeof frames) =>
        given.filter(({ data }) => data !== undefined).map(({ data, type }) => [data, type]);
      expect(said(frames)).toEqual(said(split(whole, [whole.length * 4 + 1]).frames));
    }),
  );
});

test('an event that comes byte by byte is joined once', () => {
  const text = `data: ${'x'.repeat(200_000)}\n\n`;
  expect(split(text, [1]).frames[0]?.data).toHaveLength(200_000);
});
