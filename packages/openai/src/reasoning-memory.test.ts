import { resolveModel } from '@kimi-tc/core';
import { type Engine, type EngineOptions, startEngine } from '@kimi-tc/testing';
import OpenAI from 'openai';
import OpenAILowest from 'openai-lowest';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  createKimiFetch,
  createReasoningMemory,
  KimiError,
  type KimiFetchOptions,
  type ReasoningMemory,
} from './index.ts';

const sdks = [
  { name: 'openai 7', Client: OpenAI },
  { name: 'openai 6.0', Client: OpenAILowest as unknown as typeof OpenAI },
];

const steps = 10;

function turn(step: number, id = `functions.look:${step}`): string {
  return (
    `<think>Step ${step}: the next one.</think><|tool_calls_section_begin|><|tool_call_begin|>${id}` +
    `<|tool_call_argument_begin|>{"at": ${step}.0}<|tool_call_end|><|tool_calls_section_end|>`
  );
}

const script = [...Array.from({ length: steps }, (_, step) => turn(step)), '<think>Done.</think>Found.'];

async function start(options: Partial<EngineOptions> = {}): Promise<Engine> {
  const engine = await startEngine({
    script,
    behaviour: ['healthy', 'reasoning-replay-required'],
    ...options,
  });
  onTestFinished(() => engine.stop());
  return engine;
}

function run(client: OpenAI, stream: boolean) {
  const params = {
    model: 'kimi-k2-thinking',
    messages: [{ role: 'user' as const, content: 'Look around.' }],
    tools: [
      {
        type: 'function' as const,
        function: {
          name: 'look',
          description: 'Looks at a place.',
          parameters: { type: 'object' as const, properties: { at: { type: 'number' as const } } },
          function: () => 'nothing',
        },
      },
    ],
  };
  const limit = { maxChatCompletions: steps + 2 };
  const { completions } = client.chat;
  return stream
    ? completions.runTools({ ...params, stream: true }, limit)
    : completions.runTools({ ...params, stream: false }, limit);
}

interface SentMessage {
  role: string;
  content?: unknown;
  reasoning_content?: string;
  tool_calls?: { id: string }[];
}

function lastMessages({ requests }: Engine): SentMessage[] {
  const { messages } = Object(requests.at(-1)?.body) as { messages: SentMessage[] };
  return messages;
}

describe.each(sdks)('$name', ({ Client }) => {
  const connect = (engine: Engine, fetch: typeof globalThis.fetch) =>
    new Client({ baseURL: engine.baseURL, apiKey: 'none', maxRetries: 0, fetch });

  test.each([
    { stream: true, treatment: 'healthy' as const },
    { stream: false, treatment: 'healthy' as const },
    { stream: true, treatment: 'raw-content' as const },
    { stream: false, treatment: 'raw-reasoning-field' as const },
  ])('runTools keeps its reasoning over ten steps (%o)', async ({ stream, treatment }) => {
    const engine = await start({ behaviour: [treatment, 'reasoning-replay-required'] });
    expect(await run(connect(engine, createKimiFetch()), stream).finalContent()).toBe('Found.');
    const sent = lastMessages(engine).filter(({ role }) => role === 'assistant');
    expect(sent.map(({ reasoning_content }) => reasoning_content)).toEqual(
      Array.from({ length: steps }, (_, step) => `Step ${step}: the next one.`),
    );
  });

  test.each([true, false])('without the memory it is lost (stream: %s)', async (stream) => {
    const engine = await start();
    // Nor is anything put in its place.
    const fetch = createKimiFetch({ reasoningMemory: false, request: { reasoning: false } });
    const running = run(connect(engine, fetch), stream);
    const error = await running.finalContent().then(
      () => undefined,
      ({ message }: Error) => message,
    );
    if (Client === OpenAI)
      return expect(error).toContain('400 thinking is enabled but reasoning_content is missing');
    // Version 6.0 sends back what it has: the whole of a message, the last fragment of a stream.
    expect(error).toBeUndefined();
    expect(lastMessages(engine)[1]?.reasoning_content?.startsWith('Step')).toBe(!stream);
  });
});

/** Asks with a history whose assistant messages have the calls of the first reply and no reasoning. */
function createAsker(engine: Engine, fetch: typeof globalThis.fetch) {
  async function post(messages: object[]): Promise<{ choices: [{ message: { tool_calls?: unknown } }] }> {
    const response = await fetch(`${engine.baseURL}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'kimi-k2-thinking', messages }),
    });
    return (await response.json()) as Awaited<ReturnType<typeof post>>;
  }
  return async (question: string, change: (calls: unknown) => unknown = (calls) => calls) => {
    const user = { role: 'user', content: question };
    const { choices } = await post([user]);
    const { tool_calls: calls } = choices[0].message;
    const answer = { role: 'tool', tool_call_id: 'functions.look:0', content: 'nothing' };
    await post([user, { role: 'assistant', content: null, tool_calls: change(calls) }, answer]);
    // Others may have asked in the meantime.
    const asked = engine.requests.map(({ body }) => (body as { messages: SentMessage[] }).messages);
    const own = asked.findLast(([first, second]) => first?.content === question && second !== undefined);
    return own?.[1]?.reasoning_content;
  };
}

test('the arguments may come back in another spelling of the same JSON', async () => {
  const engine = await start({ behaviour: 'healthy' });
  const ask = createAsker(engine, createKimiFetch());
  const reprint = (calls: unknown) =>
    (calls as { function: { arguments: string } }[]).map((call) => ({
      ...call,
      function: { ...call.function, arguments: JSON.stringify(JSON.parse(call.function.arguments)) },
    }));
  expect(await ask('Look.', reprint)).toBe('Step 0: the next one.');
});

test('conversations with the same ids do not get each other’s reasoning', async () => {
  const said = new Map([
    ['one', turn(0).replace('next one', 'first one')],
    ['two', turn(0).replace('next one', 'second one')],
  ]);
  const engine = await start({
    behaviour: 'healthy',
    script: ({ body }) => {
      const { messages } = body as { messages: { content: string }[] };
      return messages.length > 1 ? 'Found.' : (said.get(messages[0]?.content ?? '') ?? '');
    },
  });
  const client = new OpenAI({ baseURL: engine.baseURL, apiKey: 'none', fetch: createKimiFetch() });
  const ask = (messages: OpenAI.ChatCompletionMessageParam[]) =>
    client.chat.completions.create({ model: 'kimi-k2-thinking', messages });
  const questions = ['one', 'two'].map((content) => ({ role: 'user' as const, content }));
  const replies = [];
  for (const question of questions) replies.push(await ask([question]));
  for (const [at, question] of questions.entries()) {
    const tool_calls = replies[at]?.choices[0]?.message.tool_calls ?? [];
    const answer = { role: 'tool' as const, tool_call_id: 'functions.look:0', content: 'nothing' };
    await ask([question, { role: 'assistant', content: null, tool_calls }, answer]);
    expect(lastMessages(engine)[1]?.reasoning_content).toBe(`Step 0: the ${['first', 'second'][at]} one.`);
  }
});

test('a shared store stands in, and need not be synchronous', async () => {
  const stored = new Map<string, string>();
  const store: ReasoningMemory = {
    get: async (key) => stored.get(key),
    set: async (key, reasoning) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      stored.set(key, reasoning);
    },
  };
  const engine = await start({ behaviour: 'healthy' });
  const writer = createKimiFetch({ reasoningMemory: store });
  const reader = createKimiFetch({ reasoningMemory: store });
  let calls = 0;
  const ask = createAsker(engine, (...request) => (calls++ === 0 ? writer : reader)(...request));
  expect(await ask('Look.')).toBe('Step 0: the next one.');
  expect(stored.size).toBe(2);
  for (const key of stored.keys()) expect(key).toMatch(/^[0-9a-f]{64}$/);
});

test('a store has what it needs before the last chunk leaves', async () => {
  let stored = '';
  const store: ReasoningMemory = {
    get: () => undefined,
    set: async (_, reasoning) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      stored = reasoning;
    },
  };
  const engine = await start({ behaviour: 'healthy' });
  const client = new OpenAI({
    baseURL: engine.baseURL,
    apiKey: 'none',
    fetch: createKimiFetch({ reasoningMemory: store }),
  });
  const messages = [{ role: 'user' as const, content: 'Look.' }];
  const stream = await client.chat.completions.create({ model: 'kimi-k2-thinking', messages, stream: true });
  for await (const { choices } of stream) {
    if (choices[0]?.finish_reason) expect(stored).toBe('Step 0: the next one.');
  }
  expect(stored).not.toBe('');
});

test('reasoning that the client did send back is left alone', async () => {
  const engine = await start({ behaviour: 'healthy' });
  const fetch = createKimiFetch({ request: false });
  await createAsker(engine, fetch)('Look.');
  const body = JSON.stringify({
    model: 'kimi-k2-thinking',
    messages: [
      { role: 'user', content: 'Look.' },
      {
        role: 'assistant',
        reasoning_content: 'My own.',
        tool_calls: [
          { id: 'functions.look:0', type: 'function', function: { name: 'look', arguments: '{"at": 0.0}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'functions.look:0', content: '' },
    ],
  });
  await (await fetch(`${engine.baseURL}/chat/completions`, { method: 'POST', body })).text();
  expect(JSON.stringify(engine.requests.at(-1)?.body)).toBe(body);
});

describe('whose reasoning it is', () => {
  interface Asker {
    key?: string;
    first?: string;
    system?: unknown;
    more?: object;
  }

  const question = { role: 'user', content: 'continue' };

  function open({ system = 'Be kind.', first = 'Hello.' }: Asker): object[] {
    const greeting = [
      { role: 'user', content: first },
      { role: 'assistant', content: 'Hi.' },
    ];
    return [{ role: 'system', content: system }, ...greeting, question];
  }

  /** One asks for a turn with a call; the reasoning that another then gets for the same call. */
  async function cross(one: Asker, other: Asker, change = (messages: object[]) => messages) {
    const engine = await start({ behaviour: 'healthy', script: () => turn(0) });
    const keys: string[] = [];
    const kept = new Map<string, string>();
    const fetch = createKimiFetch({
      request: false,
      reasoningMemory: {
        get: (key) => kept.get(key),
        set: (key, reasoning) => {
          keys.push(key);
          kept.set(key, reasoning);
        },
      },
    });
    async function post({ key = 'sk-one', more = {} }: Asker, messages: object[]) {
      const response = await fetch(`${engine.baseURL}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ model: 'kimi-k2-thinking', messages, ...more }),
      });
      return (await response.json()) as { choices: [{ message: { tool_calls: object[] } }] };
    }
    const { choices } = await post(one, open(one));
    const { tool_calls } = choices[0].message;
    const answer = { role: 'tool', tool_call_id: 'functions.look:0', content: 'nothing' };
    await post(other, change([...open(other), { role: 'assistant', content: null, tool_calls }, answer]));
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
    return lastMessages(engine).find((message) => message.tool_calls)?.reasoning_content;
  }

  test.each<[string, Asker, Asker]>([
    ['system prompts', { system: 'You serve Alice.' }, { system: 'You serve Bob.' }],
    ['keys', { key: 'sk-alice' }, { key: 'sk-bob' }],
    ['users', { more: { user: 'alice' } }, { more: { user: 'bob' } }],
    ['cache keys', { more: { prompt_cache_key: 'a' } }, { more: { prompt_cache_key: 'b' } }],
    ['first messages', { first: 'I am Alice.' }, { first: 'I am Bob.' }],
  ])('other %s are another conversation', async (_, alice, bob) => {
    expect(await cross(alice, bob)).toBeUndefined();
    expect(await cross(alice, alice)).toBe('Step 0: the next one.');
  });

  test('a text in parts is the same text', async () => {
    const system = [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } }];
    expect(await cross({}, { system })).toBe('Step 0: the next one.');
  });

  test('turns between the first message and the last may go, what comes later may be told', async () => {
    const shorten = (messages: object[]) => [
      ...messages.filter((message) => Object(message).content !== 'Hi.'),
      { role: 'system', content: 'It is late.' },
    ];
    expect(await cross({}, {}, shorten)).toBe('Step 0: the next one.');
  });
});

describe('a store that is read', () => {
  const call = { id: 'functions.look:0', type: 'function', function: { name: 'look', arguments: '{}' } };
  const messages = [
    { role: 'user', content: 'Look.' },
    { role: 'assistant', tool_calls: [call] },
  ];
  const body = JSON.stringify({ model: 'kimi-k2-thinking', messages });

  async function askWith(get: () => unknown) {
    const sent: RequestInit[] = [];
    const fetch = createKimiFetch({
      request: false,
      reasoningMemory: { get, set: () => {} } as ReasoningMemory,
      fetch: async (_, init) => {
        sent.push(init ?? {});
        return new Response();
      },
    });
    await fetch('http://localhost/v1/chat/completions', { method: 'POST', body });
    return sent.map((init) => init.body);
  }

  test.each([undefined, null])('and gives %s does not know the turn', async (nothing) => {
    expect(await askWith(() => nothing)).toEqual([body]);
    expect(await askWith(async () => nothing)).toEqual([body]);
  });

  test('and gives no text is refused', async () => {
    await expect(askWith(() => 42)).rejects.toThrow('reasoningMemory.get: expected a string, got number');
  });
});

test('a store that does not answer holds nobody who has left', async () => {
  const sent: unknown[] = [];
  const fetch = createKimiFetch({
    reasoningMemory: { get: () => new Promise(() => {}), set: () => {} },
    fetch: async (...call) => {
      sent.push(call);
      return new Response();
    },
  });
  const look = { id: 'functions.look:0', type: 'function', function: { name: 'look', arguments: '{}' } };
  const messages = [
    { role: 'user', content: 'Look.' },
    { role: 'assistant', tool_calls: [look] },
  ];
  const body = JSON.stringify({ model: 'kimi-k2-thinking', messages });
  const url = 'http://localhost/v1/chat/completions';
  const signal = AbortSignal.abort(new Error('left before'));
  await expect(fetch(url, { method: 'POST', body, signal })).rejects.toThrow('left before');
  const leaving = new AbortController();
  const asked = fetch(new Request(url, { method: 'POST', body, signal: leaving.signal }));
  leaving.abort(new Error('left'));
  await expect(asked).rejects.toThrow('left');
  expect(sent).toEqual([]);
});

describe('a store that is written to', () => {
  const url = 'http://localhost/v1/chat/completions';
  const chunk = (delta: object, finish_reason: string | null = null, index = 0) =>
    `data: ${JSON.stringify({ id: 'c', choices: [{ index, delta, finish_reason }] })}\n\n`;
  const look = { index: 0, id: 'functions.look:0', type: 'function' };
  const called = chunk({
    ...{ role: 'assistant', reasoning_content: 'Where?' },
    tool_calls: [{ ...look, function: { name: 'look', arguments: '{}' } }],
  });
  /** The body of the answer, which stays open behind these events. */
  async function ask(events: string[], options: KimiFetchOptions, signal: AbortSignal | null = null) {
    const fetch = createKimiFetch({
      ...options,
      fetch: async () => {
        const body = new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode(events.join(''))),
        });
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
      },
    });
    const body = JSON.stringify({
      ...{ model: 'kimi-k2-thinking', stream: true, messages: [{ role: 'user', content: 'Look.' }] },
      tools: [{ type: 'function', function: { name: 'see' } }],
    });
    const answer = await fetch(url, { method: 'POST', body, signal });
    return (answer.body as ReadableStream<Uint8Array>).getReader();
  }

  test.each<[string, () => Promise<void>]>([
    ['never answers', () => new Promise(() => {})],
    ['fails later', () => Promise.reject(new Error('full'))],
  ])('and %s holds nobody who leaves', async (_, set) => {
    const leaving = new AbortController();
    let begun = () => {};
    const writes = new Promise<void>((resolve) => (begun = resolve));
    const memory = {
      get: () => undefined,
      set: () => {
        begun();
        return new Promise<void>((resolve) => setTimeout(resolve, 20)).then(set);
      },
    };
    const events = [called, chunk({}, 'tool_calls'), 'data: [DONE]\n\n'];
    const reader = await ask(events, { reasoningMemory: memory }, leaving.signal);
    const read = (async () => {
      while (!(await reader.read()).done);
    })();
    await writes;
    leaving.abort(new Error('left'));
    await expect(read).rejects.toThrow('left');
  });

  test('and fails breaks nothing once the reader has left, nor where something else has failed', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const reasoningMemory = { get: () => undefined, set: () => Promise.reject(new Error('full')) };
    const events = [called, chunk({}, 'tool_calls'), 'data: [DONE]\n\n'];
    const readers: ReadableStreamDefaultReader<Uint8Array>[] = [];
    const cancel = () => void readers[0]?.cancel();
    readers.push(await ask(events, { reasoningMemory, onProblem: cancel }));
    await expect(readers[0]?.read()).resolves.toEqual({ value: undefined, done: true });
    const fail = () => {
      throw new Error('told');
    };
    const empty = chunk({ role: 'assistant' }, 'stop', 1);
    const onProblem: KimiFetchOptions['onProblem'] = ({ code }) => code === 'empty-turn' && fail();
    const both = [...events.slice(0, 2), empty, ...events.slice(2)];
    const failing = await ask(both, { reasoningMemory, onProblem });
    await expect(failing.read()).rejects.toThrow('told');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(unhandled).toEqual([]);
  });
});

test('a long history is read once, not once for each turn of it', async () => {
  const digest = vi.spyOn(crypto.subtle, 'digest');
  onTestFinished(() => digest.mockRestore());
  const call = (at: number) => ({
    id: `functions.look:${at}`,
    type: 'function',
    function: { name: 'look', arguments: '{}' },
  });
  const turns = Array.from({ length: 200 }, (_, at) => [
    { role: 'assistant', content: null, tool_calls: [call(at)] },
    { role: 'tool', tool_call_id: `functions.look:${at}`, content: 'nothing' },
  ]);
  const messages = [{ role: 'user', content: 'Look around. '.repeat(1000) }, ...turns.flat()];
  const body = JSON.stringify({ model: 'kimi-k2-thinking', messages });
  const fetch = createKimiFetch({ fetch: async () => new Response('{}', { status: 500 }) });
  await fetch('http://localhost/v1/chat/completions', { method: 'POST', body });
  const read = digest.mock.calls.reduce((sum, [, bytes]) => sum + bytes.byteLength, 0);
  expect(read).toBeGreaterThan(13_000);
  expect(read).toBeLessThan(4 * body.length);
});

describe('which models it is for', () => {
  const messages = [
    { role: 'user', content: 'Look.' },
    {
      role: 'assistant',
      tool_calls: [
        { id: 'functions.look:0', type: 'function', function: { name: 'look', arguments: '{"at": 0.0}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'functions.look:0', content: 'nothing' },
  ];

  /** Asks, and then with a history in which the reasoning is dropped; what was sent, and what was kept. */
  async function keep(model: string, options: KimiFetchOptions = {}) {
    const engine = await start({ behaviour: 'healthy' });
    const kept = new Map<string, string>();
    const reasoningMemory: ReasoningMemory = {
      get: (key) => kept.get(key),
      set: (key, reasoning) => void kept.set(key, reasoning),
    };
    let sent: unknown;
    const fetch = createKimiFetch({
      reasoningMemory,
      request: false,
      fetch: (input, init) => {
        sent = init?.body;
        return globalThis.fetch(input, init);
      },
      ...options,
    });
    const post = async (body: string) =>
      (await fetch(`${engine.baseURL}/chat/completions`, { method: 'POST', body })).text();
    await post(JSON.stringify({ model, messages: messages.slice(0, 1) }));
    const body = `${JSON.stringify({ model, messages }, undefined, 1)}\n`;
    await post(body);
    return { kept: kept.size, same: sent === body };
  }

  test.each(['gpt-5', 'deepseek-reasoner', 'kimi-latest'])('not %s', async (model) => {
    expect(await keep(model)).toEqual({ kept: 0, same: true });
    expect(await keep(model, { request: true })).toEqual({ kept: 0, same: true });
  });

  test.each<[string, KimiFetchOptions]>([
    ['kimi-k2-thinking', {}],
    ['moonshotai/Kimi-K2.5', {}],
    ['my-model', { model: 'k2.5' }],
    ['my-model', { model: resolveModel('kimi-k2-thinking') }],
  ])('%s, options %o', async (model, options) => {
    expect(await keep(model, options)).toEqual({ kept: 2, same: false });
  });
});

describe('createReasoningMemory', () => {
  test('keeps so many turns, the last used ones', async () => {
    const memory = createReasoningMemory({ maxTurns: 2 });
    memory.set('a', '1');
    memory.set('b', '2');
    memory.get('a');
    memory.set('c', '3');
    expect([memory.get('a'), memory.get('b'), memory.get('c')]).toEqual(['1', undefined, '3']);
  });

  test('keeps so much text', () => {
    const memory = createReasoningMemory({ maxLength: 10 });
    memory.set('a', 'x'.repeat(6));
    memory.set('a', 'y'.repeat(6));
    memory.set('b', 'z'.repeat(4));
    expect(memory.get('a')).toBe('yyyyyy');
    memory.set('c', 'w');
    expect([memory.get('a'), memory.get('b'), memory.get('c')]).toEqual(['yyyyyy', undefined, 'w']);
  });

  test('one that is too long by itself drives out no other', () => {
    const memory = createReasoningMemory({ maxLength: 10 });
    memory.set('a', 'xxxxx');
    memory.set('b', 'yyy');
    memory.set('b', 'y'.repeat(11));
    expect([memory.get('a'), memory.get('b')]).toEqual(['xxxxx', undefined]);
  });

  test.each(['maxTurns', 'maxLength'])('%s is a count', (option) => {
    expect(() => createReasoningMemory({ [option]: 0 })).toThrow(KimiError);
    expect(() => createReasoningMemory({ [option]: 0 })).toThrow(
      `${option}: expected a whole number above 0`,
    );
  });
});
