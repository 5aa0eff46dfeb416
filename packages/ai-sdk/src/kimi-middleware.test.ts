import {
  InvalidResponseDataError,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Content,
  type LanguageModelV4Prompt,
  type LanguageModelV4StreamPart,
  type LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { CUT_ARGUMENTS_SEAL, KimiError } from '@kimi-tc/core';
import { wrapLanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, test } from 'vitest';
import { type KimiMiddlewareOptions, kimiMiddleware } from './index.ts';

type Part = LanguageModelV4StreamPart;

const usage: LanguageModelV4Usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: undefined },
  outputTokens: { total: 2, text: 2, reasoning: 0 },
};
const finish: Part = { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage };
const start: Part = { type: 'stream-start', warnings: [] };
const prompt: LanguageModelV4Prompt = [{ role: 'user', content: [{ type: 'text', text: 'Hello.' }] }];
const tools: NonNullable<LanguageModelV4CallOptions['tools']> = ['read', 'save'].map((name) => ({
  type: 'function',
  name,
  inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
}));

const textBlock = (text: string, id = 't'): Part[] => [
  { type: 'text-start', id },
  { type: 'text-delta', id, delta: text },
  { type: 'text-end', id },
];
const section = (...calls: string[]) =>
  `<|tool_calls_section_begin|>${calls.join('')}<|tool_calls_section_end|>`;
const call = (id: string, args: string) =>
  `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${args}<|tool_call_end|>`;

function toStream(parts: readonly Part[], onCancel?: () => void): ReadableStream<Part> {
  const left = parts.values();
  return new ReadableStream<Part>({
    pull(controller) {
      const { value, done } = left.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    ...(onCancel && { cancel: onCancel }),
  });
}

function wrap(
  parts: readonly Part[] | ReadableStream<Part>,
  options?: KimiMiddlewareOptions,
  modelId = 'kimi-k2',
) {
  const inner = new MockLanguageModelV4({
    modelId,
    doStream: async () => ({ stream: parts instanceof ReadableStream ? parts : toStream(parts) }),
  });
  return { inner, model: wrapLanguageModel({ model: inner, middleware: kimiMiddleware(options) }) };
}

async function read(
  parts: readonly Part[] | ReadableStream<Part>,
  options?: KimiMiddlewareOptions,
  callOptions: Partial<LanguageModelV4CallOptions> = {},
): Promise<Part[]> {
  const { model } = wrap(parts, options);
  const { stream } = await model.doStream({ prompt, tools, ...callOptions });
  const all: Part[] = [];
  for await (const part of stream as unknown as AsyncIterable<Part>) all.push(part);
  return all;
}

async function generate(
  content: LanguageModelV4Content[],
  options?: KimiMiddlewareOptions,
  rest: object = {},
) {
  const inner = new MockLanguageModelV4({
    modelId: 'kimi-k2',
    doGenerate: async () => ({
      content,
      finishReason: { unified: 'stop', raw: 'stop' },
      usage,
      warnings: [],
      ...rest,
    }),
  });
  const model = wrapLanguageModel({ model: inner, middleware: kimiMiddleware(options) });
  return model.doGenerate({ prompt, tools });
}

describe('what needs no repair passes', () => {
  test('a healthy reply: the very same parts, in the same order', async () => {
    const meta = { some: { signature: 'abc' } };
    const parts: Part[] = [
      start,
      { type: 'raw', rawValue: { any: 1 } },
      { type: 'response-metadata', id: 'r', modelId: 'm' },
      { type: 'reasoning-start', id: 'r0', providerMetadata: meta },
      { type: 'reasoning-delta', id: 'r0', delta: 'Hm', providerMetadata: meta },
      { type: 'ping' },
      { type: 'reasoning-delta', id: 'r0', delta: ' so.' },
      { type: 'reasoning-end', id: 'r0', providerMetadata: meta },
      { type: 'text-start', id: 't0' },
      { type: 'text-delta', id: 't0', delta: 'Hello' },
      { type: 'source', sourceType: 'url', id: 's', url: 'https://a.example' },
      { type: 'text-delta', id: 't0', delta: ' you.' },
      { type: 'text-end', id: 't0', providerMetadata: meta },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' } },
      { type: 'custom', kind: 'some.thing' },
      finish,
    ];
    // The end of a block waits for what comes next; nothing else moves.
    expect(await read(parts)).toEqual([...parts.slice(0, 12), parts[13], parts[14], parts[12], finish]);
  });

  test('calls that the provider runs itself, and their results', async () => {
    const parts: Part[] = [
      start,
      { type: 'tool-input-start', id: 'x', toolName: 'web', providerExecuted: true },
      { type: 'tool-input-delta', id: 'x', delta: '{}' },
      { type: 'tool-input-end', id: 'x' },
      { type: 'tool-call', toolCallId: 'x', toolName: 'web', input: '{}', providerExecuted: true },
      { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'x' },
      { type: 'tool-result', toolCallId: 'x', toolName: 'web', result: 'ok' },
      ...textBlock('Done.'),
      finish,
    ];
    expect(await read(parts, { emptyTurn: 'error' })).toEqual(parts);
    expect(await read([...parts.slice(0, 7), finish], { emptyTurn: 'error' })).toEqual([
      ...parts.slice(0, 7),
      finish,
    ]);
  });

  test('input that is no JSON', async () => {
    const parts: Part[] = [
      start,
      { type: 'tool-input-start', id: 'x', toolName: 'patch', inputEncoding: 'text' },
      { type: 'tool-input-delta', id: 'x', delta: '+ a' },
      { type: 'tool-input-end', id: 'x' },
      { type: 'tool-call', toolCallId: 'x', toolName: 'patch', input: '"+ a"' },
      finish,
    ];
    expect(await read(parts)).toEqual(parts);
    const called: Part = { ...finish, finishReason: { unified: 'tool-calls', raw: 'tool_calls' } };
    const calls = [...parts.slice(0, -1), called];
    expect(await read(calls)).toEqual(calls);
  });

  test('an empty thought with something to send back is kept, an empty block without is not', async () => {
    const meta = { some: { redacted: 'abc' } };
    const parts: Part[] = [
      start,
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: '', providerMetadata: meta },
      { type: 'reasoning-end', id: 'r' },
      { type: 'reasoning-start', id: 'r2' },
      { type: 'reasoning-end', id: 'r2', providerMetadata: meta },
    ];
    const nothing: Part[] = [
      { type: 'text-start', id: 't' },
      { type: 'text-end', id: 't' },
    ];
    expect(await read([...parts, ...nothing, ...textBlock('Hi.', 'u'), finish])).toEqual([
      ...parts,
      ...textBlock('Hi.', 'u'),
      finish,
    ]);
  });

  test('what a provider says of a call it parsed', async () => {
    const meta = { some: { thought: 'abc' } };
    const parts = await read([
      start,
      { type: 'tool-input-start', id: 'call_1', toolName: 'read', title: 'Read', providerMetadata: meta },
      { type: 'tool-input-delta', id: 'call_1', delta: '{"n":' },
      { type: 'tool-input-delta', id: 'call_1', delta: '1}' },
      { type: 'tool-input-end', id: 'call_1' },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'read', input: '{"n":1}', providerMetadata: meta },
      { type: 'tool-call', toolCallId: 'call_2', toolName: 'save', input: '{"n":2}', dynamic: true },
      { ...finish, finishReason: { unified: 'tool-calls', raw: 'tool_use' } },
    ]);
    const kimi = (toolCallId: string) => ({ kimi: { toolCallId } });
    expect(parts.slice(1)).toEqual([
      {
        type: 'tool-input-start',
        id: 'call_1',
        toolName: 'read',
        title: 'Read',
        providerMetadata: { ...meta, ...kimi('call_1') },
      },
      { type: 'tool-input-delta', id: 'call_1', delta: '{"n":' },
      { type: 'tool-input-delta', id: 'call_1', delta: '1}' },
      { type: 'tool-input-start', id: 'call_2', toolName: 'save', providerMetadata: kimi('call_2') },
      { type: 'tool-input-delta', id: 'call_2', delta: '{"n":2}' },
      { type: 'tool-input-end', id: 'call_1' },
      {
        type: 'tool-call',
        toolCallId: 'call_1',
        toolName: 'read',
        input: '{"n":1}',
        providerMetadata: { ...meta, ...kimi('call_1') },
      },
      { type: 'tool-input-end', id: 'call_2' },
      {
        type: 'tool-call',
        toolCallId: 'call_2',
        toolName: 'save',
        input: '{"n":2}',
        dynamic: true,
        providerMetadata: kimi('call_2'),
      },
      { ...finish, finishReason: { unified: 'tool-calls', raw: 'tool_use' } },
    ]);
  });

  describe('a call is what `tool-call` says, and its pieces of input are a preview', () => {
    const pieces = (...deltas: string[]): Part[] => [
      { type: 'tool-input-start', id: 'c', toolName: 'read' },
      ...deltas.map((delta): Part => ({ type: 'tool-input-delta', id: 'c', delta })),
      { type: 'tool-input-end', id: 'c' },
    ];
    const called: Part = { type: 'tool-call', toolCallId: 'c', toolName: 'read', input: '{"n":1}' };
    const toolCalls: Part = { ...finish, finishReason: { unified: 'tool-calls', raw: 'tool_calls' } };
    const metadata = { kimi: { toolCallId: 'c' } };

    test.each([
      ['other input of the same length', ['{"n":2}'], { input: '{"n":1}' }],
      ['longer input', ['{"n":1}'], { input: '{"n":1,"safe":true}' }],
      ['no input', ['{"n":1}'], { input: '{}' }],
      ['whole input behind pieces that stop early', ['{"n":', '"x'], { input: '{"n":1}' }],
      ['another tool', ['{"n":1}'], { toolName: 'save' }],
    ])('changed behind its pieces: %s', async (_, deltas, changed) => {
      const parts = await read([start, ...pieces(...deltas), { ...called, ...changed }, toolCalls]);
      const calls = parts.filter(({ type }) => type === 'tool-call');
      expect(calls).toEqual([{ ...called, ...changed, providerMetadata: metadata }]);
      expect(parts.at(-1)).toEqual(toolCalls);
    });

    test('changed to what is no JSON, it does not run', async () => {
      const broken = { ...called, input: '{"n"' };
      const [whole, cut] = await Promise.all(
        ['{"n":1}', '{"x":'].map((delta) => read([start, ...pieces(delta), broken, toolCalls])),
      );
      const callOf = (parts?: Part[]) => parts?.filter(({ type }) => type === 'tool-call');
      expect(callOf(whole)).toMatchObject([{ input: '{"n"' }]);
      expect(callOf(cut)).toMatchObject([{ input: `{"n"${CUT_ARGUMENTS_SEAL}` }]);
    });

    test.each([
      ['with input', ['{"n":1}']],
      ['without', []],
    ])('taken out behind its pieces: none is made of them, %s', async (_, deltas) => {
      for (const last of [finish, toolCalls]) {
        const parts = await read([start, ...pieces(...deltas), ...textBlock('Hello.'), last]);
        expect(parts.filter(({ type }) => type === 'tool-call')).toEqual([]);
        expect(parts.filter(({ type }) => type === 'tool-input-end')).toHaveLength(1);
        expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'stop' } });
      }
    });

    test.each([
      ['with input', ['{"n":1}']],
      ['without', []],
    ])(
      'run by the provider, which only `tool-call` tells: it is not for the application, %s',
      async (_, deltas) => {
        const own: Part = { ...called, providerExecuted: true };
        const result: Part = { type: 'tool-result', toolCallId: 'c', toolName: 'read', result: 1 };
        const parts = await read([start, ...pieces(...deltas), own, result, ...textBlock('Done.'), finish]);
        expect(parts.filter(({ type }) => type === 'tool-call' || type === 'tool-result')).toEqual([
          own,
          result,
        ]);
        const types = parts.map(({ type }) => type);
        expect(types.indexOf('tool-input-end')).toBeLessThan(types.indexOf('tool-call'));
        expect(parts.at(-1)).toEqual(finish);
      },
    );
  });

  test('content that is not streamed: the same, in the same order', async () => {
    const meta = { some: { signature: 'abc' } };
    const content: LanguageModelV4Content[] = [
      { type: 'reasoning', text: 'Hm.', providerMetadata: meta },
      { type: 'text', text: 'Hello.', citations: [] },
      { type: 'source', sourceType: 'url', id: 's', url: 'https://a.example' },
      { type: 'text', text: 'Bye.' },
    ];
    const result = await generate(content, {}, { response: { id: 'r' }, request: { body: 'b' } });
    expect(result).toMatchObject({ content, response: { id: 'r' }, request: { body: 'b' } });
    expect(result.content).toEqual(content);
    expect(result).not.toHaveProperty('providerMetadata');
  });
});

describe('calls', () => {
  test('the block is closed before a call, and another is opened behind it', async () => {
    const parts = await read([
      start,
      ...textBlock(`One.${section(call('functions.read:0', '{"n":1}'))}Two.`),
      finish,
    ]);
    expect(parts.map(({ type }) => type)).toEqual([
      'stream-start',
      'text-start',
      'text-delta',
      'text-end',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-end',
      'tool-call',
      'text-start',
      'text-delta',
      'text-end',
      'finish',
    ]);
    expect(parts.at(-1)).toEqual({ ...finish, finishReason: { unified: 'tool-calls', raw: 'stop' } });
  });

  test('no block is open while a part of a call passes, also where text comes in the middle of its input', async () => {
    const parts = await read([
      start,
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'One.' },
      { type: 'tool-input-start', id: 'call_1', toolName: 'read' },
      { type: 'tool-input-delta', id: 'call_1', delta: '{"n":' },
      { type: 'text-delta', id: 't', delta: 'Two.' },
      { type: 'tool-input-delta', id: 'call_1', delta: '1}' },
      { type: 'text-delta', id: 't', delta: 'Three.' },
      { type: 'tool-input-end', id: 'call_1' },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'read', input: '{"n":1}' },
      { type: 'text-end', id: 't' },
      finish,
    ]);
    const block = ['text-start', 'text-delta', 'text-end'];
    expect(parts.map(({ type }) => type)).toEqual([
      'stream-start',
      ...block,
      'tool-input-start',
      'tool-input-delta',
      ...block,
      'tool-input-delta',
      ...block,
      'tool-input-end',
      'tool-call',
      'finish',
    ]);
  });

  test.each(['structure first', 'text first'])('a twin counts once: %s', async (order) => {
    const native: Part[] = [
      { type: 'tool-input-start', id: 'call_1', toolName: 'read' },
      { type: 'tool-input-delta', id: 'call_1', delta: '{"n": 1}' },
      { type: 'tool-input-end', id: 'call_1' },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'read', input: '{"n": 1}' },
    ];
    const leaked = textBlock(`Look.${section(call('functions.read:0', '{"n":1}'))}`);
    const parts = await read([
      start,
      ...(order === 'text first' ? [...leaked, ...native] : [...native, ...leaked]),
      finish,
    ]);
    const calls = parts.filter(({ type }) => type === 'tool-call');
    expect(calls).toHaveLength(1);
    expect(JSON.stringify(parts)).not.toContain('<|');
    expect(parts.at(-1)).toMatchObject({
      providerMetadata: { kimi: { problems: [{ code: 'duplicate-call' }] } },
    });
  });

  test('of a whole message the call of the provider wins over its twin, with what it says of it', async () => {
    const meta = { some: { thought: 'abc' } };
    const { content, finishReason } = await generate([
      { type: 'text', text: `Look.${section(call('functions.read:0', '{"n":1}'))}` },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'read', input: '{"n":1}', providerMetadata: meta },
    ]);
    expect(content).toEqual([
      { type: 'text', text: 'Look.' },
      {
        type: 'tool-call',
        toolCallId: 'call_1',
        toolName: 'read',
        input: '{"n":1}',
        providerMetadata: { ...meta, kimi: { toolCallId: 'call_1' } },
      },
    ]);
    expect(finishReason).toEqual({ unified: 'tool-calls', raw: 'stop' });
  });

  test('structured output that differs from the text is read as well', async () => {
    const rest = { structuredOutputText: '<think>Hm.</think>{"a":1}' };
    expect(await generate([{ type: 'text', text: 'x' }], {}, rest)).toMatchObject({
      structuredOutputText: '{"a":1}',
    });
  });

  test('input that stops early is not taken for whole', async () => {
    const parts = await read([
      start,
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'read', input: '{"n":' },
      { ...finish, finishReason: { unified: 'tool-calls', raw: 'tool_calls' } },
    ]);
    expect(parts.find(({ type }) => type === 'tool-call')).toMatchObject({
      input: `{"n":${CUT_ARGUMENTS_SEAL}`,
      providerMetadata: { kimi: { incomplete: 'truncated-call' } },
    });
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'stop', raw: 'tool_calls' } });
  });
});

describe('the end', () => {
  const text = textBlock(section(call('functions.read:0', '{"n":1}')));
  const reason = (parts: Part[]) => {
    const last = parts.at(-1);
    return last?.type === 'finish' ? last.finishReason : undefined;
  };

  test.each([
    ['stop', 'end_turn', 'tool-calls'],
    ['other', 'weird', 'tool-calls'],
    ['other', undefined, 'tool-calls'],
    ['interrupted', undefined, 'tool-calls'],
    ['length', 'max_tokens', 'length'],
    ['content-filter', 'filtered', 'content-filter'],
    ['error', 'boom', 'error'],
  ] as const)('with a call: %s (%s) becomes %s', async (unified, raw, expected) => {
    const end: Part = { type: 'finish', finishReason: { unified, raw }, usage };
    expect(reason(await read([start, ...text, end]))).toEqual({ unified: expected, raw });
  });

  test.each([
    ['interrupted', undefined, 'interrupted'],
    ['other', 'weird', 'other'],
    ['tool-calls', 'tool_use', 'stop'],
    ['error', 'boom', 'error'],
  ] as const)('without one: %s (%s) becomes %s', async (unified, raw, expected) => {
    const end: Part = { type: 'finish', finishReason: { unified, raw }, usage };
    expect(reason(await read([start, ...textBlock('Hi.'), end]))).toEqual({ unified: expected, raw });
  });

  test.each([
    ['stop', 'stop'],
    ['length', 'max_tokens'],
  ] as const)(
    'behind a thought and a call that the provider ran the turn is not empty: %s',
    async (unified, raw) => {
      const parts = await read(
        [
          start,
          { type: 'reasoning-start', id: 'r' },
          { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
          { type: 'reasoning-end', id: 'r' },
          { type: 'tool-call', toolCallId: 'p', toolName: 'search', input: '{}', providerExecuted: true },
          { type: 'tool-result', toolCallId: 'p', toolName: 'search', result: 'found' },
          { type: 'finish', finishReason: { unified, raw }, usage },
        ],
        { emptyTurn: 'error' },
      );
      expect(parts.at(-1)).toEqual({ type: 'finish', finishReason: { unified, raw }, usage });
      expect(parts.filter(({ type }) => type === 'error')).toEqual([]);
    },
  );

  test('one finish, the last part, with the last usage', async () => {
    const parts = await read([
      start,
      ...textBlock('Hi.'),
      { ...finish, usage: { ...usage, raw: { n: 1 } } } as Part,
      { type: 'raw', rawValue: 1 },
      { ...finish, usage: { ...usage, raw: { n: 2 } } } as Part,
    ]);
    expect(parts.filter(({ type }) => type === 'finish')).toEqual([parts.at(-1)]);
    expect(parts.at(-1)).toMatchObject({ usage: { raw: { n: 2 } } });
  });

  test('a stream that ends without one gets one', async () => {
    const parts = await read([start, ...text]);
    expect(reason(parts)).toEqual({ unified: 'tool-calls', raw: undefined });
  });

  test('a missing finish reason that a provider reports as an error is none', async () => {
    const error = new InvalidResponseDataError({ data: undefined, message: 'No finish reason.' });
    const end: Part = { type: 'finish', finishReason: { unified: 'error', raw: undefined }, usage };
    const parts = await read([start, ...text, { type: 'error', error }, end]);
    expect(parts.some(({ type }) => type === 'error')).toBe(false);
    expect(reason(parts)).toEqual({ unified: 'tool-calls', raw: undefined });
    const other = await read([start, { type: 'error', error }, ...text, end]);
    expect(other.filter(({ type }) => type === 'error')).toEqual([{ type: 'error', error }]);
    expect(reason(other)).toMatchObject({ unified: 'error' });
  });

  test('a connection that breaks', async () => {
    const cut = [
      'One.',
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0',
      '<|tool_call_argument_begin|>{"n',
    ];
    const queue = [start, ...cut.map((delta): Part => ({ type: 'text-delta', id: 't', delta }))].values();
    const source = new ReadableStream<Part>({
      pull(controller) {
        const { value, done } = queue.next();
        if (done) controller.error(new Error('reset'));
        else controller.enqueue(value);
      },
    });
    const parts = await read(source);
    expect(parts.map(({ type }) => type)).toEqual([
      'stream-start',
      'text-start',
      'text-delta',
      'text-end',
      'tool-input-start',
      'tool-input-delta',
      'error',
      'tool-input-delta',
      'tool-input-end',
      'tool-call',
      'finish',
    ]);
    expect(reason(parts)).toEqual({ unified: 'error', raw: undefined });
  });

  test('a connection that breaks in front of the first arguments leaves no call that may run', async () => {
    const begun: Part = { type: 'tool-input-start', id: 'c', toolName: 'read' };
    const queue = [start, begun].values();
    const source = new ReadableStream<Part>({
      pull(controller) {
        const { value, done } = queue.next();
        if (done) controller.error(new Error('reset'));
        else controller.enqueue(value);
      },
    });
    const failed: Part = { type: 'finish', finishReason: { unified: 'error', raw: undefined }, usage };
    for (const parts of [await read(source), await read([start, begun, failed])]) {
      const inputs = parts.flatMap((part) => (part.type === 'tool-call' ? [part.input] : []));
      expect(inputs).toEqual([CUT_ARGUMENTS_SEAL]);
      expect(reason(parts)).toEqual({ unified: 'error', raw: undefined });
    }
  });

  test('an abort stays one, and makes no reply', async () => {
    const controller = new AbortController();
    const source = new ReadableStream<Part>({
      pull(to) {
        controller.abort();
        to.error(controller.signal.reason);
      },
    });
    const aborted = read(source, {}, { abortSignal: controller.signal });
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('cancelling reaches the model', async () => {
    let cancelled = false;
    const source = toStream([start, ...textBlock('Hi.'), ...textBlock('Ho.')], () => {
      cancelled = true;
    });
    const { stream } = await wrap(source).model.doStream({ prompt });
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    expect(cancelled).toBe(true);
  });

  test('what a callback throws breaks the reply, and ends the request', async () => {
    let cancelled = false;
    const source = toStream([start, ...textBlock(section(call('read:0', '{}'))), finish], () => {
      cancelled = true;
    });
    const onProblem = () => {
      throw new Error('mine');
    };
    await expect(read(source, { onProblem })).rejects.toThrow('mine');
    expect(cancelled).toBe(true);
  });
});

describe('ids', () => {
  const turn = (toolCallId: string, toolName = 'read'): LanguageModelV4Prompt => [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input: {} }] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value: '1' } }],
    },
  ];
  const idsOf = (sent: LanguageModelV4Prompt | undefined) =>
    sent?.flatMap(({ role, content }) =>
      role === 'assistant' || role === 'tool'
        ? content.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : []))
        : [],
    );

  async function send(given: LanguageModelV4Prompt, options?: KimiMiddlewareOptions, modelId?: string) {
    const { inner, model } = wrap([start, ...textBlock('Hi.'), finish], options, modelId);
    await model.doStream({ prompt: given, tools });
    return inner.doStreamCalls[0]?.prompt;
  }

  test('of the history are those that the model was trained on, and the given prompt is not changed', async () => {
    const given = [...prompt, ...turn('call_a'), ...turn('call_b', 'save'), ...turn('call_a')];
    const before = structuredClone(given);
    expect(idsOf(await send(given))).toEqual([
      'functions.read:0',
      'functions.read:0',
      'functions.save:1',
      'functions.save:1',
      'functions.read:2',
      'functions.read:2',
    ]);
    expect(given).toEqual(before);
  });

  test('that are as they should be leave the prompt as it is', async () => {
    const given = [...prompt, ...turn('functions.read:0')];
    expect(await send(given)).toBe(given);
  });

  test('of calls that the provider ran are its own', async () => {
    const content = [
      { type: 'tool-call', toolCallId: 'srv_1', toolName: 'web', input: {}, providerExecuted: true },
      { type: 'tool-result', toolCallId: 'srv_1', toolName: 'web', output: { type: 'text', value: '1' } },
    ] as const;
    const given: LanguageModelV4Prompt = [
      ...prompt,
      { role: 'assistant', content: [...content] },
      ...turn('call_a'),
    ];
    expect(idsOf(await send(given))).toEqual(['srv_1', 'srv_1', 'functions.read:0', 'functions.read:0']);
  });

  test('of other models are left alone, unless the model is told', async () => {
    const given = [...prompt, ...turn('call_a')];
    expect(await send(given, {}, 'some-model')).toBe(given);
    expect(await send(given, { canonicalIds: false })).toBe(given);
    const input = `{"n":${CUT_ARGUMENTS_SEAL}`;
    const cut: LanguageModelV4Prompt[0] = {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'call_a', toolName: 'read', input }],
    };
    const sent = await send([cut], { canonicalIds: false });
    expect(sent).toMatchObject([{ content: [{ toolCallId: 'call_a', input: {} }] }]);
    expect(idsOf(await send(given, { model: 'kimi-k2' }, 'some-model'))).toEqual([
      'functions.read:0',
      'functions.read:0',
    ]);
  });

  test('of new calls are those of no other call that the application knows', async () => {
    const parts = [
      start,
      ...textBlock(section(call('functions.read:0', '{}'), call('functions.read:1', '{}'))),
      finish,
    ];
    const history = [...prompt, ...turn('functions.read:1')];
    const calls = (await read(parts, {}, { prompt: history })).filter(({ type }) => type === 'tool-call');
    expect(calls).toMatchObject([
      { toolCallId: 'functions.read:0', providerMetadata: { kimi: { toolCallId: 'functions.read:0' } } },
      { toolCallId: 'functions.read:2', providerMetadata: { kimi: { toolCallId: 'functions.read:1' } } },
    ]);
  });
});

test.each([
  ['options', null],
  ['options', []],
  ['emptyTurn', { emptyTurn: 'throw' }],
  ['onProblem', { onProblem: 'log' }],
  ['canonicalIds', { canonicalIds: 'yes' }],
  ['model', { model: 3 }],
  ['recoverTextCalls', { recoverTextCalls: 'all' }],
])('a wrong option is named: %s', (option, options) => {
  const create = () => kimiMiddleware(options as KimiMiddlewareOptions);
  expect(create).toThrow(KimiError);
  expect(create).toThrow(expect.objectContaining({ option }));
});
