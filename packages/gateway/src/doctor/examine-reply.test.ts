import { resolveModel } from '@kimi-tc/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../json.ts';
import type { Reply } from './endpoint.ts';
import { examineReply } from './examine-reply.ts';
import { faults } from './faults.ts';
import { probes } from './probes/all.ts';
import { readChunks, readCompletion } from './read-chat.ts';
import { readWire } from './read-wire.ts';

const context = { profile: resolveModel('kimi-k2.5'), slowMs: 10_000 };

function toReply(more: Partial<Reply>): Reply {
  return {
    request: { stream: true },
    status: 200,
    chat: undefined,
    wire: undefined,
    failure: undefined,
    mended: [],
    broken: false,
    headersMs: 1,
    firstByteMs: 2,
    totalMs: 3,
    ...more,
  };
}

/** The words that mean something somewhere in a reply, and values of the wrong kind in their place. */
const text = fc.constantFrom(
  '',
  ' ',
  'Hi.',
  '{"city":"Paris"}',
  '"{}"',
  '{"a',
  '<think>',
  '</think>',
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>',
  '<|tool_call_end|>',
  'functions.get_weather:0',
  'call_1',
  'get_weather',
  'stop',
  'length',
  'tool_calls',
);
const odd = fc.oneof(text, fc.constantFrom(null, 0, 1, -1, true, [], {}, [null], ['a']));
const entry = fc.record(
  {
    index: odd,
    id: odd,
    type: odd,
    function: fc.oneof(odd, fc.record({ name: odd, arguments: odd }, { requiredKeys: [] })),
  },
  { requiredKeys: [] },
);
const fields = fc.record(
  {
    role: odd,
    content: odd,
    reasoning_content: odd,
    reasoning: odd,
    tool_calls: fc.oneof(odd, fc.array(fc.oneof(odd, entry), { maxLength: 3 })),
  },
  { requiredKeys: [] },
);
const choice = fc.record(
  {
    index: odd,
    delta: fc.oneof(odd, fields),
    message: fc.oneof(odd, fields),
    finish_reason: odd,
    usage: odd,
  },
  { requiredKeys: [] },
);
const chunk = fc.record(
  { choices: fc.oneof(odd, fc.array(fc.oneof(odd, choice), { maxLength: 2 })), usage: odd, error: odd },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;

test('tells something known of whatever a server sends', () => {
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 6 }), fc.boolean(), (chunks, broken) => {
      const wire = readWire(chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''));
      const replies = [
        toReply({ wire, chat: readChunks(chunks), broken }),
        toReply({ request: {}, chat: readCompletion(chunks[0] ?? {}) }),
      ];
      const findings = [
        ...replies.flatMap((reply) => examineReply(reply, context)),
        ...probes.flatMap((probe) => probe.judge(replies, context).findings),
      ];
      for (const { code } of findings) expect(faults).toHaveProperty(code);
    }),
    { numRuns: 300 },
  );
});

test('reads events as the standard has them, however they are spelt', () => {
  fc.assert(
    fc.property(fc.string(), (garbage) => {
      expect(() => readWire(garbage)).not.toThrow();
    }),
  );
  expect(
    readWire(
      '\ufeff: hi\r\ndata:{"a":1}\r\nid: 7\r\n\r\ndata: {"b":\ndata: 2}\n\ndata: no\n\ndata: [DONE]\n\n',
    ),
  ).toEqual({
    chunks: [{ a: 1 }, { b: 2 }],
    strange: ['no'],
    done: true,
    byteOrderMark: true,
    carriageReturns: true,
    comments: true,
    tight: true,
    otherFields: ['id'],
  });
});
