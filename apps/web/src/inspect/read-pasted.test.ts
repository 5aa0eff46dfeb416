import { loadCases } from '@kimi-tc/testing';
import { expect, test } from 'vitest';
import { fromCase } from './from-case.ts';
import { readPasted } from './read-pasted.ts';
import { SAMPLE } from './sample.ts';

test('text is cut, and read with the tools and options at hand', () => {
  const { deltas, ...rest } = readPasted('Some words that are cut.', 'Hm.', SAMPLE);
  expect(deltas).toEqual([
    { channel: 'reasoning', text: 'Hm.' },
    { channel: 'content', text: 'Some words that ' },
    { channel: 'content', text: 'are cut.' },
  ]);
  expect({ ...rest, deltas: SAMPLE.deltas }).toEqual(SAMPLE);
});

test('the JSON of a case is that case', () => {
  for (const of of loadCases({ kinds: ['deltas', 'chunks', 'message'] })) {
    const given = JSON.parse(JSON.stringify(fromCase(of)));
    expect(readPasted(JSON.stringify(of, undefined, 2), '', SAMPLE)).toEqual(given);
  }
});

test('arguments of a call, or other JSON, are text', () => {
  expect(readPasted('{"a":1}', '', SAMPLE).deltas).toEqual([{ channel: 'content', text: '{"a":1}' }]);
  expect(readPasted('{"a":', '', SAMPLE).deltas).toHaveLength(1);
});

test.each([
  ['{"input":{"kind":"deltas","deltas":[["other","x"]],"finishReason":null},"expected":{}}', 'deltas.0'],
  ['{"input":{"kind":"deltas"},"expected":{}}', 'is none'],
  ['{"input":null,"expected":{}}', 'is none'],
  ['{"input":{"kind":"schema","schema":{}},"expected":{}}', 'is none'],
  ['x'.repeat(100_001), '100001 units'],
])('what is none is refused with a reason: %.40s', (text, reason) => {
  expect(() => readPasted(text, '', SAMPLE)).toThrow(reason);
});
