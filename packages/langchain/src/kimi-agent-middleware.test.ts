import { type BehaviourName, type Engine, type EngineOptions, startEngine } from '@kimi-tc/testing';
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  isAIMessage,
  type ToolMessage,
} from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAICompletions } from '@langchain/openai';
import { type AgentMiddleware, createAgent, humanInTheLoopMiddleware } from 'langchain';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { ChatKimi } from './index.ts';
import { kimiAgentMiddleware } from './kimi-agent-middleware.ts';

const head = '<|tool_calls_section_begin|><|tool_call_begin|>';
const call = (name: string, counter: number, args: string) =>
  `${head}functions.${name}:${counter}<|tool_call_argument_begin|>${args}<|tool_call_end|><|tool_calls_section_end|>`;

const ran: string[] = [];
const read = tool(
  ({ path }) => {
    ran.push(path);
    return `text of ${path}`;
  },
  { name: 'read', description: 'Reads.', schema: z.object({ path: z.string() }) },
);
const tools = [read];

/** LangChain's own model, which knows nothing of Kimi. */
async function start(
  script: EngineOptions['script'],
  behaviour: BehaviourName | readonly BehaviourName[] = 'raw-content',
): Promise<{ engine: Engine; model: ChatOpenAICompletions }> {
  ran.length = 0;
  const engine = await startEngine({ script, behaviour });
  onTestFinished(() => engine.stop());
  const configuration = { baseURL: engine.baseURL };
  const model = new ChatOpenAICompletions({ model: 'kimi-k2', apiKey: 'none', maxRetries: 0, configuration });
  return { engine, model };
}

const textsOf = (messages: readonly BaseMessage[]) => messages.map(({ type, text }) => `${type}: ${text}`);
const messagesOf = (engine: Engine, at: number) =>
  (engine.requests[at]?.body as { messages: object[] } | undefined)?.messages ?? [];

describe('a model that cannot be changed', () => {
  const script = [
    `<think>Look.</think>Reading.${call('read', 0, '{"path":"a.md"}')}`,
    call('read', 0, '{"path":"b.md"}'),
    { text: 'Done.', behaviour: 'healthy' as const },
  ];

  test('ends at once without it', async () => {
    const { model } = await start(script);
    const { messages } = await createAgent({ model, tools }).invoke({ messages: 'Read.' });
    expect(messages).toHaveLength(2);
    expect(ran).toEqual([]);
  });

  test.each(['raw-content', 'raw-reasoning', 'stripped-tokens', 'section-end-missing', 'healthy'] as const)(
    'runs to the end with it, with ids that are unique (%s)',
    async (behaviour) => {
      const { model, engine } = await start(script, behaviour);
      const agent = createAgent({ model, tools, middleware: [kimiAgentMiddleware()] });
      const { messages } = await agent.invoke({ messages: 'Read.' });
      expect(ran).toEqual(['a.md', 'b.md']);
      expect(messages.at(-1)?.text).toBe('Done.');
      expect(JSON.stringify(messages)).not.toMatch(/<\|tool|<think>/);
      const calls = messages.flatMap((message) => (isAIMessage(message) ? (message.tool_calls ?? []) : []));
      expect(calls.map(({ id }) => id)).toEqual(['functions.read:0', 'functions.read:1']);
      expect(messagesOf(engine, 2).slice(1)).toMatchObject([
        { role: 'assistant', tool_calls: [{ id: 'functions.read:0' }] },
        { role: 'tool', tool_call_id: 'functions.read:0' },
        { role: 'assistant', tool_calls: [{ id: 'functions.read:1' }] },
        { role: 'tool', tool_call_id: 'functions.read:1' },
      ]);
    },
  );

  test('gives structured responses, and waits for people', async () => {
    const { model } = await start(({ turn, body }) => {
      const { tools: offered } = body as { tools: { function: { name: string } }[] };
      const extract = offered.at(-1)?.function.name as string;
      return turn === 0 ? call('read', 0, '{"path":"a.md"}') : call(extract, 1, '{"city":"Oslo"}');
    });
    const responseFormat = z.object({ city: z.string() });
    // Its types do not stand `exactOptionalPropertyTypes`.
    const wait = humanInTheLoopMiddleware({ interruptOn: { write: true } } as never) as AgentMiddleware;
    const middleware = [wait, kimiAgentMiddleware()];
    const agent = createAgent({ model, tools, responseFormat, middleware });
    expect((await agent.invoke({ messages: 'Where?' })).structuredResponse).toEqual({ city: 'Oslo' });
    expect(ran).toEqual(['a.md']);
  });
});

test('keeps all replies of a server that gives every one the same id', async () => {
  const { model, engine } = await start([
    call('read', 0, '{"path":"a.md"}'),
    call('read', 1, '{"path":"b.md"}'),
    'Done.',
  ]);
  const sameIds: typeof fetch = async (...args) => {
    const response = await fetch(...args);
    const body = (await response.text()).replaceAll(/"id":"chatcmpl-[^"]*"/g, '"id":"chatcmpl-same"');
    return new Response(body, { headers: { 'content-type': 'application/json' } });
  };
  const configuration = { baseURL: engine.baseURL, fetch: sameIds };
  const same = new ChatOpenAICompletions({ model: model.model, apiKey: 'none', configuration });
  const agent = createAgent({ model: same, tools, middleware: [kimiAgentMiddleware()] });
  const { messages } = await agent.invoke({ messages: 'Read.' });
  expect(ran).toEqual(['a.md', 'b.md']);
  expect(textsOf(messages)).toEqual([
    'human: Read.',
    'ai: ',
    'tool: text of a.md',
    'ai: ',
    'tool: text of b.md',
    'ai: Done.',
  ]);
  expect(messages[1]?.id).toBe('chatcmpl-same');
});

describe('calls that cannot run', () => {
  const cut = `Reading.${head}functions.read:0<|tool_call_argument_begin|>{"path":"a`;
  const broken = call('read', 0, "{'path': 'a'}");

  test.each([
    [
      'cut',
      { text: cut, finishReason: 'length' },
      'it broke off before its arguments were complete',
      '{"path":"a',
    ],
    ['broken', { text: broken }, 'its arguments are not a JSON object', "{'path': 'a'}"],
  ])('are fed back, and the model tries again (%s)', async (_, first, why, args) => {
    const { model, engine } = await start([first, call('read', 1, '{"path":"b.md"}'), 'Done.']);
    const agent = createAgent({ model, tools, middleware: [kimiAgentMiddleware()] });
    const { messages } = await agent.invoke({ messages: 'Read.' });
    expect(ran).toEqual(['b.md']);
    expect(messages.at(-1)?.text).toBe('Done.');
    const feedback = messages[2] as ToolMessage;
    expect(feedback).toMatchObject({ tool_call_id: 'functions.read:0', name: 'read', status: 'error' });
    expect(feedback.text).toContain(why);
    expect(feedback.text).toContain(`arguments: ${args}\n`);
    // In the history the call stands without its arguments: no server takes those.
    expect(messagesOf(engine, 1).slice(1)).toMatchObject([
      {
        role: 'assistant',
        tool_calls: [{ id: 'functions.read:0', function: { name: 'read', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'functions.read:0' },
    ]);
    expect((messages[1] as AIMessage).tool_calls).toEqual([]);
    expect((messages[1] as AIMessage).invalid_tool_calls).toMatchObject([{ id: 'functions.read:0', args }]);
  });

  test('beside calls that can: those run, and the model hears of both', async () => {
    const both = `${call('read', 0, '{"path":"a.md"}')}${head}functions.read:1<|tool_call_argument_begin|>{"pa`;
    const { model, engine } = await start([{ text: both, finishReason: 'length' }, 'Done.']);
    const agent = createAgent({ model, tools, middleware: [kimiAgentMiddleware()] });
    const { messages } = await agent.invoke({ messages: 'Read.' });
    expect(ran).toEqual(['a.md']);
    expect(messages.at(-1)?.text).toBe('Done.');
    expect(
      messagesOf(engine, 1)
        .slice(2)
        .map((message) => (message as { tool_call_id: string }).tool_call_id)
        .toSorted(),
    ).toEqual(['functions.read:0', 'functions.read:1']);
  });

  test('that were put together from a stream, with the reason as well', async () => {
    const { engine } = await start([broken, 'Done.']);
    const model = new ChatKimi({ model: 'kimi-k2', baseURL: engine.baseURL, streaming: true });
    const agent = createAgent({ model, tools, middleware: [kimiAgentMiddleware()] });
    const { messages } = await agent.invoke({ messages: 'Read.' });
    expect(messages[2]?.text).toContain('its arguments are not a JSON object');
    expect(messages.at(-1)?.text).toBe('Done.');
  });

  test('also of a model that is watched by events, whose messages keep them as blocks only', async () => {
    const { engine } = await start([
      { text: cut, finishReason: 'length' },
      call('read', 1, '{"path":"b.md"}'),
      'Done.',
    ]);
    const model = new ChatKimi({ model: 'kimi-k2', baseURL: engine.baseURL });
    const agent = createAgent({ model, tools, middleware: [kimiAgentMiddleware()] });
    const run = await agent.streamEvents({ messages: 'Read.' }, { version: 'v3' });
    const { messages } = (await run.output) as { messages: BaseMessage[] };
    expect(messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai', 'tool', 'ai']);
    expect(messages[2]?.text).toContain('it broke off before its arguments were complete');
    expect(messages[2]?.text).toContain('arguments: {"path":"a\n');
    expect(ran).toEqual(['b.md']);
    expect(messagesOf(engine, 1)[1]).toMatchObject({ tool_calls: [{ function: { arguments: '{}' } }] });
  });

  test('without a name are told of as by the user', async () => {
    const nameless = { text: `${head}functions.re`, finishReason: 'length' };
    const { model } = await start([nameless, call('read', 0, '{"path":"b.md"}'), 'Done.']);
    const agent = createAgent({ model, tools, middleware: [kimiAgentMiddleware()] });
    const { messages } = await agent.invoke({ messages: 'Read.' });
    expect(messages.map(({ type }) => type)).toEqual(['human', 'ai', 'human', 'ai', 'tool', 'ai']);
    expect(messages[2]?.text).toMatch(/^Error: the tool call was not run, because/);
    expect(ran).toEqual(['b.md']);
  });

  test.each([
    [undefined, 4],
    [1, 2],
    [0, 1],
  ])('only so often in a row (%s)', async (invalidCallRetries, requests) => {
    const { model, engine } = await start(() => ({ text: cut, finishReason: 'length' }));
    const options = invalidCallRetries === undefined ? {} : { invalidCallRetries };
    const agent = createAgent({ model, tools, middleware: [kimiAgentMiddleware(options)] });
    const { messages } = await agent.invoke({ messages: 'Read.' });
    expect(engine.requests).toHaveLength(requests);
    expect(AIMessage.isInstance(messages.at(-1))).toBe(true);
    expect(ran).toEqual([]);
    expect(textsOf(messages)).toHaveLength(1 + 2 * requests - 1);
  });
});

test('the count starts anew when the user says something', async () => {
  const cut = {
    text: `${head}functions.read:0<|tool_call_argument_begin|>{"path":"a`,
    finishReason: 'length',
  };
  const { model, engine } = await start(({ body }) => {
    const { messages } = body as { messages: { role: string; content: string }[] };
    return messages.some(({ content }) => content === 'Again.') && engine.requests.length > 3 ? 'Done.' : cut;
  });
  const agent = createAgent({ model, tools, middleware: [kimiAgentMiddleware({ invalidCallRetries: 1 })] });
  const { messages } = await agent.invoke({ messages: 'Read.' });
  const after = await agent.invoke({ messages: [...messages, new HumanMessage('Again.')] });
  expect(engine.requests).toHaveLength(4);
  expect(after.messages.at(-1)?.text).toBe('Done.');
});

test('options that are wrong are named', () => {
  expect(() => kimiAgentMiddleware({ invalidCallRetries: -1 })).toThrow(/^invalidCallRetries: expected/);
  expect(() => kimiAgentMiddleware({ limits: { maxToolCalls: 0.5 } })).toThrow(
    /^limits.maxToolCalls: expected/,
  );
});
