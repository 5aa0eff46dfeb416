import { startEngine } from '@kimi-tc/testing';
import OpenAI from 'openai';
import { expect, onTestFinished, test } from 'vitest';
import { type ChatChunk, collectTurn, createKimiFetch } from './index.ts';

test('puts a stream of the SDK together', async () => {
  const text =
    '<think>Where?</think>Looking.<|tool_calls_section_begin|>' +
    '<|tool_call_begin|>look:7<|tool_call_argument_begin|>{"at":"home"}<|tool_call_end|>' +
    '<|tool_call_begin|>functions.go:8<|tool_call_argument_begin|>{"to":"wo';
  const engine = await startEngine({ script: [text], behaviour: 'raw-content' });
  onTestFinished(() => engine.stop());
  const client = new OpenAI({ baseURL: engine.baseURL, apiKey: 'none', fetch: createKimiFetch() });
  const stream = await client.chat.completions.create({
    model: 'kimi-k2-thinking',
    messages: [{ role: 'user', content: 'Where is it?' }],
    stream: true,
  });
  expect(await collectTurn(stream)).toEqual({
    reasoning: 'Where?',
    content: 'Looking.',
    toolCalls: [
      { index: 0, id: 'functions.look:7', name: 'look', arguments: '{"at":"home"}', rawId: 'look:7' },
    ],
    incompleteToolCalls: [
      { id: 'functions.go:8', name: 'go', arguments: '{"to":"wo', reason: 'truncated-call' },
    ],
    finishReason: { unified: 'tool-calls', raw: 'stop' },
    problems: [
      expect.objectContaining({ code: 'id-rewritten', index: 0 }),
      expect.objectContaining({ code: 'truncated-call', index: 1 }),
    ],
  });
});

async function* give(...chunks: object[]): AsyncGenerator<ChatChunk> {
  for (const chunk of chunks) yield chunk as ChatChunk;
}

test('takes the first choice only', async () => {
  const turn = await collectTurn(
    give(
      { choices: [{ index: 1, delta: { content: 'no' } }] },
      { choices: [{ index: 0, delta: { content: 'yes' }, finish_reason: 'length' }] },
      { choices: [], usage: {} },
    ),
  );
  expect(turn).toMatchObject({ content: 'yes', finishReason: { unified: 'length', raw: 'length' } });
});

test('a server that gave no finish reason, or a word of its own', async () => {
  const end = (finish_reason: string, x_kimi?: object) =>
    give({ choices: [{ index: 0, delta: {}, finish_reason, ...(x_kimi && { x_kimi }) }] });
  expect((await collectTurn(end('stop', { finish_reason: null }))).finishReason).toEqual({
    unified: 'stop',
    raw: undefined,
  });
  expect(
    await collectTurn(end('stop', { incomplete_tool_calls: {}, tool_calls: 'none', problems: [null] })),
  ).toMatchObject({ incompleteToolCalls: [], toolCalls: [], problems: [] });
  expect((await collectTurn(end('eos'))).finishReason).toEqual({ unified: 'other', raw: 'eos' });
  expect((await collectTurn(give())).finishReason).toEqual({ unified: 'other', raw: undefined });
});
