import { startEngine } from '@kimi-tc/testing';
import { expect, it } from 'vitest';
import type { PlainReply } from '../agent/chat-message.ts';
import { readPlainReply } from './read-plain-reply.ts';

const text =
  '<think>Why?</think>Look.<|tool_calls_section_begin|><|tool_call_begin|>functions.read_notes:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>';

async function read(
  behaviour: 'raw-content' | 'healthy' | 'server-error',
): Promise<Omit<PlainReply, 'step'>> {
  const engine = await startEngine({ script: [text], behaviour });
  try {
    const answer = await fetch(`${engine.baseURL}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'kimi-k2-thinking',
        stream: true,
        messages: [{ role: 'user', content: 'Hello' }],
      }),
    });
    let last: Omit<PlainReply, 'step'> = { blocks: [] };
    await readPlainReply(answer, undefined, (reply) => {
      last = reply;
    });
    return last;
  } finally {
    await engine.stop();
  }
}

it('shows what a provider makes of raw tokens', async () => {
  expect(await read('raw-content')).toEqual({ blocks: [{ kind: 'text', text }], finishReason: 'stop' });
});

it('shows that a healthy server needs no help', async () => {
  expect(await read('healthy')).toEqual({
    blocks: [
      { kind: 'reasoning', text: 'Why?' },
      { kind: 'text', text: 'Look.' },
      { kind: 'call', name: 'read_notes', text: '{}' },
    ],
    finishReason: 'tool-calls',
  });
});

it('shows failures', async () => {
  expect(await read('server-error')).toMatchObject({ blocks: [{ kind: 'error' }], finishReason: 'error' });
  const seen: unknown[] = [];
  await readPlainReply(Promise.reject(new TypeError('fetch failed')), undefined, (reply) => seen.push(reply));
  expect(seen.at(-1)).toMatchObject({ blocks: [{ kind: 'error' }], finishReason: 'error' });
});

it('keeps a key back that the server repeats', async () => {
  const error = { message: 'Incorrect API key provided: sk-1.', type: 'invalid_request_error' };
  const seen: unknown[] = [];
  await readPlainReply(Response.json({ error }, { status: 401 }), 'sk-1', (reply) => seen.push(reply));
  expect(seen.at(-1)).toMatchObject({
    blocks: [{ kind: 'error', text: 'Incorrect API key provided: [key].' }],
  });
});
