import type OpenAI from 'openai';
import type { Stream } from 'openai/streaming';
import type OpenAILowest from 'openai-lowest';
import type { Stream as StreamLowest } from 'openai-lowest/streaming';
import { expect, expectTypeOf, test } from 'vitest';
import {
  type ChatChunk,
  collectTurn,
  completionStreamToChat,
  KimiError,
  transformKimiCompletion,
  transformKimiStream,
} from './index.ts';

type Stream7 = Stream<OpenAI.ChatCompletionChunk>;
type Stream6 = StreamLowest<OpenAILowest.ChatCompletionChunk>;

const chunk = (delta: object, finish_reason: string | null = null): ChatChunk => ({
  choices: [{ index: 0, delta, finish_reason }],
});

/** A source whose chunks come when they are pushed. */
function createSource() {
  const waiting: ((result: IteratorResult<ChatChunk>) => void)[] = [];
  const seen = { returned: false };
  const source: AsyncIterable<ChatChunk> = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise((resolve) => waiting.push(resolve)),
      return: async () => {
        seen.returned = true;
        return { value: undefined, done: true };
      },
    }),
  };
  return {
    source,
    seen,
    async push(value: ChatChunk) {
      while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      waiting.shift()?.({ value, done: false });
    },
  };
}

test('leaving does not wait for a chunk that may never come', async () => {
  const { source, seen } = createSource();
  const iterator = transformKimiStream(source)[Symbol.asyncIterator]();
  void iterator.next();
  expect(await iterator.return?.()).toEqual({ value: undefined, done: true });
  expect(seen.returned).toBe(true);
});

test('a chunk that comes after leaving is not handed out', async () => {
  const { source, push } = createSource();
  const iterator = transformKimiStream(source)[Symbol.asyncIterator]();
  const pending = iterator.next();
  await new Promise((resolve) => setTimeout(resolve, 1));
  await iterator.return?.();
  await push(chunk({ role: 'assistant', content: 'late' }));
  expect(await pending).toEqual({ value: undefined, done: true });
});

test('chunks asked for at once come in their order', async () => {
  const { source, push } = createSource();
  const iterator = transformKimiStream(source)[Symbol.asyncIterator]();
  const asked = [iterator.next(), iterator.next(), iterator.next()];
  // The second chunk gives nothing of its own, so that the second answer needs the third.
  for (const content of ['a', '<', 'b>']) await push(chunk({ role: 'assistant', content }));
  const contents = (await Promise.all(asked)).map(({ value }) => value.choices[0].delta.content);
  expect(contents).toEqual(['a', '<', 'b>']);
});

test('what the source throws is thrown behind what was held, and nothing comes behind it', async () => {
  async function* source(): AsyncGenerator<ChatChunk> {
    yield chunk({ role: 'assistant', content: 'a' });
    yield chunk({ content: ' <' });
    throw new Error('lost');
  }
  const iterator = transformKimiStream(source())[Symbol.asyncIterator]();
  await iterator.next();
  expect((await iterator.next()).value).toMatchObject(chunk({ content: ' <' }));
  const problems = [{ code: 'stream-ended-early' }];
  expect((await iterator.next()).value.choices).toMatchObject([{ delta: {}, x_kimi: { problems } }]);
  await expect(iterator.next()).rejects.toThrow('lost');
  expect(await iterator.next()).toEqual({ value: undefined, done: true });
});

test('what onProblem throws is thrown', async () => {
  async function* source(): AsyncGenerator<ChatChunk> {
    yield chunk({ role: 'assistant', content: '<|tool_call_end|>' });
  }
  const onProblem = () => {
    throw new Error('mine');
  };
  const iterator = transformKimiStream(source(), { onProblem })[Symbol.asyncIterator]();
  await expect(iterator.next()).rejects.toThrow('mine');
});

test('ids that are taken are replaced', async () => {
  const entry = { index: 0, id: 'call_7', type: 'function', function: { name: 'f', arguments: '{}' } };
  async function* source(): AsyncGenerator<ChatChunk> {
    yield chunk({ role: 'assistant', tool_calls: [entry] });
    yield chunk({}, 'tool_calls');
  }
  const chunks: ChatChunk[] = [];
  const takenToolCallIds = ['call_7', 'functions.f:0'];
  for await (const one of transformKimiStream(source(), { takenToolCallIds })) chunks.push(one);
  expect(chunks[0]?.choices[0]?.delta).toMatchObject({ tool_calls: [{ id: 'functions.f:1' }] });
});

test.each<[string, object]>([
  ['options', []],
  ['onProblem', { onProblem: 'log' }],
  ['takenToolCallIds', { takenToolCallIds: 'call_1' }],
  ['recoverTextCalls', { recoverTextCalls: 'always' }],
  ['tools[0].function.name', { tools: [{ type: 'function', function: { name: '' } }] }],
])('a wrong %s is told at once', (option, options) => {
  async function* source(): AsyncGenerator<ChatChunk> {}
  const call = () => transformKimiStream(source(), options);
  expect(call).toThrow(KimiError);
  expect(call).toThrow(expect.objectContaining({ option }));
});

test('what is no stream is told: an answer that was not awaited, for one', async () => {
  const told = expect.objectContaining({ name: 'KimiError', option: 'stream' });
  for (const stream of [Promise.resolve(), {}, null, 'data: {}'] as unknown as AsyncIterable<never>[]) {
    expect(() => transformKimiStream(stream)).toThrow(told);
    expect(() => completionStreamToChat(stream)).toThrow(told);
    await expect(collectTurn(stream)).rejects.toThrow(told);
  }
  const none = expect.objectContaining({ name: 'KimiError', option: 'completion' });
  expect(() => transformKimiCompletion(null as never)).toThrow(none);
});

test('streams keep their type', () => {
  function check(stream7: Stream7, stream6: Stream6, plain: AsyncGenerator<ChatChunk & { extra: 1 }>): void {
    expectTypeOf(transformKimiStream(stream7)).toEqualTypeOf<Stream7>();
    expectTypeOf(transformKimiStream(stream6)).toEqualTypeOf<Stream6>();
    expectTypeOf(transformKimiStream(plain)).toEqualTypeOf<AsyncIterable<ChatChunk & { extra: 1 }>>();
  }
  expect(check).toBeTypeOf('function');
});
