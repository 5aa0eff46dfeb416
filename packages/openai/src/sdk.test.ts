import { type BehaviourName, type EngineOptions, type EngineRequest, startEngine } from '@kimi-tc/testing';
import OpenAI from 'openai';
import { zodFunction } from 'openai/helpers/zod';
import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream';
import OpenAILowest from 'openai-lowest';
import { zodFunction as zodFunctionLowest } from 'openai-lowest/helpers/zod';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createKimiFetch, type KimiChunk, transformKimiStream } from './index.ts';

// The types of 6 and 7 differ where this package does not look.
const sdks = [
  { name: 'openai 7', Client: OpenAI, zodFunction },
  {
    name: 'openai 6.0',
    Client: OpenAILowest as unknown as typeof OpenAI,
    zodFunction: zodFunctionLowest as unknown as typeof zodFunction,
  },
];

const section = (...calls: string[]) =>
  `<|tool_calls_section_begin|>${calls.join('')}<|tool_calls_section_end|>`;
const call = (id: string, args: string) =>
  `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${args}<|tool_call_end|>`;

const turnWithCalls =
  '<think>Two files.</think>Reading.' +
  section(call('functions.read:0', '{"path":"a.md"}'), call('functions.read:1', '{"path":"b.md"}'));

const tools = [
  {
    type: 'function' as const,
    function: {
      name: 'read',
      parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  },
];
const ask = {
  model: 'kimi-k2-thinking',
  messages: [{ role: 'user' as const, content: 'Compare a and b.' }],
  tools,
};

const expectedCalls = [
  { id: 'functions.read:0', type: 'function', function: { name: 'read', arguments: '{"path":"a.md"}' } },
  { id: 'functions.read:1', type: 'function', function: { name: 'read', arguments: '{"path":"b.md"}' } },
];

async function start(options: Partial<EngineOptions> = {}) {
  const engine = await startEngine({ script: [turnWithCalls], behaviour: 'raw-content', ...options });
  onTestFinished(() => engine.stop());
  return engine;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** What a chunk says, put together by the plainest client there is. */
function join(chunks: readonly object[], choice = 0) {
  const calls: { id?: string; name?: string; arguments: string }[] = [];
  let content = '';
  let reasoning = '';
  let finish: string | null = null;
  for (const chunk of chunks as KimiChunk[]) {
    for (const { index, delta, finish_reason } of chunk.choices) {
      if (index !== choice) continue;
      content += delta.content ?? '';
      reasoning += delta.reasoning_content ?? '';
      finish = finish_reason ?? finish;
      for (const entry of delta.tool_calls ?? []) {
        calls[entry.index] ??= { arguments: '' };
        const own = calls[entry.index] as (typeof calls)[0];
        if (entry.id) own.id = entry.id;
        if (entry.function?.name) own.name = entry.function.name;
        own.arguments += entry.function?.arguments ?? '';
      }
    }
  }
  return { content, reasoning, calls, finish };
}

const joinedTurn = {
  content: 'Reading.',
  reasoning: 'Two files.',
  calls: [
    { id: 'functions.read:0', name: 'read', arguments: '{"path":"a.md"}' },
    { id: 'functions.read:1', name: 'read', arguments: '{"path":"b.md"}' },
  ],
  finish: 'tool_calls',
};

describe.each(sdks)('$name through createKimiFetch', ({ Client, zodFunction: zodTool }) => {
  function connect(baseURL: string, options: ConstructorParameters<typeof OpenAI>[0] = {}): OpenAI {
    return new Client({ baseURL, apiKey: 'none', maxRetries: 0, fetch: createKimiFetch(), ...options });
  }

  test('create, not streamed', async () => {
    const engine = await start();
    const { choices, usage } = await connect(engine.baseURL).chat.completions.create(ask);
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'Reading.', reasoning_content: 'Two files.', tool_calls: expectedCalls },
    });
    expect(usage?.total_tokens).toBeGreaterThan(0);
  });

  test('create, streamed', async () => {
    const engine = await start();
    const stream = await connect(engine.baseURL).chat.completions.create({ ...ask, stream: true });
    expect(join(await collect(stream))).toEqual(joinedTurn);
  });

  test('stream: its events and its final message', async () => {
    const engine = await start();
    const runner = connect(engine.baseURL).chat.completions.stream({
      ...ask,
      stream_options: { include_usage: true },
    });
    const events: string[] = [];
    let shown = '';
    runner.on('chunk', () => events.push('chunk'));
    runner.on('content.delta', ({ delta }) => {
      shown += delta;
    });
    runner.on('content.done', ({ content }) => events.push(`content.done ${content}`));
    runner.on('tool_calls.function.arguments.delta', ({ index, arguments: args }) =>
      events.push(`delta ${index} ${args}`),
    );
    runner.on('tool_calls.function.arguments.done', ({ index, arguments: args }) =>
      events.push(`done ${index} ${args}`),
    );
    runner.on('message', () => events.push('message'));
    runner.on('end', () => events.push('end'));
    const message = await runner.finalMessage();
    expect(message).toMatchObject({ role: 'assistant', content: 'Reading.', tool_calls: expectedCalls });
    expect(shown).toBe('Reading.');
    expect(events).toContain('content.done Reading.');
    expect(events).toContain('delta 1 {"path":"b.md"}');
    expect(events).toContain('done 0 {"path":"a.md"}');
    expect(events).toContain('done 1 {"path":"b.md"}');
    expect(events).toContain('message');
    await runner.done();
    expect(events.at(-1)).toBe('end');
    expect((await runner.finalFunctionToolCall())?.arguments).toBe('{"path":"b.md"}');
    expect((await runner.totalUsage()).total_tokens).toBeGreaterThan(0);
  });

  test.each([true, false])('runTools over several steps (stream: %s)', async (stream) => {
    const engine = await start({
      script: [turnWithCalls, section(call('read:0', '{"path":"c"}')), 'Alike.'],
    });
    const paths: string[] = [];
    const params = {
      model: ask.model,
      messages: ask.messages,
      tools: [
        {
          type: 'function' as const,
          function: {
            name: 'read',
            description: 'Reads a file.',
            parameters: { type: 'object' as const, properties: { path: { type: 'string' as const } } },
            parse: JSON.parse as (text: string) => { path: string },
            function: ({ path }: { path: string }) => {
              paths.push(path);
              return `text of ${path}`;
            },
          },
        },
      ],
    };
    const { completions } = connect(engine.baseURL).chat;
    const runner = stream
      ? completions.runTools({ ...params, stream: true })
      : completions.runTools({ ...params, stream: false });
    expect(await runner.finalContent()).toBe('Alike.');
    expect(paths).toEqual(['a.md', 'b.md', 'c']);
    expect(engine.requests.map(({ status }) => status)).toEqual([200, 200, 200]);
    const ids = messagesOf(engine.requests[2]).flatMap(({ tool_calls: calls = [] }) =>
      calls.map(({ id }) => id),
    );
    // The model began to count anew; the client has each id once.
    expect(ids).toEqual(['functions.read:0', 'functions.read:1', 'functions.read:2']);
  });

  test('parse with a zod schema', async () => {
    const engine = await start();
    const tool = zodTool({ name: 'read', parameters: z.object({ path: z.string() }) });
    const { choices } = await connect(engine.baseURL).chat.completions.parse({ ...ask, tools: [tool] });
    const calls = choices[0]?.message.tool_calls ?? [];
    const parsed = calls.map((one) => one.type === 'function' && one.function.parsed_arguments);
    expect(parsed).toEqual([{ path: 'a.md' }, { path: 'b.md' }]);
  });

  test('tee', async () => {
    const engine = await start();
    const stream = await connect(engine.baseURL).chat.completions.create({ ...ask, stream: true });
    const [left, right] = stream.tee();
    const [some, others] = await Promise.all([collect(left), collect(right)]);
    expect(join(some)).toEqual(joinedTurn);
    expect(others).toEqual(some);
  });

  test('toReadableStream, and back', async () => {
    const engine = await start();
    const stream = await connect(engine.baseURL).chat.completions.create({ ...ask, stream: true });
    const runner = ChatCompletionStream.fromReadableStream(stream.toReadableStream());
    expect((await runner.finalMessage()).tool_calls).toMatchObject(expectedCalls);
  });

  test('asResponse: headers without what was true of other bytes only', async () => {
    const engine = await start();
    const response = await connect(engine.baseURL).chat.completions.create(ask).asResponse();
    expect(response.status).toBe(200);
    expect(response.url).toBe(`${engine.baseURL}/chat/completions`);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(response.headers.get('content-length')).toBeNull();
    expect(await response.json()).toMatchObject({ choices: [{ message: { tool_calls: expectedCalls } }] });
  });

  test('breaking out of the loop aborts the request', async () => {
    const engine = await start({ delayMs: 20 });
    const stream = await connect(engine.baseURL).chat.completions.create({ ...ask, stream: true });
    for await (const chunk of stream) if (join([chunk]).content !== '') break;
    await until(() => engine.requests[0]?.aborted === true);
    expect(engine.requests[0]?.finished).toBe(false);
  });

  test('an abort signal aborts the request and ends the loop', async () => {
    const engine = await start({ delayMs: 20 });
    const controller = new AbortController();
    const stream = await connect(engine.baseURL).chat.completions.create(
      { ...ask, stream: true },
      { signal: controller.signal },
    );
    const chunks: object[] = [];
    for await (const chunk of stream) {
      chunks.push(chunk);
      controller.abort();
    }
    await until(() => engine.requests[0]?.aborted === true);
    // Nothing is made up behind what came.
    expect(join(chunks).finish).toBeNull();
  });

  test('an abort before the answer rejects', async () => {
    const engine = await start({ behaviour: ['raw-content', 'slow-first-byte'], slowMs: 5_000 });
    const controller = new AbortController();
    const asked = connect(engine.baseURL).chat.completions.create(ask, { signal: controller.signal });
    await until(() => engine.requests.length === 1);
    controller.abort();
    await expect(asked).rejects.toThrow('aborted');
  });

  test('a timeout is that of the SDK', async () => {
    const engine = await start({ behaviour: ['raw-content', 'slow-first-byte'], slowMs: 5_000 });
    const asked = connect(engine.baseURL, { timeout: 100 }).chat.completions.create({ ...ask, stream: true });
    await expect(asked).rejects.toThrow('Request timed out');
  });

  test.each<BehaviourName>(['rate-limited-once', 'server-error-once', 'connection-reset-once'])(
    'the SDK retries after %s',
    async (behaviour) => {
      const engine = await start({ behaviour: ['raw-content', behaviour] });
      const client = connect(engine.baseURL, { maxRetries: 2 });
      const stream = await client.chat.completions.create({ ...ask, stream: true });
      expect(join(await collect(stream))).toEqual(joinedTurn);
      expect(engine.requests).toHaveLength(2);
    },
  );

  test.each<[BehaviourName, number]>([
    ['rate-limited', 429],
    ['server-error', 500],
    ['html-error-page', 502],
    ['tool-use-failed', 400],
  ])('the error of %s is the server’s own', async (behaviour, status) => {
    const engine = await start({ behaviour: ['raw-content', behaviour] });
    const asked = (fetch?: typeof globalThis.fetch) =>
      new Client({ baseURL: engine.baseURL, apiKey: 'none', maxRetries: 0, fetch }).chat.completions
        .create(ask)
        .catch((error: unknown) => error as InstanceType<typeof OpenAI.APIError>);
    const [ours, theirs] = [await asked(createKimiFetch()), await asked()];
    expect(ours).toMatchObject({ status, message: (theirs as Error).message });
  });

  test('several choices: one parser each', async () => {
    const engine = await start({ byteCuts: { seed: 3, max: 40 } });
    const stream = await connect(engine.baseURL).chat.completions.create({ ...ask, n: 3, stream: true });
    const chunks = await collect(stream);
    for (const choice of [0, 1, 2]) expect(join(chunks, choice)).toEqual(joinedTurn);
    const { choices } = await connect(engine.baseURL).chat.completions.create({ ...ask, n: 3 });
    expect(choices.map(({ message }) => message.tool_calls)).toEqual(Array(3).fill(expectedCalls));
  });
});

describe.each(sdks)('$name through transformKimiStream', ({ Client }) => {
  async function open(baseURL: string) {
    const client = new Client({ baseURL, apiKey: 'none', maxRetries: 0 });
    const source = await client.chat.completions.create({ ...ask, stream: true });
    return { source, stream: transformKimiStream(source, { tools }) };
  }

  test('an openai Stream gives an openai Stream', async () => {
    const { source, stream } = await open((await start()).baseURL);
    expect(stream.constructor).toBe(source.constructor);
    expect(stream.controller).toBe(source.controller);
    const [left, right] = stream.tee();
    const readable = ChatCompletionStream.fromReadableStream(right.toReadableStream());
    expect(join(await collect(left))).toEqual(joinedTurn);
    expect((await readable.finalMessage()).tool_calls).toMatchObject(expectedCalls);
  });

  test('breaking out aborts the request', async () => {
    const engine = await start({ delayMs: 20 });
    const { stream } = await open(engine.baseURL);
    for await (const chunk of stream) if (join([chunk]).content !== '') break;
    await until(() => engine.requests[0]?.aborted === true);
  });

  test('cancelling a readable of it aborts the request', async () => {
    const engine = await start({ delayMs: 50 });
    const { stream } = await open(engine.baseURL);
    const reader = stream.toReadableStream().getReader();
    await reader.read();
    await reader.cancel();
    await until(() => engine.requests[0]?.aborted === true);
  });

  test('aborting ends the loop, and nothing is made up', async () => {
    const engine = await start({ delayMs: 20 });
    const { stream } = await open(engine.baseURL);
    const chunks: object[] = [];
    for await (const chunk of stream) {
      chunks.push(chunk);
      stream.controller.abort();
    }
    expect(join(chunks).finish).toBeNull();
  });

  test.each<BehaviourName>(['cut-mid-call', 'error-mid-stream'])(
    'what breaks the stream is thrown behind what was held: %s',
    async (fault) => {
      const engine = await start({ behaviour: ['raw-content', fault] });
      const { stream } = await open(engine.baseURL);
      const chunks: KimiChunk[] = [];
      const reading = (async () => {
        for await (const chunk of stream) chunks.push(chunk as KimiChunk);
      })();
      await expect(reading).rejects.toBeInstanceOf(Error);
      const [last] = chunks.at(-1)?.choices ?? [];
      expect(last?.finish_reason).toBeNull();
      expect(last?.x_kimi?.problems?.map(({ code }) => code)).toContain('stream-ended-early');
    },
  );
});

function messagesOf(request: EngineRequest | undefined) {
  const { messages } = Object(request?.body) as { messages: { tool_calls?: { id: string }[] }[] };
  return messages;
}
