// What LangChain's own standard tests for chat models check, which are not published; here against a
// server that leaves the model's raw text in the content.
import { type BehaviourName, type Engine, type EngineOptions, startEngine } from '@kimi-tc/testing';
import { InMemoryCache } from '@langchain/core/caches';
import type { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { load } from '@langchain/core/load';
import {
  AIMessage,
  AIMessageChunk,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type UsageMetadata,
} from '@langchain/core/messages';
import { ChatPromptTemplate } from '@langchain/core/prompts';
import { RunnableLambda, RunnableSequence } from '@langchain/core/runnables';
import { tool } from '@langchain/core/tools';
import { toJsonSchema } from '@langchain/core/utils/json_schema';
import { concat } from '@langchain/core/utils/stream';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { ChatKimi, type ChatKimiFields } from './index.ts';

const section = (...calls: string[]) =>
  `<|tool_calls_section_begin|>${calls.join('')}<|tool_calls_section_end|>`;
const call = (id: string, args: object) =>
  `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${JSON.stringify(args)}<|tool_call_end|>`;

const addition = `<think>Add.</think>Adding.${section(call('functions.add:0', { a: 1, b: 2 }))}`;
const add = tool(({ a, b }) => String(a + b), {
  name: 'add',
  description: 'Adds two numbers.',
  schema: z.object({ a: z.number().describe('One.'), b: z.number().describe('The other.') }),
});

async function start(
  script: EngineOptions['script'],
  fields: Partial<ChatKimiFields> = {},
  behaviour: BehaviourName | readonly BehaviourName[] = 'raw-content',
): Promise<{ model: ChatKimi; engine: Engine }> {
  const engine = await startEngine({ script, behaviour });
  onTestFinished(() => engine.stop());
  const model = new ChatKimi({
    model: 'kimi-k2-thinking',
    baseURL: engine.baseURL,
    maxRetries: 0,
    ...fields,
  });
  return { model, engine };
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const fold = (chunks: readonly AIMessageChunk[]) => chunks.reduce((whole, chunk) => concat(whole, chunk));
const bodyOf = (engine: Engine, at = 0) => engine.requests[at]?.body as Record<string, unknown>;

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('without a server', () => {
  const fields = { model: 'kimi-k2.6', apiKey: 'sk-secret' };

  test('is made from a model id, from fields, and with the key of the environment', () => {
    vi.stubEnv('MOONSHOT_API_KEY', 'sk-env');
    expect(new ChatKimi('kimi-k2.6').apiKey).toBe('sk-env');
    expect(new ChatKimi('kimi-k2.6', { apiKey: 'sk-own' }).apiKey).toBe('sk-own');
    expect(new ChatKimi({ ...fields, temperature: 0.5 })).toMatchObject({
      model: 'kimi-k2.6',
      temperature: 0.5,
      apiKey: 'sk-secret',
      baseURL: 'https://api.moonshot.ai/v1',
      endpoint: 'moonshot',
    });
  });

  test('takes nothing of another vendor from the environment', () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-openai');
    vi.stubEnv('OPENAI_ORGANIZATION', 'org-openai');
    vi.stubEnv('OPENAI_BASE_URL', 'https://api.openai.com/v1');
    vi.stubEnv('MOONSHOT_API_KEY', '');
    expect(() => new ChatKimi('kimi-k2.6')).toThrow(/^apiKey: expected a key/);
    const model = new ChatKimi('kimi-k2.6', { baseURL: 'http://localhost:8000/v1' });
    const { client } = Object.assign(model, model._getClientOptions(undefined));
    expect(client).toMatchObject({ apiKey: 'none', organization: null, project: null });
    expect(client.baseURL).toBe('http://localhost:8000/v1');
  });

  test('says which field is wrong', () => {
    expect(() => new ChatKimi({ apiKey: 'k' })).toThrow(/^model: expected/);
    expect(() => new ChatKimi(...([] as unknown as [string]))).toThrow(/^model: expected/);
    expect(() => new ChatKimi({ ...fields, thinking: 'on' as never })).toThrow(/^thinking: expected/);
    expect(() => new ChatKimi({ ...fields, baseURL: 'here' })).toThrow(/^baseURL: expected/);
    expect(() => new ChatKimi({ ...fields, transport: 'mail' as 'chat' })).toThrow(/^transport: expected/);
    expect(() => new ChatKimi({ ...fields, limits: { maxToolCalls: 0 } })).toThrow(/^limits.maxToolCalls/);
  });

  test('binds tools, and asks for structured output', () => {
    const model = new ChatKimi(fields);
    expect(model.bindTools([add], { tool_choice: 'add' })).toMatchObject({
      config: { tools: [{ type: 'function', function: { name: 'add' } }], tool_choice: 'add' },
    });
    expect(model.withStructuredOutput(z.object({ a: z.number() })).invoke).toBeInstanceOf(Function);
  });

  test('says what it is, in exactly the words of LangSmith', () => {
    const model = new ChatKimi({
      ...fields,
      model: 'kimi-k2-0905-preview',
      temperature: 0.3,
      maxTokens: 100,
    });
    expect(model.getLsParams({ stop: ['END'] })).toEqual({
      ls_provider: 'kimi',
      ls_model_name: 'kimi-k2-0905-preview',
      ls_model_type: 'chat',
      ls_temperature: 0.3,
      ls_max_tokens: 100,
      ls_stop: ['END'],
    });
    expect(Object.keys(new ChatKimi(fields).getLsParams({}))).toEqual([
      'ls_provider',
      'ls_model_name',
      'ls_model_type',
      'ls_temperature',
      'ls_max_tokens',
      'ls_stop',
    ]);
  });

  test('comes back from JSON, with no secret in it and none of another vendor', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-openai');
    vi.stubEnv('OPENAI_ORGANIZATION', 'org-openai');
    const model = new ChatKimi({
      ...fields,
      baseURL: 'https://api.moonshot.cn/v1',
      temperature: 0.3,
      maxTokens: 100,
      thinking: false,
      recoverTextCalls: 'off',
      configuration: { defaultHeaders: { authorization: 'Bearer sk-secret' } },
      onProblem: () => {},
    });
    const json = JSON.stringify(model);
    expect(json).not.toMatch(/sk-|openai_|OPENAI|organization|Headers/);
    expect(JSON.parse(json)).toMatchObject({
      id: ['langchain', 'chat_models', 'kimi', 'ChatKimi'],
      kwargs: { api_key: { lc: 1, type: 'secret', id: ['MOONSHOT_API_KEY'] }, base_url: model.baseURL },
    });
    const loaded = await load<ChatKimi>(json, {
      secretsMap: { MOONSHOT_API_KEY: 'sk-other' },
      optionalImportsMap: { 'langchain/chat_models/kimi': { ChatKimi } },
    });
    expect(loaded).toBeInstanceOf(ChatKimi);
    expect(loaded.apiKey).toBe('sk-other');
    const { model: id, baseURL, temperature, maxTokens, thinking } = model;
    expect(loaded).toMatchObject({ model: id, baseURL, temperature, maxTokens, thinking });
    expect(JSON.parse(JSON.stringify(loaded))).toEqual(JSON.parse(json));
  });

  test('takes a key from a function, which is not written into JSON', async () => {
    const engine = await startEngine({ script: ['Hello.'], apiKey: 'sk-got' });
    onTestFinished(() => engine.stop());
    const model = new ChatKimi({ model: 'kimi-k2', baseURL: engine.baseURL, apiKey: async () => 'sk-got' });
    expect((await model.invoke('Hello?')).content).toBe('Hello.');
    expect(JSON.parse(JSON.stringify(model)).kwargs.api_key).toMatchObject({ type: 'secret' });
  });

  test('has no key in JSON where there is none', () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-openai');
    expect(JSON.stringify(new ChatKimi('m', { baseURL: 'http://localhost/v1' }))).not.toMatch(/secret|key/i);
  });

  test('has no key among what caches and traces tell models apart by', () => {
    const model = new ChatKimi(fields);
    expect(JSON.stringify([model._identifyingParams(), model.invocationParams()])).not.toContain('sk-');
    const other = new ChatKimi({ ...fields, baseURL: 'https://api.moonshot.cn/v1' });
    expect(model._identifyingParams()).not.toEqual(other._identifyingParams());
  });

  test('counts tokens by estimate, and asks nobody for it', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new Error('no network')));
    onTestFinished(() => {
      vi.unstubAllGlobals();
    });
    const warnings = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warnings.mockRestore());
    const model = new ChatKimi(fields);
    expect(await model.getNumTokens('Nine bytes')).toBe(3);
    const image = { type: 'image_url', image_url: 'data:image/png;base64,AAAA' };
    expect(await model.getNumTokens([{ type: 'text', text: 'Four' }, image])).toBe(1);
    expect(warnings).not.toHaveBeenCalled();
  });

  test('knows what models can do', () => {
    const profileOf = (model: string, baseURL = 'https://api.moonshot.ai/v1') =>
      new ChatKimi({ ...fields, model, baseURL }).profile;
    expect(profileOf('kimi-k2-0711-preview')).toMatchObject({
      maxInputTokens: 131_072,
      reasoningOutput: false,
    });
    expect(profileOf('kimi-k2.6')).toMatchObject({
      maxInputTokens: 262_144,
      imageInputs: true,
      reasoningOutput: true,
      toolCalling: true,
      toolChoice: true,
      structuredOutput: false,
    });
    expect(profileOf('kimi-k2.7-code')).toMatchObject({ toolChoice: false, structuredOutput: true });
    expect(profileOf('kimi-k2.7-code', 'http://localhost/v1')).toMatchObject({ structuredOutput: false });
    expect(profileOf('my-own')).toEqual({});
  });
});

describe('replies', () => {
  test('invoke', async () => {
    const { model, engine } = await start(['<think>Hm.</think>Hello.']);
    const message = await model.invoke('Hello?');
    expect(AIMessage.isInstance(message)).toBe(true);
    expect(message).toMatchObject({
      content: 'Hello.',
      additional_kwargs: { reasoning_content: 'Hm.' },
      response_metadata: {
        model: 'kimi-k2-thinking',
        model_name: 'kimi-k2-thinking',
        model_provider: 'kimi',
        finish_reason: 'stop',
      },
    });
    expect(message.tool_calls).toEqual([]);
    expect(bodyOf(engine)).toMatchObject({ model: 'kimi-k2-thinking', stream: false });
  });

  test('stream', async () => {
    const { model } = await start(['<think>Hm, well.</think>Hello, and welcome.']);
    const chunks = await collect(await model.stream('Hello?'));
    expect(chunks.length).toBeGreaterThan(3);
    expect(
      chunks.every((chunk) => AIMessageChunk.isInstance(chunk) && typeof chunk.content === 'string'),
    ).toBe(true);
    expect(chunks.filter(({ content }) => content !== '').length).toBeGreaterThan(1);
    expect(fold(chunks)).toMatchObject({
      content: 'Hello, and welcome.',
      additional_kwargs: { reasoning_content: 'Hm, well.' },
      response_metadata: { model: 'kimi-k2-thinking', finish_reason: 'stop', model_provider: 'kimi' },
    });
  });

  test('batch, as many at a time as allowed', async () => {
    let open = 0;
    let most = 0;
    const { model } = await start(
      ({ body }) => {
        const { messages } = body as { messages: { content: string }[] };
        return `Echo of ${messages[0]?.content}`;
      },
      {
        fetch: async (...args) => {
          most = Math.max(most, ++open);
          await new Promise((resolve) => setTimeout(resolve, 10));
          const response = await fetch(...args);
          open--;
          return response;
        },
      },
    );
    const inputs = ['1', '2', '3', '4', '5', '6'];
    const messages = await model.batch(inputs, { maxConcurrency: 2 });
    expect(messages.map(({ content }) => content)).toEqual(inputs.map((input) => `Echo of ${input}`));
    expect(most).toBe(2);
  });

  test('a conversation of several roles', async () => {
    const { model, engine } = await start(['', 'Nothing else.']);
    const messages = [
      new SystemMessage('Be brief.'),
      new HumanMessage('1'),
      new AIMessage('One.'),
      new HumanMessage('2'),
    ];
    expect((await model.invoke(messages)).content).toBe('Nothing else.');
    expect(bodyOf(engine).messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: '1' },
      { role: 'assistant', content: 'One.' },
      { role: 'user', content: '2' },
    ]);
  });

  test('streamEvents, version 2', async () => {
    const { model } = await start([addition]);
    const events = await collect(model.bindTools([add]).streamEvents('Add.', { version: 'v2' }));
    const names = events.map(({ event }) => event);
    expect([names[0], names.at(-1)]).toEqual(['on_chat_model_start', 'on_chat_model_end']);
    const chunks = events
      .filter(({ event }) => event === 'on_chat_model_stream')
      .map(({ data }) => data.chunk);
    expect(fold(chunks)).toMatchObject({
      content: 'Adding.',
      tool_calls: [{ name: 'add', args: { a: 1, b: 2 } }],
    });
    expect(JSON.stringify(events)).not.toContain('<|');
  });
});

describe('usage', () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    cached_tokens: 60,
    completion_tokens_details: { reasoning_tokens: 8 },
  };
  const expected: UsageMetadata = {
    input_tokens: 100,
    output_tokens: 20,
    total_tokens: 120,
    input_token_details: { cache_read: 60 },
    output_token_details: { reasoning: 8 },
  };
  const script = [{ text: 'Hello.', usage }];

  test('of invoke, with what Moonshot has in places of its own', async () => {
    const { model } = await start(script);
    const message = await model.invoke('Hello?');
    expect(message.usage_metadata).toEqual(expected);
    expect(message.response_metadata.tokenUsage).toEqual({
      promptTokens: 100,
      completionTokens: 20,
      totalTokens: 120,
    });
  });

  test.each([[['raw-content']], [['raw-content', 'usage-in-choices']]] as BehaviourName[][][])(
    'of a stream, once (%s)',
    async (behaviour) => {
      const { model } = await start(script, {}, behaviour);
      const chunks = await collect(await model.stream('Hello?'));
      expect(chunks.filter((chunk) => chunk.usage_metadata)).toHaveLength(1);
      expect(fold(chunks).usage_metadata).toMatchObject(expected);
    },
  );

  test('of a streaming model that is invoked', async () => {
    const { model } = await start(script, { streaming: true });
    expect((await model.invoke('Hello?')).usage_metadata).toMatchObject(expected);
  });

  test('not asked for and not told with streamUsage: false', async () => {
    const { model, engine } = await start(script, { streamUsage: false });
    const chunks = await collect(await model.stream('Hello?'));
    expect(fold(chunks).usage_metadata).toBeUndefined();
    expect(bodyOf(engine)).not.toHaveProperty('stream_options');
  });

  test('of the event protocol', async () => {
    const { model } = await start(script);
    expect(await model.streamEvents('Hello?').usage).toMatchObject(expected);
  });
});

describe('tools', () => {
  const expectedCall = { id: 'functions.add:0', name: 'add', args: { a: 1, b: 2 }, type: 'tool_call' };

  test('are offered as they are bound: of LangChain, OpenAI-shaped, runnables, and schemas', async () => {
    const { model, engine } = await start([addition]);
    const { schema, name, description } = add;
    const asTool = RunnableLambda.from(({ a, b }: { a: number; b: number }) => a + b).asTool({
      name,
      description,
      schema,
    });
    const parameters = {
      type: 'object',
      properties: {
        a: { type: 'number', description: 'One.' },
        b: { type: 'number', description: 'The other.' },
      },
      required: ['a', 'b'],
    };
    const shaped = { type: 'function', function: { name, description, parameters } };
    for (const one of [add, asTool, shaped, { name, description, schema }]) {
      const message = await model.bindTools([one]).invoke('Add.');
      expect(message.tool_calls).toEqual([expectedCall]);
    }
    for (const at of [0, 1, 2, 3]) {
      expect(bodyOf(engine, at).tools).toMatchObject([
        { type: 'function', function: { name, description, parameters } },
      ]);
    }
  });

  test('are called in a prompt chain, invoked and streamed', async () => {
    const { model } = await start([addition]);
    const chain = ChatPromptTemplate.fromMessages([['human', '{input}']]).pipe(model.bindTools([add]));
    expect((await chain.invoke({ input: 'Add.' })).tool_calls).toEqual([expectedCall]);
    const chunks = await collect(await chain.stream({ input: 'Add.' }));
    expect(fold(chunks).tool_calls).toEqual([expectedCall]);
    expect(fold(chunks).content).toBe('Adding.');
  });

  test('stream their arguments, by index', async () => {
    const text = section(call('functions.add:0', { a: 1, b: 2 }), call('functions.add:1', { a: 30, b: 40 }));
    const { model } = await start([text]);
    const chunks = await collect(await model.bindTools([add]).stream('Add.'));
    const parts = chunks.flatMap((chunk) => chunk.tool_call_chunks ?? []);
    expect(parts.filter(({ index }) => index === 0).length).toBeGreaterThan(2);
    expect(parts.filter(({ name }) => name).map(({ index, id, name }) => [index, id, name])).toEqual([
      [0, 'functions.add:0', 'add'],
      [1, 'functions.add:1', 'add'],
    ]);
    expect(parts.every(({ type }) => type === 'tool_call_chunk')).toBe(true);
    expect(fold(chunks).tool_calls?.map(({ args }) => args)).toEqual([
      { a: 1, b: 2 },
      { a: 30, b: 40 },
    ]);
  });

  test('several at once, which are run and answered', async () => {
    const { model, engine } = await start([
      section(call('functions.add:0', { a: 1, b: 2 }), call('functions.add:1', { a: 3, b: 4 })),
      'Three and seven.',
    ]);
    const bound = model.bindTools([add]);
    const reply = await bound.invoke('Add.');
    const results = await Promise.all((reply.tool_calls ?? []).map((one) => add.invoke(one)));
    expect((await bound.invoke([new HumanMessage('Add.'), reply, ...results])).content).toBe(
      'Three and seven.',
    );
    const messages = bodyOf(engine, 1).messages as object[];
    expect(messages.slice(1)).toMatchObject([
      {
        role: 'assistant',
        tool_calls: [
          { id: 'functions.add:0', type: 'function', function: { name: 'add', arguments: '{"a":1,"b":2}' } },
          { id: 'functions.add:1', type: 'function', function: { name: 'add', arguments: '{"a":3,"b":4}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'functions.add:0', content: '3' },
      { role: 'tool', tool_call_id: 'functions.add:1', content: '7' },
    ]);
  });

  test('histories of other models: contents that are lists, with blocks of calls and thoughts', async () => {
    const { model, engine } = await start(['', '', 'Three.']);
    const history = [
      new HumanMessage([
        { type: 'text', text: 'Add 1 ' },
        { type: 'text', text: 'and 2.' },
      ]),
      new AIMessage({
        content: [
          { type: 'thinking', thinking: 'Add.' },
          { type: 'text', text: 'Adding.' },
          { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 1, b: 2 } },
        ],
        tool_calls: [{ id: 'toolu_1', name: 'add', args: { a: 1, b: 2 }, type: 'tool_call' }],
      }),
      new ToolMessage({ tool_call_id: 'toolu_1', content: [{ type: 'text', text: '3' }] }),
      new AIMessage(''),
      new HumanMessage('So?'),
    ];
    expect((await model.bindTools([add]).invoke(history)).content).toBe('Three.');
    const [user, assistant, result] = bodyOf(engine).messages as object[];
    expect([user, assistant, result]).toMatchObject([
      { role: 'user', content: 'Add 1 and 2.' },
      {
        role: 'assistant',
        content: 'Adding.',
        reasoning_content: 'Add.',
        tool_calls: [{ id: 'functions.add:0' }],
      },
      { role: 'tool', tool_call_id: 'functions.add:0', content: '3' },
    ]);
  });

  test('examples of calls in a prompt', async () => {
    const { model } = await start(['', '', 'Seven.']);
    const examples = [
      new HumanMessage('1 + 2'),
      new AIMessage({ content: '', tool_calls: [{ id: '1', name: 'add', args: { a: 1, b: 2 } }] }),
      new ToolMessage({ tool_call_id: '1', content: '3' }),
      new AIMessage('Three.'),
      new HumanMessage('3 + 4'),
    ];
    expect((await model.invoke(examples)).content).toBe('Seven.');
  });

  test('with complex arguments', async () => {
    const args = { steps: [{ name: 'a', more: { deep: [1, null, 'x'] } }], tags: { k: 'v' }, any: [true] };
    const { model } = await start([section(call('functions.plan:0', args))]);
    const plan = tool(() => '', {
      name: 'plan',
      description: 'Plans.',
      schema: z.object({
        steps: z.array(z.object({ name: z.string(), more: z.record(z.string(), z.any()) })),
        tags: z.record(z.string(), z.string()),
        any: z.any(),
      }),
    });
    expect((await model.bindTools([plan]).invoke('Plan.')).tool_calls).toMatchObject([
      { name: 'plan', args },
    ]);
  });

  test('of which one is to be chosen', async () => {
    const { model, engine } = await start([addition]);
    for (const tool_choice of ['any', 'auto', 'none', 'add'])
      await model.bindTools([add], { tool_choice }).invoke('Add.');
    expect(engine.requests.map(({ body }) => (body as { tool_choice: unknown }).tool_choice)).toEqual([
      'required',
      'auto',
      'none',
      { type: 'function', function: { name: 'add' } },
    ]);
    expect((await model.bindTools([add], { tool_choice: 'none' }).invoke('Add.')).tool_calls).toEqual([]);
  });
});

interface Pair {
  a: number;
  b: number;
}

describe('structured output', () => {
  const schema = z.object({ a: z.number(), b: z.number() }).describe('Two numbers.');
  const asCall = section(call('functions.pair:0', { a: 1, b: 2 }));

  test.each([
    ['functionCalling', asCall],
    ['jsonSchema', '<think>Hm.</think>{"a": 1, "b": 2}'],
    ['jsonMode', '<think>Hm.</think>{"a": 1, "b": 2}'],
  ])('by %s, plain, streamed, and with the raw message', async (method, text) => {
    const { model, engine } = await start([text]);
    const options = { name: 'pair', method };
    expect(await model.withStructuredOutput(schema, options).invoke('Pair?')).toEqual({ a: 1, b: 2 });
    const streamed = await collect(await model.withStructuredOutput(schema, options).stream('Pair?'));
    expect(streamed.at(-1)).toEqual({ a: 1, b: 2 });
    const { raw, parsed } = await model
      .withStructuredOutput(schema, { ...options, includeRaw: true })
      .invoke('Pair?');
    expect(parsed).toEqual({ a: 1, b: 2 });
    expect(AIMessage.isInstance(raw)).toBe(true);
    const body = bodyOf(engine);
    if (method === 'functionCalling')
      expect(body).toMatchObject({
        tools: [{ function: { name: 'pair', description: 'Two numbers.' } }],
        tool_choice: { function: { name: 'pair' } },
      });
    else
      expect(body.response_format).toMatchObject(
        method === 'jsonMode'
          ? { type: 'json_object' }
          : { type: 'json_schema', json_schema: { name: 'pair' } },
      );
  });

  test('with JSON Schema, and with a whole function', async () => {
    const { model, engine } = await start([asCall]);
    const parameters = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } };
    const titled = { title: 'pair', description: 'A pair.', ...parameters };
    const whole = { name: 'pair', description: 'A pair.', parameters };
    const pair: Pair = await model.withStructuredOutput<Pair>(titled).invoke('Pair?');
    expect(pair).toEqual({ a: 1, b: 2 });
    expect(await model.withStructuredOutput(whole).invoke('Pair?')).toEqual({ a: 1, b: 2 });
    expect(bodyOf(engine, 1).tools).toMatchObject([{ function: whole }]);
  });

  test('what does not fit the schema is refused, and null with the raw message', async () => {
    const { model } = await start([section(call('functions.pair:0', { a: 'one' }))]);
    await expect(model.withStructuredOutput(schema, { name: 'pair' }).invoke('Pair?')).rejects.toThrow(
      /parse/i,
    );
    const { raw, parsed } = await model
      .withStructuredOutput(schema, { name: 'pair', includeRaw: true })
      .invoke('Pair?');
    expect(parsed).toBeNull();
    expect((raw as AIMessage).tool_calls).toHaveLength(1);
  });

  test.each([
    ['a reply without a call', { text: 'I cannot.' }, /call of pair in the reply: it has none/],
    [
      'a call that was cut',
      { text: asCall.slice(0, asCall.indexOf(',"b"')), finishReason: 'length' as const },
      /call of pair in the reply: the one it has cannot be read, because it broke off/,
    ],
  ])('%s is an error, streamed too, and null with the raw message', async (_, turn, error) => {
    const { model } = await start([turn]);
    // Without a schema that would miss the number, so that nothing but the call itself tells.
    const json = { title: 'pair', type: 'object', properties: { a: { type: 'number' } } };
    const structured = model.withStructuredOutput(json);
    await expect(structured.invoke('Pair?')).rejects.toThrow(error);
    await expect(structured.stream('Pair?').then(collect)).rejects.toThrow(error);
    const both = await model.withStructuredOutput(json, { includeRaw: true }).invoke('Pair?');
    expect(both.parsed).toBeNull();
    expect(AIMessage.isInstance(both.raw)).toBe(true);
  });

  test('callbacks are told how it is asked for', async () => {
    const { model } = await start([asCall]);
    let told: unknown;
    const callbacks = [
      {
        handleChatModelStart(...[, , , , extra]: unknown[]) {
          told = (extra as { options: Record<string, unknown> }).options.ls_structured_output_format;
        },
      },
    ];
    await model.withStructuredOutput(schema, { name: 'pair' }).invoke('Pair?', { callbacks });
    expect(told).toEqual({ kwargs: { method: 'functionCalling' }, schema: toJsonSchema(schema) });
  });
});

describe('content blocks', () => {
  const reasoning = { type: 'reasoning', reasoning: 'Add.' };
  const text = { type: 'text', text: 'Adding.' };
  const toolCall = { type: 'tool_call', id: 'functions.add:0', name: 'add', args: { a: 1, b: 2 } };
  const blocks = [reasoning, text, toolCall];

  test('of a reply', async () => {
    const { model } = await start([addition]);
    const message = await model.bindTools([add]).invoke('Add.');
    expect(message.contentBlocks).toEqual(blocks);
    expect(message.text).toBe('Adding.');
  });

  test('as its content, with outputVersion v1, which goes back as it came', async () => {
    const { model, engine } = await start([addition, 'Three.'], { outputVersion: 'v1' });
    const bound = model.bindTools([add]);
    const message = await bound.invoke('Add.');
    expect(message.content).toEqual(blocks);
    expect(message.tool_calls).toMatchObject([{ id: 'functions.add:0', name: 'add', args: { a: 1, b: 2 } }]);
    await bound.invoke([
      new HumanMessage('Add.'),
      message,
      new ToolMessage({ tool_call_id: 'functions.add:0', content: '3' }),
    ]);
    expect((bodyOf(engine, 1).messages as object[])[1]).toMatchObject({
      role: 'assistant',
      content: 'Adding.',
      reasoning_content: 'Add.',
      tool_calls: [{ id: 'functions.add:0', function: { name: 'add', arguments: '{"a":1,"b":2}' } }],
    });
  });

  test('of the chunks of a stream, and of what they are joined to', async () => {
    const { model } = await start([addition]);
    const chunks = await collect(await model.bindTools([add]).stream('Add.'));
    const parts = chunks.flatMap((chunk) => chunk.contentBlocks);
    expect([...new Set(parts.map(({ type }) => type))]).toEqual(['reasoning', 'text', 'tool_call_chunk']);
    expect(fold(chunks).contentBlocks).toEqual(blocks);
  });

  test('as the content of chunks, with outputVersion v1', async () => {
    const { model } = await start([addition], { outputVersion: 'v1' });
    const chunks = await collect(await model.bindTools([add]).stream('Add.'));
    const parts = chunks.flatMap(({ content }) => content as { type: string }[]);
    expect([...new Set(parts.map(({ type }) => type))]).toEqual(['reasoning', 'text', 'tool_call_chunk']);
    const whole = fold(chunks);
    expect(whole.content).toMatchObject(blocks);
    expect(whole.contentBlocks).toBe(whole.content);
    // What a graph keeps of it, and what comes back from a checkpoint.
    expect(new AIMessage({ ...(whole as object) }).content).toMatchObject(blocks);
    expect((await load<AIMessageChunk>(JSON.stringify(whole))).content).toMatchObject(blocks);
    expect(whole.tool_calls).toMatchObject([{ id: 'functions.add:0', name: 'add', args: { a: 1, b: 2 } }]);
    expect(whole.text).toBe('Adding.');
  });

  test.each(['v0', 'v1'] as const)('of calls that must not run, joined (%s)', async (outputVersion) => {
    const warnings = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warnings.mockRestore());
    const cut = addition.replace(',"b":2}<|tool_call_end|><|tool_calls_section_end|>', '');
    const { model } = await start([{ text: cut, finishReason: 'length' }], { outputVersion });
    const whole = fold(await collect(await model.bindTools([add]).stream('Add.')));
    expect(whole.contentBlocks).toMatchObject([
      reasoning,
      text,
      { type: 'invalid_tool_call', id: 'functions.add:0', name: 'add' },
    ]);
    // LangChain takes a message with raw calls and no others for one of an old package, and says so.
    expect(whole.additional_kwargs).not.toHaveProperty('tool_calls');
    expect(new AIMessage({ ...(whole as object) }).tool_calls).toEqual([]);
    expect(warnings).not.toHaveBeenCalled();
  });

  test.each(['v0', 'v1'] as const)(
    'of joined chunks are those of invoke, cut anywhere in a call (%s)',
    async (version) => {
      const warnings = vi.spyOn(console, 'warn').mockImplementation(() => {});
      onTestFinished(() => warnings.mockRestore());
      const { model } = await start(
        ({ body }) => {
          const { messages } = body as { messages: { content: string }[] };
          return { text: addition.slice(0, Number(messages[0]?.content)), finishReason: 'length' };
        },
        { outputVersion: version },
      );
      const bound = model.bindTools([add]);
      const kinds = (message: AIMessage | AIMessageChunk) =>
        message.contentBlocks.map((block) => [block.type, block.text ?? block.reasoning ?? block.name ?? '']);
      for (let end = addition.indexOf('functions'); end <= addition.length; end++) {
        const whole = fold(await collect(await bound.stream(String(end))));
        const message = await bound.invoke(String(end));
        expect([end, kinds(whole)]).toEqual([end, kinds(message)]);
        expect(kinds(new AIMessage({ ...(whole as object) }))).toEqual(kinds(message));
      }
      expect(warnings).not.toHaveBeenCalled();
    },
  );

  test('by events: streamEvents without a version', async () => {
    const { model } = await start([addition]);
    const stream = model.streamEvents('Add.', { tools: [add] });
    const events = await collect(stream);
    expect(events[0]).toMatchObject({ event: 'message-start' });
    expect(events.at(-1)).toMatchObject({
      event: 'message-finish',
      reason: 'tool_use',
      responseMetadata: { model_provider: 'kimi', model_name: 'kimi-k2-thinking' },
    });
    expect(events.filter(({ event }) => event === 'content-block-finish')).toMatchObject([
      { index: 0, content: reasoning },
      { index: 1, content: text },
      { index: 2, content: toolCall },
    ]);
    expect([await stream.reasoning, await stream.text]).toEqual(['Add.', 'Adding.']);
    expect(await stream.toolCalls).toMatchObject([toolCall]);
    const message = await stream;
    expect(message.contentBlocks).toMatchObject(blocks);
    expect(message.tool_calls).toMatchObject([{ name: 'add', args: { a: 1, b: 2 } }]);
    expect(JSON.stringify(events)).not.toContain('<|');
  });

  test('a message of the event protocol goes back with its reasoning', async () => {
    const { model, engine } = await start([addition, 'Three.']);
    const message = await model.streamEvents('Add.', { tools: [add] });
    const result = new ToolMessage({ tool_call_id: 'functions.add:0', content: '3' });
    await collect(model.streamEvents([new HumanMessage('Add.'), message, result], { tools: [add] }));
    expect((bodyOf(engine, 1).messages as object[])[1]).toMatchObject({
      content: 'Adding.',
      reasoning_content: 'Add.',
      tool_calls: [{ id: 'functions.add:0', function: { arguments: '{"a":1,"b":2}' } }],
    });
  });
});

describe('callbacks', () => {
  const createRecorder = () => {
    const seen: unknown[] = [];
    const handler: Partial<BaseCallbackHandler> & { lc_prefer_streaming?: boolean } = {
      handleChatModelStart(...args: unknown[]) {
        seen.push(['start', args.at(-2)]);
      },
      handleLLMNewToken(
        token: string,
        _idx: unknown,
        _run: unknown,
        _parent: unknown,
        _tags: unknown,
        fields: unknown,
      ) {
        seen.push(['token', token, fields]);
      },
      handleLLMEnd(output: unknown) {
        seen.push(['end', output]);
      },
    };
    return { seen, handler: handler as never };
  };

  test.each(['raw-content', 'raw-reasoning', 'stripped-tokens', 'native-and-leaked'] as const)(
    'are never shown raw tokens (%s)',
    async (behaviour) => {
      const { model } = await start([addition], {}, behaviour);
      const { seen, handler } = createRecorder();
      const bound = model.bindTools([add]);
      await collect(await bound.stream('Add.', { callbacks: [handler] }));
      await bound.invoke('Add.', { callbacks: [handler] });
      expect(seen.length).toBeGreaterThan(5);
      expect(JSON.stringify(seen)).not.toMatch(/<\|tool|<\/?think>|functions\.add:0\{/);
    },
  );

  test('get tokens of a model that is streaming although it is invoked', async () => {
    const { model } = await start(['Hello, and welcome.'], { streaming: true });
    const { seen, handler } = createRecorder();
    expect((await model.invoke('Hello?', { callbacks: [handler] })).content).toBe('Hello, and welcome.');
    expect(
      (seen as unknown[][])
        .filter(([kind]) => kind === 'token')
        .map(([, token]) => token)
        .join(''),
    ).toBe('Hello, and welcome.');
  });
});

/** A machine may be busy. */
const PATIENCE = { timeout: 20_000 };

describe('aborting', () => {
  const long = 'word '.repeat(500);

  test('before the call', async () => {
    const { model, engine } = await start([long]);
    const signal = AbortSignal.abort();
    await expect(model.invoke('Hello?', { signal })).rejects.toThrow(/abort/i);
    await expect(model.stream('Hello?', { signal }).then(collect)).rejects.toThrow(/abort/i);
    expect(engine.requests).toHaveLength(0);
  });

  test('in the middle of a stream, which the server hears of', async () => {
    const engine = await startEngine({ script: [long], delayMs: 5 });
    onTestFinished(() => engine.stop());
    const model = new ChatKimi({ model: 'kimi-k2-thinking', baseURL: engine.baseURL });
    const controller = new AbortController();
    const chunks: AIMessageChunk[] = [];
    const reading = async () => {
      for await (const chunk of await model.stream('Hello?', { signal: controller.signal })) {
        chunks.push(chunk);
        if (chunks.length === 3) controller.abort();
      }
    };
    await expect(reading()).rejects.toThrow(/abort/i);
    expect(chunks.length).toBeLessThan(10);
    await vi.waitFor(() => expect(engine.requests[0]).toMatchObject({ aborted: true }), PATIENCE);
  });

  test('of a streaming model that is invoked: half a message is none', async () => {
    const engine = await startEngine({ script: [long], delayMs: 5 });
    onTestFinished(() => engine.stop());
    const controller = new AbortController();
    const model = new ChatKimi({ model: 'kimi-k2-thinking', baseURL: engine.baseURL, streaming: true });
    const reply = model._generate([new HumanMessage('Hello?')], { signal: controller.signal });
    await vi.waitFor(() => expect(engine.requests[0]?.eventsSent).toBeGreaterThan(3), PATIENCE);
    controller.abort();
    await expect(reply).rejects.toThrow(/abort/i);
  });

  test('by leaving the loop, which the server hears of', async () => {
    const engine = await startEngine({ script: [long], delayMs: 5 });
    onTestFinished(() => engine.stop());
    const model = new ChatKimi({ model: 'kimi-k2-thinking', baseURL: engine.baseURL });
    for await (const chunk of await model.stream('Hello?')) if (chunk.content !== '') break;
    await vi.waitFor(() => expect(engine.requests[0]).toMatchObject({ aborted: true }), PATIENCE);
  });

  test('of an event stream', async () => {
    const engine = await startEngine({ script: [long], delayMs: 5 });
    onTestFinished(() => engine.stop());
    const model = new ChatKimi({ model: 'kimi-k2-thinking', baseURL: engine.baseURL });
    const controller = new AbortController();
    const reading = async () => {
      for await (const { event } of model.streamEvents('Hello?', { signal: controller.signal }))
        if (event === 'content-block-delta') controller.abort();
    };
    await expect(reading()).rejects.toThrow(/abort/i);
  });
});

describe('cache', () => {
  test('gives back messages with all they have, and asks the server once', async () => {
    const { model, engine } = await start([addition], { cache: new InMemoryCache() });
    const bound = model.bindTools([add]);
    const first = await bound.invoke([new HumanMessage([{ type: 'text', text: 'Add.' }])]);
    const second = await bound.invoke([new HumanMessage([{ type: 'text', text: 'Add.' }])]);
    expect(engine.requests).toHaveLength(1);
    expect(second.tool_calls).toEqual(first.tool_calls);
    expect(second.additional_kwargs.reasoning_content).toBe('Add.');
    await bound.invoke('Something else.');
    await bound.invoke([new HumanMessage([{ type: 'text', text: 'Add.' }])], { thinking: false });
    expect(engine.requests).toHaveLength(3);
  });

  test('gives no reply that was read in another way', async () => {
    const cache = new InMemoryCache();
    const model = 'moonshotai/Kimi-K2-Instruct';
    const { model: plain, engine } = await start(() => 'Hm.</think>Yes.', { model, cache });
    const { baseURL } = engine;
    const other = new ChatKimi({ model, baseURL, cache, promptOpensThink: true });
    await plain.invoke('Is it?');
    expect(await other.invoke('Is it?')).toMatchObject({
      content: 'Yes.',
      additional_kwargs: { reasoning_content: 'Hm.' },
    });
  });

  const fields = { model: 'kimi-k2.6', baseURL: 'http://127.0.0.1:1/v1' };
  const keyOf = (more: Partial<ChatKimiFields>) =>
    new ChatKimi({ ...fields, ...more })._getSerializedCacheKeyParametersForCall({} as never);
  /** Of each field that changes what is sent or comes back, a value that is not the default. */
  const changing: Partial<ChatKimiFields> = {
    model: 'kimi-k2.5',
    modelName: 'kimi-k2.5',
    family: 'k2-instruct',
    baseURL: 'http://127.0.0.1:2/v1',
    endpoint: 'router',
    transport: 'completions',
    specialTokensInText: 'keep',
    request: { ids: false },
    reasoningMemory: false,
    thinking: false,
    recoverTextCalls: 'off',
    promptOpensThink: true,
    guidedJson: true,
    limits: { maxToolCalls: 1 },
    temperature: 0.1,
    topP: 0.1,
    frequencyPenalty: 0.1,
    presencePenalty: 0.1,
    n: 2,
    maxTokens: 10,
    stop: ['.'],
    stopSequences: ['.'],
    logprobs: true,
    topLogprobs: 2,
    user: 'ada',
    streaming: true,
    modelKwargs: { min_p: 0.1 },
    promptCacheKey: 'a',
    supportsStrictToolCalling: true,
    outputVersion: 'v1',
  };
  const same: Partial<ChatKimiFields> = {
    apiKey: 'sk-other',
    timeout: 1,
    streamUsage: false,
    disableStreaming: true,
    maxConcurrency: 1,
    maxRetries: 1,
    verbose: false,
    tags: ['a'],
    metadata: { a: 1 },
    onProblem: () => {},
    fetch: () => Promise.reject(new Error('not called')),
    configuration: { defaultHeaders: { authorization: 'sk-header' } },
  };

  test.each(Object.entries(changing))('tells models apart by %s', (name, value) => {
    const less = name === 'modelName' ? { model: undefined } : {};
    expect(keyOf({ ...less, [name]: value })).not.toBe(keyOf({}));
  });

  test('does not by what changes no reply, and sees no key and no header', () => {
    for (const [name, value] of Object.entries(same))
      expect([name, keyOf({ [name]: value })]).toEqual([name, keyOf({})]);
  });

  test('knows of every field', () => {
    const { lc_serializable_keys } = new ChatKimi(fields);
    expect({ ...changing, ...same }).toEqual(
      expect.objectContaining(
        Object.fromEntries(lc_serializable_keys.map((key) => [key, expect.anything()])),
      ),
    );
  });
});

test('stands in a sequence with anything', async () => {
  const { model } = await start(['Hello.']);
  const chain = RunnableSequence.from([
    (name: string) => `I am ${name}.`,
    model,
    (message: AIMessage) => message.text,
  ]);
  expect(await chain.invoke('Ada')).toBe('Hello.');
});
