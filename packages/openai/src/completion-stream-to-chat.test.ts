import { startEngine } from '@kimi-tc/testing';
import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { collectTurn, completionStreamToChat, type KimiChunk, KimiError, type TextChunk } from './index.ts';

const call =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.look:0<|tool_call_argument_begin|>{"at":"home"}' +
  '<|tool_call_end|><|tool_calls_section_end|>';

async function complete(text: string, params: object = {}) {
  const engine = await startEngine({ script: [text] });
  onTestFinished(() => engine.stop());
  const client = new OpenAI({ baseURL: engine.baseURL, apiKey: 'none' });
  return client.completions.create({ model: 'm', prompt: '<|im_user|>…', ...params, stream: true });
}

async function collect(stream: AsyncIterable<KimiChunk>): Promise<KimiChunk[]> {
  const chunks: KimiChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

test('text becomes the chunks of a chat', async () => {
  const stream = completionStreamToChat(await complete(`Where?</think>Looking.${call}`), {
    model: 'kimi-k2.5',
  });
  const chunks = await collect(stream);
  expect(chunks[0]?.choices[0]?.delta).toMatchObject({ role: 'assistant' });
  for (const chunk of chunks) {
    expect(chunk).toMatchObject({ id: chunks[0]?.id, object: 'chat.completion.chunk', model: 'm' });
    expect(chunk.choices[0]).not.toHaveProperty('text');
  }
  async function* again() {
    yield* chunks;
  }
  expect(await collectTurn(again())).toMatchObject({
    reasoning: 'Where?',
    content: 'Looking.',
    toolCalls: [{ id: 'functions.look:0', name: 'look', arguments: '{"at":"home"}' }],
    finishReason: { unified: 'tool-calls' },
    problems: [],
  });
});

describe('whether the prompt has opened the thought', () => {
  test.each<[string, object, string, string]>([
    ['follows the model', { model: 'kimi-k2.6' }, 'a', 'b'],
    ['is no for models that open it themselves', { model: 'kimi-k2-thinking' }, '', 'ab'],
    ['is no for unknown models', {}, '', 'ab'],
    ['can be said', { model: 'kimi-k2.6', promptOpensThink: false }, '', 'ab'],
    ['is not said by undefined', { model: 'kimi-k2.6', promptOpensThink: undefined }, 'a', 'b'],
  ])('%s', async (_, options, reasoning, content) => {
    const turn = await collectTurn(completionStreamToChat(await complete('a</think>b'), options));
    expect(turn).toMatchObject({ reasoning, content });
  });
});

test('a stream of the SDK stays one', async () => {
  const source = await complete('Hi.');
  const stream = completionStreamToChat(source);
  expect(stream.constructor).toBe(source.constructor);
});

test('usage and several choices', async () => {
  const source = await complete(`Hm.${call}`, { n: 2, stream_options: { include_usage: true } });
  const chunks = await collect(completionStreamToChat(source));
  for (const index of [0, 1]) {
    const own = chunks.flatMap(({ choices }) => choices).filter((choice) => choice.index === index);
    expect(own.map(({ finish_reason }) => finish_reason).filter(Boolean)).toEqual(['tool_calls']);
  }
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
});

test('an error in the stream passes', async () => {
  async function* source() {
    yield { error: { message: 'no' } } as unknown as TextChunk;
  }
  expect(await collect(completionStreamToChat(source()))).toEqual([{ error: { message: 'no' } }]);
});

test('a wrong option is told at once', () => {
  async function* source(): AsyncGenerator<TextChunk> {}
  expect(() => completionStreamToChat(source(), { guidedJson: 1 as unknown as boolean })).toThrow(KimiError);
});
