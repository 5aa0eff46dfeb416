import { checkCase, loadCases } from '@kimi-tc/testing';
import { expect, test } from 'vitest';
import { fromCase } from './from-case.ts';
import type { Reply } from './reply.ts';
import { toCase } from './to-case.ts';
import { traceReply } from './trace-reply.ts';

test('every case of text becomes a case again, with the same input and expectation', () => {
  for (const of of loadCases({ kinds: ['deltas'] })) {
    const reply = fromCase(of) as Reply;
    const copied = JSON.parse(JSON.stringify(toCase(reply, traceReply(reply).turn)));
    const { input, expected, options = {} } = checkCase(copied, `${of.id}.json`);
    expect(input).toEqual(of.input);
    expect(options).toEqual(of.options ?? {});
    expect(copied.tools ?? []).toEqual(of.tools ?? []);
    if (of.family === 'k3') continue; // another markup, which is text to this parser
    expect(expected.content).toBe(of.expected.content);
    expect(expected.reasoning).toBe(of.expected.reasoning);
    expect(expected.finishReason).toBe(of.expected.finishReason);
    expect(expected.toolCalls?.length).toBe(of.expected.toolCalls?.length);
  }
});

const reply: Reply = {
  deltas: [{ channel: 'content', text: 'x' }],
  finishReason: 'stop',
  tools: [],
  options: {},
};

test.each<[string, Partial<Reply>]>([
  ['limits', { options: { limits: { maxToolCalls: 1 } } }],
  ["recoverTextCalls 'off'", { options: { recoverTextCalls: 'off' } }],
  ['tool_calls', { deltas: [{ channel: 'tool_calls', piece: { index: 0 } }] }],
])('what a case cannot say is refused by name: %s', (name, change) => {
  const changed = { ...reply, ...change };
  expect(() => toCase(changed, traceReply(changed).turn)).toThrow(name);
});
