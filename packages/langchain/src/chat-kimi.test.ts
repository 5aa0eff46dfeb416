import {
  type BehaviourName,
  behaviours,
  type Engine,
  type EngineOptions,
  startEngine,
} from '@kimi-tc/testing';
import { AIMessage, type AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { concat } from '@langchain/core/utils/stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { ChatKimi, type ChatKimiFields, type KimiMetadata } from './index.ts';

const section = (...calls: string[]) =>
  `<|tool_calls_section_begin|>${calls.join('')}<|tool_calls_section_end|>`;
const call = (id: string, args: string) =>
  `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${args}<|tool_call_end|>`;

const read = tool(() => '', { name: 'read', description: 'Reads.', schema: z.object({ path: z.string() }) });
const twoCalls =
  '<think>Two files.</think>Reading.' +
  section(call('functions.read:0', '{"path":"a.md"}'), call('functions.read:1', '{"path":"b.md"}'));

async function start(options: Partial<EngineOptions>, fields: Partial<ChatKimiFields> = {}) {
  const engine = await startEngine({ script: [twoCalls], behaviour: 'raw-content', ...options });
  onTestFinished(() => engine.stop());
  const model = new ChatKimi({
    model: 'kimi-k2-thinking',
    baseURL: engine.baseURL,
    maxRetries: 0,
    ...fields,
  });
  return { engine, model };
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const fold = (chunks: readonly AIMessageChunk[]) => chunks.reduce((whole, chunk) => concat(whole, chunk));
const bodyOf = (engine: Engine, at = 0) => engine.requests[at]?.body as Record<string, unknown>;
const kimiOf = ({ response_metadata }: AIMessage | AIMessageChunk): KimiMetadata =>
  response_metadata.kimi ?? {};

/** What a message says, however it came. */
const sum = (message: AIMessage | AIMessageChunk) => ({
  content: message.text,
  reasoning: message.additional_kwargs.reasoning_content ?? '',
  calls: (message.tool_calls ?? []).map(({ name, args }) => [name, args.path]),
  ids: new Set((message.tool_calls ?? []).map(({ id }) => id)).size,
  invalid: message.invalid_tool_calls?.length,
  finish: message.response_metadata.finish_reason,
});

/** Three ways to ask, which all must tell the same. */
const ways = {
  invoke: (model: ChatKimi) => model.bindTools([read]).invoke('Compare a and b.'),
  stream: async (model: ChatKimi) =>
    fold(await collect(await model.bindTools([read]).stream('Compare a and b.'))),
  streamEvents: async (model: ChatKimi) => {
    const message = await model.streamEvents('Compare a and b.', { tools: [read] });
    const { contentBlocks } = message;
    const reasoning = contentBlocks.flatMap((block) => (block.type === 'reasoning' ? [block.reasoning] : []));
    const finish = message.response_metadata.finish_reason === 'tool_use' ? 'tool_calls' : undefined;
    return Object.assign(message, {
      additional_kwargs: { reasoning_content: reasoning.join('') },
      response_metadata: { ...message.response_metadata, finish_reason: finish },
    });
  },
};

describe('what servers do wrong does not show', () => {
  // Those that lose parts of the reply, or end it, have tests of their own.
  const lossy = [
    'empty-tool-call-deltas',
    'reasoning-only',
    'foreign-ids-end-turn',
    'cut-mid-call',
    'error-mid-stream',
    'slow-first-byte',
    'think-close-stripped',
    'stripped-tokens',
  ];
  const faults = (Object.keys(behaviours) as BehaviourName[]).filter(
    (name) =>
      !lossy.includes(name) && !/refused|required|limit|pinned|strict-|failed|error|reset|rate/.test(name),
  );

  test('there are many of them', () => {
    expect(faults.length).toBeGreaterThan(35);
  });

  test.each(faults)('%s', async (behaviour) => {
    const { model } = await start({ behaviour });
    for (const [way, ask] of Object.entries(ways)) {
      expect({ way, ...sum(await ask(model)) }).toEqual({
        way,
        content: 'Reading.',
        reasoning: 'Two files.',
        calls: [
          ['read', 'a.md'],
          ['read', 'b.md'],
        ],
        ids: 2,
        invalid: 0,
        finish: 'tool_calls',
      });
    }
  });

  test('in any cuts of text and bytes', async () => {
    const { model } = await start({ chunking: 'units', byteCuts: { seed: 1 } });
    const { model: other } = await start({ chunking: { seed: 2 }, byteCuts: 1 });
    expect(sum(await ways.stream(model))).toEqual(sum(await ways.stream(other)));
  });
});

describe('calls that must not run', () => {
  const cut = `Reading.${section(call('functions.read:0', '{"path":"a.md"}'))}<|tool_calls_section_begin|><|tool_call_begin|>functions.read:1<|tool_call_argument_begin|>{"path":"b`;
  const broken = section(call('functions.read:0', "{'path': 'a'}"), call('functions.read:1', '{"path":"b"'));
  const array = section(call('functions.read:0', '["a"]'));
  const nameless = '<|tool_calls_section_begin|><|tool_call_begin|>functions.read';

  test.each(Object.entries(ways))('are cut ones (%s)', async (_, ask) => {
    const { model } = await start({ script: [{ text: cut, finishReason: 'length' }] });
    const message = await ask(model);
    expect(message.tool_calls).toMatchObject([{ name: 'read', args: { path: 'a.md' } }]);
    const invalid = message.invalid_tool_calls?.length
      ? message.invalid_tool_calls
      : message.contentBlocks.filter(({ type }) => type === 'invalid_tool_call');
    expect(invalid).toMatchObject([
      {
        id: 'functions.read:1',
        name: 'read',
        args: expect.stringMatching(/^\{"path":"b/),
        type: 'invalid_tool_call',
      },
    ]);
    expect(kimiOf(message).incompleteToolCalls).toEqual([
      { id: 'functions.read:1', name: 'read', reason: 'truncated-call' },
    ]);
  });

  test.each(Object.entries(ways))('are those whose arguments are no JSON object (%s)', async (_, ask) => {
    for (const [text, count] of [
      [broken, 2],
      [array, 1],
    ] as const) {
      const { model } = await start({ script: [text] });
      const message = await ask(model);
      expect(message.tool_calls).toEqual([]);
      const blocks = message.contentBlocks.filter(({ type }) => type === 'invalid_tool_call');
      expect(message.invalid_tool_calls?.length || blocks.length).toBe(count);
      expect(kimiOf(message).problems?.map(({ code }) => code)).toContain('invalid-arguments');
    }
  });

  test.each(Object.entries(ways))('are those given up before they had a name (%s)', async (_, ask) => {
    const { model } = await start({ script: [nameless] });
    const message = await ask(model);
    expect(message.tool_calls).toEqual([]);
    expect(kimiOf(message).incompleteToolCalls).toMatchObject([{ reason: 'truncated-call' }]);
    expect(message.contentBlocks.some(({ type }) => type === 'invalid_tool_call')).toBe(true);
  });

  test('are those of a connection that broke, as far as the reply came', async () => {
    const { model } = await start({ behaviour: ['raw-content', 'cut-mid-call'] });
    await expect(ways.stream(model)).rejects.toThrow();
  });

  test('go back to the model without their arguments when somebody answers them, and else not at all', async () => {
    const { model, engine } = await start({
      script: [{ text: cut, finishReason: 'length' }, 'I see.'],
    });
    const reply = await ways.stream(model);
    const answer = (tool_call_id: string) => new ToolMessage({ tool_call_id, content: 'Not run.' });
    await model.invoke([
      new HumanMessage('?'),
      reply,
      answer('functions.read:0'),
      answer('functions.read:1'),
    ]);
    await model.invoke([
      new HumanMessage('?'),
      reply,
      answer('functions.read:0'),
      new HumanMessage('Go on.'),
    ]);
    const sent = [1, 2].map(
      (at) => (bodyOf(engine, at).messages as { tool_calls?: object[] }[])[1]?.tool_calls,
    );
    expect(sent).toMatchObject([
      [
        { id: 'functions.read:0', function: { arguments: '{"path":"a.md"}' } },
        { id: 'functions.read:1', function: { name: 'read', arguments: '{}' } },
      ],
      [{ id: 'functions.read:0' }],
    ]);
    expect(sent[1]).toHaveLength(1);
  });
});

describe('what a message says about its reply', () => {
  test('problems, and ids as the model wrote them', async () => {
    const text = section(call('read:7', '{"path":"a.md"}'), call('bash:8', '{}'));
    const { model } = await start({ script: [text] });
    for (const ask of [ways.invoke, ways.stream]) {
      const message = await ask(model);
      expect(kimiOf(message).toolCallIds).toEqual({
        'functions.read:7': 'read:7',
        'functions.bash:8': 'bash:8',
      });
      expect(kimiOf(message).problems?.map(({ code }) => code)).toEqual(
        expect.arrayContaining(['id-rewritten', 'unknown-tool']),
      );
      expect(kimiOf(message).finishReason).toBe('stop');
    }
  });

  test('nothing, when there is nothing to say', async () => {
    const { model } = await start({ behaviour: 'healthy' });
    for (const ask of Object.values(ways))
      expect((await ask(model)).response_metadata).not.toHaveProperty('kimi');
  });

  test('problems are told as they are found', async () => {
    const told: unknown[] = [];
    const { model } = await start(
      { script: [section(call('bash:8', '{}'))] },
      { onProblem: ({ code }, { model: of }) => told.push([code, of]) },
    );
    await ways.stream(model);
    expect(told).toEqual(expect.arrayContaining([['unknown-tool', 'kimi-k2-thinking']]));
  });

  test('no two messages have one id, and all chunks of one have the same', async () => {
    const { model } = await start({});
    const messages = await Promise.all([
      ways.invoke(model),
      ways.invoke(model),
      ways.stream(model),
      ways.streamEvents(model),
    ]);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(4);
    const chunks = await collect(await model.stream('Hello?'));
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });

  test('several choices of one reply are generations', async () => {
    const { model } = await start({ script: ['Hello.'] }, { n: 2, request: false });
    const { generations } = await model.generate(
      [['Hello?']].map(([text]) => [new HumanMessage(text as string)]),
    );
    expect(generations[0]?.map(({ text }) => text)).toEqual(['Hello.', 'Hello.']);
    // A stream is one message.
    expect(fold(await collect(await model.stream('Hello?'))).content).toBe('Hello.');
  });
});

describe('requests', () => {
  const ask = async (fields: Partial<ChatKimiFields>, options: object = {}) => {
    const { model, engine } = await start({ script: ['Hello.'] }, fields);
    await model.invoke('Hello?', options);
    return bodyOf(engine);
  };

  test.each([
    ['kimi-k2.6', 'moonshot', false, { thinking: { type: 'disabled' } }],
    ['kimi-k2.6', 'moonshot', { preserve: true }, { thinking: { type: 'enabled', keep: 'all' } }],
    ['kimi-k2.5', 'self-hosted', false, { chat_template_kwargs: { thinking: false } }],
    ['kimi-k3', 'moonshot', { effort: 'low' }, { reasoning_effort: 'low' }],
  ] as const)('%s at %s: thinking %o', async (model, endpoint, thinking, expected) => {
    expect(await ask({ model, endpoint, thinking })).toMatchObject(expected);
    expect(await ask({ model, endpoint, thinking: true }, { thinking })).toMatchObject(expected);
    expect(await ask({ model, endpoint })).not.toMatchObject(expected);
  });

  test('thinking that the model does not have is told', async () => {
    const told: string[] = [];
    const body = await ask({
      model: 'kimi-k2-0905-preview',
      thinking: true,
      onProblem: ({ code }) => told.push(code),
    });
    expect(body).not.toHaveProperty('thinking');
    expect(told).toEqual(['param-dropped']);
  });

  test('a model whose id does not tell is what it is said to be', async () => {
    const fields = {
      model: 'served-model',
      endpoint: 'self-hosted',
      family: 'k2.5',
      thinking: false,
    } as const;
    const told: string[] = [];
    const { engine, model } = await start(
      { script: () => 'Hello.' },
      { ...fields, onProblem: ({ code }) => told.push(code) },
    );
    await model.invoke([
      new HumanMessage('Hello?'),
      new AIMessage({ content: '', tool_calls: [{ id: 'x', name: 'read', args: {} }] }),
      new ToolMessage({ content: 'ok', tool_call_id: 'x' }),
    ]);
    const body = bodyOf(engine);
    expect(body).toMatchObject({ model: 'served-model', chat_template_kwargs: { thinking: false } });
    expect(body.messages).toContainEqual(expect.objectContaining({ tool_call_id: 'functions.read:0' }));
    expect(told).not.toContain('param-dropped');
    expect(model.profile).toEqual(new ChatKimi({ ...fields, apiKey: 'key', model: 'kimi-k2.5' }).profile);
    expect(model.toJSON()).toMatchObject({ kwargs: { family: 'k2.5' } });
    expect(model._identifyingParams()).toMatchObject({ family: 'k2.5' });
    const wrong = { ...fields, family: 'kimi-k2.5' } as unknown as ChatKimiFields;
    expect(() => new ChatKimi(wrong)).toThrow('family: expected the family of a model');
  });

  test('so is thinking of a model that nobody knows', async () => {
    const told: string[] = [];
    const body = await ask({
      model: 'served-model',
      thinking: false,
      onProblem: ({ code }) => told.push(code),
    });
    expect(body).not.toHaveProperty('chat_template_kwargs');
    expect(told).toEqual(['param-dropped']);
  });

  test('schemas of replies are those that the API takes, and parse as the given ones', async () => {
    const script = [{ text: '{"city":"Oslo","degrees":"-3"}', behaviour: 'healthy' as const }];
    const schema = z.object({ city: z.string(), degrees: z.coerce.number().multipleOf(1) });
    const told: string[] = [];
    const api = await start(
      { script },
      { model: 'kimi-k2.7-code', endpoint: 'moonshot', onProblem: ({ code }) => told.push(code) },
    );
    expect(await api.model.withStructuredOutput(schema).invoke('?')).toEqual({ city: 'Oslo', degrees: -3 });
    expect(JSON.stringify(bodyOf(api.engine).response_format)).not.toMatch(/"\$schema"|"multipleOf":/);
    expect(told).toContain('schema-relaxed');
    const own = await start({ script }, { model: 'kimi-k2.7-code' });
    expect(await own.model.withStructuredOutput(schema, { method: 'jsonSchema' }).invoke('?')).toEqual({
      city: 'Oslo',
      degrees: -3,
    });
    expect(JSON.stringify(bodyOf(own.engine).response_format)).toMatch(/"\$schema"/);
  });

  test('forced tools, by family, at the API', async () => {
    const force = async (model: string) => {
      const { model: kimi, engine } = await start(
        { behaviour: ['healthy', 'forced-tool-refused'], script: ['Hello.'] },
        { model, endpoint: 'moonshot' },
      );
      await kimi.bindTools([read], { tool_choice: 'any' }).invoke('Read.');
      const { tool_choice, thinking } = bodyOf(engine);
      return { tool_choice, thinking };
    };
    expect(await force('kimi-k2.6')).toEqual({ tool_choice: 'required', thinking: { type: 'disabled' } });
    expect(await force('kimi-k2.7-code')).toEqual({ tool_choice: 'auto', thinking: undefined });
  });

  test('pinned sampling is left out, and other models are left alone', async () => {
    expect(await ask({ model: 'kimi-k2.6', endpoint: 'moonshot', temperature: 0.2 })).not.toHaveProperty(
      'temperature',
    );
    expect(await ask({ model: 'kimi-k2-0905-preview', temperature: 0.2 })).toMatchObject({
      temperature: 0.2,
    });
    expect(await ask({ model: 'some-other', temperature: 0.2 })).toMatchObject({ temperature: 0.2 });
  });

  test('the names of agents are not sent as those of speakers', async () => {
    const { model, engine } = await start({ script: ['', 'Hello.'] });
    await model.invoke([
      new HumanMessage('1'),
      new AIMessage({ content: '2', name: 'model' }),
      new HumanMessage('3'),
    ]);
    expect((bodyOf(engine).messages as object[])[1]).toEqual({ role: 'assistant', content: '2' });
  });

  test('arguments go back as the model wrote them, digits and spaces included', async () => {
    const args = '{ "path":  "a.md", "n": 12345678901234567890 }';
    const { model, engine } = await start({ script: [section(call('functions.read:0', args)), 'Hm.'] });
    const answer = new ToolMessage({ tool_call_id: 'functions.read:0', content: '' });
    for (const ask of [ways.invoke, ways.stream]) {
      await model.invoke([new HumanMessage('?'), await ask(model), answer]);
      const sent = bodyOf(engine, engine.requests.length - 1).messages as { tool_calls?: unknown[] }[];
      expect(sent[1]?.tool_calls).toMatchObject([{ function: { arguments: args } }]);
    }
  });

  test('what the endpoint would refuse anyway is refused at once, and not retried', async () => {
    const { model, engine } = await start({}, { endpoint: 'moonshot', maxRetries: 5 });
    const many = Array.from({ length: 129 }, (_, at) => ({
      type: 'function',
      function: { name: `tool_${at}`, parameters: { type: 'object', properties: {} } },
    }));
    await expect(model.bindTools(many).invoke('Hello?')).rejects.toThrow(/129 tools/);
    expect(engine.requests).toHaveLength(0);
  });

  test('over text completions, prompt and all', async () => {
    const { model, engine } = await start({}, { transport: 'completions' });
    expect(sum(await ways.stream(model))).toMatchObject({ content: 'Reading.', ids: 2 });
    expect(engine.requests[0]).toMatchObject({
      path: '/v1/completions',
      body: { prompt: expect.any(String) },
    });
  });
});

describe('failures', () => {
  test.each(['rate-limited-once', 'server-error-once', 'connection-reset-once'] as const)(
    'are tried again (%s)',
    async (behaviour) => {
      const { model, engine } = await start({ behaviour: ['raw-content', behaviour] }, { maxRetries: 2 });
      expect(sum(await ways.invoke(model))).toMatchObject({ ids: 2 });
      expect(engine.requests).toHaveLength(2);
    },
  );

  test.each(['server-error', 'html-error-page', 'error-mid-stream'] as const)(
    'come out (%s)',
    async (behaviour) => {
      const { model } = await start({ behaviour: ['raw-content', behaviour] });
      for (const ask of Object.values(ways)) await expect(ask(model)).rejects.toThrow();
    },
  );

  /** A request for a stream gets a stream from the fetch, also of such answers; without a choice it is an empty turn. */
  const answers: [string, () => Response, whole: RegExp, streamed: RegExp | undefined][] = [
    [
      'an error with status 200',
      () => Response.json({ error: { message: 'Out of credit.' } }),
      /Out of credit/,
      /^Out of credit\.$/,
    ],
    [
      'an error that is a text',
      () => Response.json({ error: 'overloaded' }),
      /no reply in it.*: overloaded$/,
      /overloaded/,
    ],
    [
      'no choices',
      () => Response.json({ choices: [] }),
      /no reply in it, a chat completion was expected$/,
      undefined,
    ],
    [
      'a page',
      () => new Response('<html></html>', { headers: { 'content-type': 'text/html' } }),
      /no reply/,
      /<html>/,
    ],
  ];
  test.each(answers)(
    'are told in plain words where there is no reply: %s',
    async (_, answer, whole, streamed) => {
      const fields = {
        model: 'kimi-k2',
        baseURL: 'http://127.0.0.1:1/v1',
        maxRetries: 0,
        fetch: async () => answer(),
      };
      const model = new ChatKimi(fields);
      await expect(model.invoke('Hello?')).rejects.toThrow(whole);
      const streaming = new ChatKimi({ ...fields, streaming: true });
      for (const ask of [
        () => ways.stream(model),
        () => ways.streamEvents(model),
        () => ways.invoke(streaming),
      ]) {
        if (streamed) await expect(ask()).rejects.toThrow(streamed);
        else expect(await ask()).toMatchObject({ text: '', tool_calls: [] });
      }
    },
  );

  test('a choice without a message is a reply without words', async () => {
    const model = new ChatKimi({
      model: 'kimi-k2',
      baseURL: 'http://127.0.0.1:1/v1',
      fetch: async () => Response.json({ choices: [{ index: 0, finish_reason: 'stop', message: null }] }),
    });
    const reply = await model.invoke('Hello?');
    expect(reply).toMatchObject({ content: '', response_metadata: { finish_reason: 'stop' } });
  });

  test('hold no key', async () => {
    const { model } = await start({ apiKey: 'sk-right' }, { apiKey: 'sk-wrong' });
    const error: unknown = await ways.invoke(model).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ status: 401 });
    expect(JSON.stringify(error) + String(error)).not.toContain('sk-wrong');
  });
});
