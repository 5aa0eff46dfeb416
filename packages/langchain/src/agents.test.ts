import { type BehaviourName, type Engine, type EngineOptions, startEngine } from '@kimi-tc/testing';
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  isAIMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { Command, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { createReactAgent, ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { type AgentMiddleware, createAgent, humanInTheLoopMiddleware, providerStrategy } from 'langchain';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { ChatKimi, type ChatKimiFields } from './index.ts';

const call = (name: string, counter: number, args: object) =>
  `<|tool_call_begin|>functions.${name}:${counter}<|tool_call_argument_begin|>${JSON.stringify(args)}<|tool_call_end|>`;
const turn = (thought: string, ...calls: string[]) =>
  `<think>${thought}</think><|tool_calls_section_begin|>${calls.join('')}<|tool_calls_section_end|>`;

const files: Record<string, string> = { 'a.md': 'alpha', 'b.md': 'beta' };
const read = tool(({ path }) => files[path] ?? 'no such file', {
  name: 'read',
  description: 'Reads a file.',
  schema: z.object({ path: z.string() }),
});
const write = tool(({ path, text }) => `wrote ${text.length} to ${path}`, {
  name: 'write',
  description: 'Writes a file.',
  schema: z.object({ path: z.string(), text: z.string() }),
});
const count = tool(({ text }) => String(text.length), {
  name: 'count',
  description: 'Counts.',
  schema: z.object({ text: z.string() }),
});
const tools = [read, write, count];

interface Setup {
  engine: Engine;
  model: ChatKimi;
}

async function start(
  script: EngineOptions['script'],
  behaviour: BehaviourName | readonly BehaviourName[] = 'raw-content',
  fields: Partial<ChatKimiFields> = {},
): Promise<Setup> {
  const engine = await startEngine({ script, behaviour });
  onTestFinished(() => engine.stop());
  const model = new ChatKimi({
    model: 'kimi-k2-thinking',
    baseURL: engine.baseURL,
    maxRetries: 0,
    // What is sent back is to come from the messages.
    reasoningMemory: false,
    ...fields,
  });
  return { engine, model };
}

interface WireMessage {
  role: string;
  content?: string | null;
  reasoning_content?: string;
  tool_call_id?: string;
  tool_calls?: { id: string }[];
}

const messagesOf = (engine: Engine, at: number) =>
  (engine.requests[at]?.body as { messages: WireMessage[] } | undefined)?.messages ?? [];
const wrongRequests = (engine: Engine) => engine.requests.filter(({ status }) => status !== 200);
const typesOf = (messages: readonly BaseMessage[]) => messages.map(({ type }) => type);

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Eight steps, and nine calls of three tools; counters go on, as the model is trained to. */
const eightSteps = [
  turn('First a and b.', call('read', 0, { path: 'a.md' }), call('read', 1, { path: 'b.md' })),
  turn('Count a.', call('count', 2, { text: 'alpha' })),
  turn('Count b.', call('count', 3, { text: 'beta' })),
  turn('Write it.', call('write', 4, { path: 'c.md', text: '5 "and" 4\n' })),
  turn('Once more a.', call('read', 5, { path: 'a.md' })),
  turn('And what is not there.', call('read', 6, { path: 'z.md' })),
  turn('Write once more.', call('write', 7, { path: 'd.md', text: '' })),
  turn('Last.', call('count', 8, { text: '🚀' })),
  '<think>Done.</think>All **done**.',
];

/** The same thread of the model as servers tell it. */
const servers: [string, BehaviourName | BehaviourName[]][] = [
  ['parsed by the server', 'healthy'],
  ['raw', 'raw-content'],
  ['raw in the reasoning', 'raw-reasoning'],
  ['stripped of its tokens', 'stripped-tokens'],
  ['with ids that repeat', ['healthy', 'repeated-ids']],
  ['with made-up ids', ['healthy', 'generated-ids']],
  ['refused without its reasoning', ['raw-content', 'reasoning-replay-required']],
];

describe.each(servers)('an agent of eight steps, %s', (name, behaviour) => {
  const check = (messages: BaseMessage[], engine: Engine) => {
    expect(wrongRequests(engine)).toEqual([]);
    expect(engine.requests).toHaveLength(9);
    expect(messages.at(-1)?.text).toBe('All **done**.');
    const calls = messages.flatMap((message) =>
      AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [],
    );
    expect(calls.map((one) => one.name).join(' ')).toBe('read read count count write read read write count');
    expect(new Set(calls.map(({ id }) => id)).size).toBe(9);
    const results = messages.filter((message) => ToolMessage.isInstance(message));
    expect(results.map(({ content }) => content)).toEqual([
      'alpha',
      'beta',
      '5',
      '4',
      'wrote 10 to c.md',
      'alpha',
      'no such file',
      'wrote 0 to d.md',
      '2',
    ]);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
    // The model sees its own ids and thoughts again.
    const sent = messagesOf(engine, 8);
    expect(sent.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id))).toEqual([
      'functions.read:0',
      'functions.read:1',
      'functions.count:2',
      'functions.count:3',
      'functions.write:4',
      'functions.read:5',
      'functions.read:6',
      'functions.write:7',
      'functions.count:8',
    ]);
    if (name !== 'stripped of its tokens')
      expect(sent.map(({ reasoning_content }) => reasoning_content).filter(Boolean)).toEqual([
        'First a and b.',
        'Count a.',
        'Count b.',
        'Write it.',
        'Once more a.',
        'And what is not there.',
        'Write once more.',
        'Last.',
      ]);
  };

  test('createAgent', async () => {
    const { engine, model } = await start(eightSteps, behaviour);
    const agent = createAgent({ model, tools });
    const { messages } = await agent.invoke({ messages: 'Compare.' }, { recursionLimit: 50 });
    check(messages, engine);
  });

  test('createAgent, streamed', async () => {
    const { engine, model } = await start(eightSteps, behaviour);
    const agent = createAgent({ model, tools });
    const states = await collect(
      await agent.stream({ messages: 'Compare.' }, { recursionLimit: 50, streamMode: 'values' }),
    );
    check(states.at(-1)?.messages ?? [], engine);
  });

  test('createReactAgent', async () => {
    const { engine, model } = await start(eightSteps, behaviour);
    const agent = createReactAgent({ llm: model, tools });
    const { messages } = await agent.invoke(
      { messages: [new HumanMessage('Compare.')] },
      { recursionLimit: 50 },
    );
    check(messages, engine);
  });
});

test('an agent that is watched by events, in the protocol of content blocks', async () => {
  const { engine, model } = await start(
    [
      turn('Look.', call('read', 0, { path: 'a.md' })),
      turn('Again.', call('read', 0, { path: 'b.md' })),
      'Done.',
    ],
    ['raw-content', 'reasoning-replay-required'],
  );
  const run = await createAgent({ model, tools }).streamEvents({ messages: 'Go.' }, { version: 'v3' });
  const seen: unknown[] = [];
  for await (const message of run.messages) {
    const calls = (await message.toolCalls) as { id?: string }[];
    seen.push([await message.reasoning, await message.text, calls.map(({ id }) => id)]);
  }
  expect(seen).toEqual([
    ['Look.', '', ['functions.read:0']],
    ['Again.', '', ['functions.read:1']],
    ['', 'Done.', []],
  ]);
  const { messages } = (await run.output) as { messages: BaseMessage[] };
  expect(messages.map(({ text }) => text)).toEqual(['Go.', '', 'alpha', '', 'beta', 'Done.']);
  expect(wrongRequests(engine)).toEqual([]);
});

test('a thinking loop of ten steps, at a server that demands the reasoning of each', async () => {
  const steps = Array.from({ length: 10 }, (_, at) =>
    turn(`Step ${at}.`, call('read', at, { path: 'a.md' })),
  );
  const { engine, model } = await start([...steps, 'Done.'], ['healthy', 'reasoning-replay-required']);
  const agent = createAgent({ model, tools });
  const { messages } = await agent.invoke({ messages: 'Go.' }, { recursionLimit: 50 });
  expect(messages.at(-1)?.text).toBe('Done.');
  expect(messagesOf(engine, 10).flatMap(({ reasoning_content = [] }) => reasoning_content)).toEqual(
    steps.map((_, at) => `Step ${at}.`),
  );
});

describe('structured responses', () => {
  const responseFormat = z.object({ city: z.string(), degrees: z.number() });

  test('by a forced tool, beside other tools', async () => {
    const asked: unknown[] = [];
    const { engine, model } = await start(({ turn: at, body }) => {
      const { tools: offered } = body as { tools: { function: { name: string } }[] };
      asked.push(offered.map((one) => one.function.name));
      const extract = offered.at(-1)?.function.name as string;
      return at === 0
        ? turn('Look.', call('read', 0, { path: 'a.md' }))
        : turn('Answer.', call(extract, 1, { city: 'Oslo', degrees: -3 }));
    });
    const agent = createAgent({ model, tools, responseFormat });
    const { structuredResponse, messages } = await agent.invoke({ messages: 'Weather?' });
    expect(structuredResponse).toEqual({ city: 'Oslo', degrees: -3 });
    expect(typesOf(messages).slice(0, 4)).toEqual(['human', 'ai', 'tool', 'ai']);
    expect(asked[0]).toEqual(['read', 'write', 'count', expect.stringMatching(/^extract-/)]);
    expect(engine.requests[0]?.body).toMatchObject({ tool_choice: 'required' });
  });

  test('by schema', async () => {
    const { engine, model } = await start([
      turn('Look.', call('read', 0, { path: 'a.md' })),
      '<think>Now.</think>{"city":"Oslo","degrees":-3}',
    ]);
    const agent = createAgent({ model, tools, responseFormat: providerStrategy(responseFormat) });
    const { structuredResponse } = await agent.invoke({ messages: 'Weather?' });
    expect(structuredResponse).toEqual({ city: 'Oslo', degrees: -3 });
    expect(engine.requests[1]?.body).toMatchObject({ response_format: { type: 'json_schema' } });
  });

  test('by schema by itself, where the endpoint refuses forced tools', async () => {
    const { engine, model } = await start(
      ['{"city":"Oslo","degrees":-3}'],
      ['healthy', 'forced-tool-refused'],
      {
        model: 'kimi-k2.7-code',
        endpoint: 'moonshot',
      },
    );
    const agent = createAgent({ model, tools, responseFormat });
    const { structuredResponse } = await agent.invoke({ messages: 'Weather?' });
    expect(structuredResponse).toEqual({ city: 'Oslo', degrees: -3 });
    expect(engine.requests[0]?.body).toMatchObject({ response_format: { type: 'json_schema' } });
  });
});

describe('threads', () => {
  test('are resumed from a checkpoint, by another agent too', async () => {
    const checkpointer = new MemorySaver();
    const config = { configurable: { thread_id: '1' } };
    const { engine, model } = await start(
      [
        turn('Look.', call('read', 0, { path: 'a.md' })),
        'It says alpha.',
        turn('Again.', call('read', 0, { path: 'b.md' })),
        'It says beta.',
      ],
      ['raw-content', 'reasoning-replay-required'],
    );
    await createAgent({ model, tools, checkpointer }).invoke({ messages: 'a?' }, config);
    const again = new ChatKimi({
      model: 'kimi-k2-thinking',
      baseURL: engine.baseURL,
      reasoningMemory: false,
    });
    const { messages } = await createAgent({ model: again, tools, checkpointer }).invoke(
      { messages: 'b?' },
      config,
    );
    expect(messages.map(({ text }) => text)).toEqual([
      'a?',
      '',
      'alpha',
      'It says alpha.',
      'b?',
      '',
      'beta',
      'It says beta.',
    ]);
    const ids = messages
      .flatMap((message) => (isAIMessage(message) ? (message.tool_calls ?? []) : []))
      .map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(messagesOf(engine, 3).flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id))).toEqual([
      'functions.read:0',
      'functions.read:1',
    ]);
    expect(messagesOf(engine, 3).map(({ reasoning_content }) => reasoning_content)).toEqual(
      expect.arrayContaining(['Look.', 'Again.']),
    );
  });

  test('wait for a person to approve or to edit a call', async () => {
    const { engine, model } = await start([
      turn('Two files.', call('write', 0, { path: 'c.md', text: 'one' }), call('read', 1, { path: 'a.md' })),
      'Done.',
    ]);
    const agent = createAgent({
      model,
      tools,
      checkpointer: new MemorySaver(),
      // Its types do not stand `exactOptionalPropertyTypes`.
      middleware: [humanInTheLoopMiddleware({ interruptOn: { write: true } } as never)] as AgentMiddleware[],
    });
    const config = { configurable: { thread_id: '1' } };
    const waiting = await agent.invoke({ messages: 'Write.' }, config);
    expect(waiting.__interrupt__?.[0]?.value).toMatchObject({
      actionRequests: [{ name: 'write', args: { path: 'c.md', text: 'one' } }],
    });
    const args = { path: 'e.md', text: 'other' };
    const { messages } = await agent.invoke(
      new Command({ resume: { decisions: [{ type: 'edit', editedAction: { name: 'write', args } }] } }),
      config,
    );
    expect(messages.at(-1)?.text).toBe('Done.');
    const results = messages
      .filter((message) => ToolMessage.isInstance(message))
      .map(({ content }) => content);
    expect(results.toSorted()).toEqual(['alpha', 'wrote 5 to e.md']);
    // The edited call goes back, and not what the model had written. LangChain puts those first that run.
    expect(messagesOf(engine, 1)[1]?.tool_calls).toMatchObject([
      { function: { name: 'read', arguments: '{"path":"a.md"}' } },
      { function: { name: 'write', arguments: JSON.stringify(args) } },
    ]);
  });
});

describe('a graph of a model and a tool node', () => {
  const script = [turn('Look.', call('read', 0, { path: 'a.md' })), 'It says **alpha**, I think.'];

  const createGraph = (model: ChatKimi) => {
    const bound = model.bindTools(tools);
    return new StateGraph(MessagesAnnotation)
      .addNode('model', async ({ messages }) => ({ messages: await bound.invoke(messages) }))
      .addNode('tools', new ToolNode(tools))
      .addEdge(START, 'model')
      .addConditionalEdges('model', toolsCondition)
      .addEdge('tools', 'model')
      .compile();
  };
  const input = { messages: [new HumanMessage('a?')] };

  test('streamed as values', async () => {
    const { model } = await start(script);
    const states = await collect(await createGraph(model).stream(input, { streamMode: 'values' }));
    expect(states.map(({ messages }) => typesOf(messages))).toEqual([
      ['human'],
      ['human', 'ai'],
      ['human', 'ai', 'tool'],
      ['human', 'ai', 'tool', 'ai'],
    ]);
  });

  test('streamed as updates', async () => {
    const { model } = await start(script);
    const updates = await collect(await createGraph(model).stream(input, { streamMode: 'updates' }));
    expect(updates.map((update) => Object.keys(update)[0])).toEqual(['model', 'tools', 'model']);
  });

  test('streamed as messages: tokens while they come, each once, none of them raw', async () => {
    const { model } = await start(script);
    const parts = (await collect(await createGraph(model).stream(input, { streamMode: 'messages' }))).map(
      ([message]) => message,
    );
    const texts = parts.filter((part) => part.type === 'ai' && part.text !== '').map((part) => part.text);
    expect(texts.length).toBeGreaterThan(3);
    expect(texts.join('')).toBe('It says **alpha**, I think.');
    const thoughts = parts.map((part) => part.additional_kwargs.reasoning_content ?? '').join('');
    expect(thoughts).toBe('Look.');
    expect(new Set(parts.filter((part) => part.type === 'ai').map(({ id }) => id)).size).toBe(2);
    expect(JSON.stringify(parts)).not.toContain('<|');
  });

  test('keeps both replies of a server that gives every one the same id', async () => {
    const { engine, model } = await start(script);
    const sameIds: typeof fetch = async (...args) => {
      const response = await fetch(...args);
      const body = (await response.text()).replaceAll(/"id":"chatcmpl-[^"]*"/g, '"id":"chatcmpl-same"');
      return new Response(body, { headers: { 'content-type': response.headers.get('content-type') ?? '' } });
    };
    const same = new ChatKimi({ model: model.model, baseURL: engine.baseURL, fetch: sameIds });
    const { messages } = await createGraph(same).invoke(input);
    expect(typesOf(messages)).toEqual(['human', 'ai', 'tool', 'ai']);
    expect(
      messages.filter(isAIMessage).map(({ response_metadata }) => response_metadata.response_id),
    ).toEqual(['chatcmpl-same', 'chatcmpl-same']);
  });
});
