import { describe, expect, test } from 'vitest';
import { choiceOf } from './chunk-fields.ts';
import { type ChunkShapes, createChunkShapes } from './chunk-shapes.ts';
import type { JsonObject } from './json.ts';
import { LONGEST_TEXT } from './json-strings.ts';
import { joinBytes } from './sse.ts';

const encoder = new TextEncoder();
const printEvent = (json: string) => `data: ${json}\n\n`;
const toEvent = (json: string) => encoder.encode(printEvent(json));

/** The event stands somewhere in a read. */
function findIn(shapes: ChunkShapes, event: Uint8Array) {
  const read = new Uint8Array(event.length + 9).fill(0x22);
  read.set(event, 4);
  const known = shapes.find(read, 4);
  if (!known) return undefined;
  expect(known.end).toBe(4 + event.length);
  return { choice: choiceOf(known.like).index, piece: known.piece };
}

const chunkOf = (delta: object, more: object = {}) => ({
  id: 'c',
  model: 'kimi',
  choices: [{ index: 0, delta, finish_reason: null }],
  ...more,
});

function learn(...chunks: object[]) {
  const shapes = createChunkShapes();
  for (const chunk of chunks) shapes.learn(printEvent(JSON.stringify(chunk)), chunk as JsonObject);
  return { find: (chunk: object) => findIn(shapes, toEvent(JSON.stringify(chunk))), shapes };
}

const args = (text: string, index = 0) => ({ tool_calls: [{ index, function: { arguments: text } }] });

describe('a chunk that looks like an earlier one', () => {
  test.each([
    'b',
    'say "hi"',
    'a\\b\n',
    '\b\f\r\t/\u0001',
    'é',
    '日本 😀',
    '\ud83d',
    'x'.repeat(500),
    '<|tool_call_end|>',
    '{}',
  ])('says its own text: %j', (text) => {
    const { find } = learn(
      chunkOf({ content: 'a' }),
      chunkOf({ reasoning_content: 'a' }),
      chunkOf(args('{')),
    );
    expect(find(chunkOf({ content: text }))).toEqual({ choice: 0, piece: { type: 'content', text } });
    expect(find(chunkOf({ reasoning_content: text }))).toEqual({
      choice: 0,
      piece: { type: 'reasoning', text },
    });
    expect(find(chunkOf(args(text)))).toEqual({ choice: 0, piece: { type: 'arguments', index: 0, text } });
  });

  test('may have fields that are null, and be printed with spaces', () => {
    const json = (text: string) => `{"choices": [{"index": 2, "delta": {"role": null, "content": ${text}}}]}`;
    const shapes = createChunkShapes();
    shapes.learn(printEvent(json('"a"')), JSON.parse(json('"a"')));
    expect(findIn(shapes, toEvent(json('"\\u00e9"')))).toEqual({
      choice: 2,
      piece: { type: 'content', text: 'é' },
    });
  });
});

describe('a chunk that does not is not known', () => {
  const { find, shapes } = learn(chunkOf({ content: 'a' }), chunkOf(args('{')));
  test.each<[string, object]>([
    ['another field', chunkOf({ refusal: 'a' })],
    ['one more field', chunkOf({ content: 'a', x: 'b' })],
    ['another id', chunkOf({ content: 'a' }, { id: 'd' })],
    ['another call', chunkOf(args('{', 1))],
    [
      'a finish reason',
      { ...chunkOf({}), choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }] },
    ],
    ['no text', chunkOf({ content: '' })],
    ['null', chunkOf({ content: null })],
    ['usage', chunkOf({ content: 'a' }, { usage: {} })],
  ])('%s', (_, chunk) => {
    expect(find(chunk)).toBeUndefined();
  });

  test.each(['a" b', 'a", "x": "b', 'a\\', 'a\\u12', 'a\nb\\"'])('what is no JSON string: %j', (middle) => {
    const json = JSON.stringify(chunkOf({ content: 'TEXT' })).replace('TEXT', () => middle);
    expect(findIn(shapes, toEvent(json))).toBeUndefined();
  });

  test.each<[string, object]>([
    ['with little behind the text', { choices: [{ index: 0, delta: { content: 'a' } }] }],
    ...['', 'k', 'ki', 'kim', 'kimi', 'kimi-', 'kimi-k', 'kimi-k2'].map((model): [string, object] => [
      `of the model ${JSON.stringify(model)}`,
      chunkOf({ content: 'a' }, { id: 'é 日本 😀', model }),
    ]),
  ])('one in which any byte around the text is another: %s', (_, chunk) => {
    const { shapes } = learn(chunk);
    const event = toEvent(JSON.stringify(chunk));
    const text = event.indexOf(0x61, Buffer.from(event).indexOf('"content":"a"') + '"content":"'.length);
    expect(shapes.find(event, 0)).toBeDefined();
    for (let at = 0; at < event.length; at++) {
      for (const byte of [(event[at] as number) ^ 1, (event[at] as number) ^ 0x80, 0, 0x7f, 0xff]) {
        const other = event.slice();
        other[at] = byte;
        if (at !== text) expect(shapes.find(other, 0), `${byte} at ${at}`).toBeUndefined();
      }
    }
  });

  test('half of one', () => {
    const event = toEvent(JSON.stringify(chunkOf({ content: 'abc' })));
    for (let end = 0; end < event.length; end++) expect(shapes.find(event.slice(0, end), 0)).toBeUndefined();
  });
});

describe('chunks one behind the other', () => {
  const { shapes } = learn(chunkOf({ content: 'a' }), chunkOf(args('{')));
  const find = (...chunks: object[]) => {
    const events = chunks.map((chunk) => toEvent(JSON.stringify(chunk)));
    const read = joinBytes([...events, toEvent('[DONE]')]);
    const known = shapes.find(read, 0);
    const starts = events.map((_, at) => joinBytes(events.slice(0, at)).length);
    if (!known) return undefined;
    const count = known.starts.length;
    expect(known.starts).toEqual(starts.slice(0, count));
    expect(known.end).toBe(starts[count] ?? joinBytes(events).length);
    return { text: known.piece.text, count };
  };
  const say = (...texts: string[]) => texts.map((content) => chunkOf({ content }));

  test.each([
    [['a', 'b"', '\u00e9\n', '日本']],
    [['\ud83d', '\ude00']],
    [Array.from({ length: 300 }, (_, at) => `${at} `)],
    [['\ufeff', '\ufeffa'.repeat(40)]],
  ])('are read as one: %j', (texts) => {
    expect(find(...say(...texts))).toEqual({ text: texts.join(''), count: texts.length });
  });

  test.each<[string, object[]]>([
    ['another field', [chunkOf({ reasoning_content: 'b' })]],
    ['no text', say('')],
    ['another call', [chunkOf(args('b'))]],
  ])('end at %s', (_, next) => {
    expect(find(...say('a', 'b'), ...next, ...say('c'))).toEqual({ text: 'ab', count: 2 });
  });

  test('end where a character would be made of bytes of two', () => {
    const [first, second] = ['\ue000', '\ue001'].map((char) => chunkOf({ content: char }));
    const events = [first, second, second].map((chunk) => toEvent(JSON.stringify(chunk)));
    const read = Buffer.from(joinBytes(events)).toString('latin1');
    const broken = Buffer.from(
      read.replace('\xee\x80\x80', '\xe3\x81').replaceAll('\xee\x80\x81', '\x82'),
      'latin1',
    );
    const known = shapes.find(broken, 0);
    expect(known?.piece.text).toBe('\ufffd');
    expect(shapes.find(broken, known?.end ?? 0)?.piece.text).toBe('\ufffd');
  });

  test('end where there is no more room, and a text that has none is not known', () => {
    const half = 'x'.repeat(LONGEST_TEXT / 2);
    expect(find(...say(half, half, half))).toEqual({ text: half + half, count: 2 });
    expect(find(...say('x'.repeat(LONGEST_TEXT)))).toBeDefined();
    expect(find(...say('x'.repeat(LONGEST_TEXT + 1)))).toBeUndefined();
  });
});

describe('nothing is learned from', () => {
  test.each<[string, object]>([
    ['a chunk with two texts', chunkOf({ content: 'a', reasoning_content: 'b' })],
    ['a chunk without text', chunkOf({ role: 'assistant', content: '' })],
    [
      'the first fragment of a call',
      chunkOf({ tool_calls: [{ index: 0, id: 'x', function: { name: 'f', arguments: '{' } }] }),
    ],
    [
      'several choices',
      {
        choices: [
          { index: 0, delta: { content: 'a' } },
          { index: 1, delta: { content: 'a' } },
        ],
      },
    ],
    ['a text without room', chunkOf({ content: '日'.repeat(LONGEST_TEXT / 3) })],
  ])('%s', (_, chunk) => {
    const { find } = learn(chunk);
    expect(find(chunk)).toBeUndefined();
    expect(find({ ...chunk, ...chunkOf({ content: 'a' }) })).toBeUndefined();
  });
});

test.each<[string, string]>([
  ['in front', '{"note":{"content":"a"},"choices":[{"index":0,"delta":{"content":"a"}}]}'],
  ['behind', '{"choices":[{"index":0,"delta":{"content":"a"}}],"note":{"content":"a"}}'],
  ['in front, one of them escaped', '{"content":"a","choices":[{"index":0,"delta":{"cont\\u0065nt":"a"}}]}'],
  ['behind, one of them escaped', '{"choices":[{"index":0,"delta":{"cont\\u0065nt":"a"}}],"content":"a"}'],
])('the same words in another place are not taken for the text: %s', (_, json) => {
  const shapes = createChunkShapes();
  shapes.learn(printEvent(json), JSON.parse(json));
  expect(findIn(shapes, toEvent(json))).toBeUndefined();
});

test('a server whose chunks are never alike is given up', () => {
  const { find, shapes } = learn();
  for (let at = 0; at < 1000; at++) {
    const chunk = chunkOf({ content: 'a' }, { created: at });
    shapes.learn(printEvent(JSON.stringify(chunk)), chunk);
  }
  expect(find(chunkOf({ content: 'a' }, { created: 999 }))).toBeUndefined();
  expect(find(chunkOf({ content: 'a' }, { created: 59 }))).toBeDefined();
});
