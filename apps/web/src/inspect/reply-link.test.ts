import { deflateRawSync } from 'node:zlib';
import { loadCases } from '@kimi-tc/testing';
import { expect, test } from 'vitest';
import { fromCase } from './from-case.ts';
import { MOST_TEXT, type Reply } from './reply.ts';
import { fromFragment, LinkError, toFragment } from './reply-link.ts';

const reply: Reply = {
  deltas: [{ channel: 'content', text: 'Hé \ud83c' }],
  finishReason: 'stop',
  tools: [],
  options: {},
};

const pack = (value: unknown) =>
  `reply=${deflateRawSync(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')}`;

test('every reply of the corpus comes out of its link as it went in', async () => {
  for (const of of loadCases({ kinds: ['deltas', 'chunks', 'message'] })) {
    const given = fromCase(of) as Reply;
    const read = await fromFragment(await toFragment(given));
    expect(read).toEqual(JSON.parse(JSON.stringify(given)));
  }
});

test('half a surrogate pair survives', async () => {
  expect(await fromFragment(await toFragment(reply))).toEqual(reply);
});

test('a fragment about something else is none', async () => {
  expect(await fromFragment('main')).toBeUndefined();
  expect(await fromFragment('')).toBeUndefined();
});

test.each([
  ['cut', (await toFragment(reply)).slice(0, 20), 'damaged'],
  ['with other characters', 'reply=a%20b', 'damaged'],
  ['no JSON', pack('{'), 'damaged'],
  ['not a reply', pack({ deltas: 'text' }), 'holds no reply: deltas'],
  ['with an unknown field', pack({ ...reply, more: 1 }), 'holds no reply'],
  ['with a wrong option', pack({ ...reply, options: { toolChoice: 'any' } }), 'options.toolChoice'],
  ['too long', `reply=${'A'.repeat(400_001)}`, 'too long'],
  ['for gigabytes', pack('x'.repeat(3_000_000)), 'too much text'],
  [
    'nested too deeply',
    pack(
      JSON.stringify({ ...reply, deltas: [{ channel: 'tool_calls', piece: { a: null } }] }).replace(
        'null',
        '['.repeat(100_000) + ']'.repeat(100_000),
      ),
    ),
    'nested too deeply',
  ],
  [
    'with too much text',
    pack({ ...reply, deltas: Array(3).fill({ channel: 'content', text: 'x'.repeat(MOST_TEXT / 2) }) }),
    `at most ${MOST_TEXT}`,
  ],
])('a link that is %s is refused', async (_, fragment, message) => {
  const refusal = fromFragment(fragment);
  await expect(refusal).rejects.toThrow(LinkError);
  await expect(refusal).rejects.toThrow(message);
});

test('what no link can hold is refused when it is made', async () => {
  const text = 'x'.repeat(2_000_001);
  await expect(toFragment({ ...reply, deltas: [{ channel: 'content', text }] })).rejects.toThrow('too long');
});
