// What `tool_calls` of a message says is what runs, whatever the message has of the calls besides.
import { startEngine } from '@kimi-tc/testing';
import { load } from '@langchain/core/load';
import {
  AIMessage,
  AIMessageChunk,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
} from '@langchain/core/messages';
import { RunnableLambda } from '@langchain/core/runnables';
import { concat } from '@langchain/core/utils/stream';
import { ChatOpenAICompletions } from '@langchain/openai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { KimiOutputParser } from './index.ts';

const call = (id: string, args: string) =>
  `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${args}<|tool_call_end|>`;
const section = (...calls: string[]) =>
  `<|tool_calls_section_begin|>${calls.join('')}<|tool_calls_section_end|>`;
const script = section(call('functions.read:0', '{"path":"/etc/passwd"}'), call('functions.list:1', '{}'));

const parser = new KimiOutputParser();
const raw = (id: string, name: string, args: string) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: args },
});
const finished = { response_metadata: { finish_reason: 'tool_calls' } };

const callsOf = ({ tool_calls = [] }: AIMessage | AIMessageChunk) =>
  tool_calls.map(({ name, args }) => [name, args]);

async function join(chunks: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | undefined;
  for await (const chunk of chunks) whole = whole ? concat(whole, chunk) : chunk;
  if (!whole) throw new Error('there was no chunk');
  return whole;
}

type Step = (message: AIMessage) => AIMessage;
const safely: Step = (message) => {
  message.tool_calls = (message.tool_calls ?? []).map((call) =>
    call.name === 'read' ? { ...call, args: { path: '/safe' } } : call,
  );
  return message;
};

describe.each<[string, Step, unknown]>([
  [
    'drops all calls',
    (message) => {
      message.tool_calls = [];
      return message;
    },
    [],
  ],
  [
    'drops one call',
    (message) => {
      message.tool_calls = (message.tool_calls ?? []).filter(({ name }) => name === 'list');
      return message;
    },
    [['list', {}]],
  ],
  [
    'changes arguments',
    safely,
    [
      ['read', { path: '/safe' }],
      ['list', {}],
    ],
  ],
  [
    'changes arguments in place',
    (message) => {
      for (const { name, args } of message.tool_calls ?? []) if (name === 'read') args.path = '/safe';
      return message;
    },
    [
      ['read', { path: '/safe' }],
      ['list', {}],
    ],
  ],
  [
    'changes arguments in a message of its own',
    (message) => {
      const { content, additional_kwargs, response_metadata, tool_calls = [] } = safely(message);
      return new AIMessage({ content, additional_kwargs, response_metadata, tool_calls });
    },
    [
      ['read', { path: '/safe' }],
      ['list', {}],
    ],
  ],
  [
    'changes the name',
    (message) => {
      const [first, ...rest] = message.tool_calls ?? [];
      message.tool_calls = first ? [{ ...first, name: 'look' }, ...rest] : rest;
      return message;
    },
    [
      ['look', { path: '/etc/passwd' }],
      ['list', {}],
    ],
  ],
  [
    'adds a call',
    (message) => {
      message.tool_calls?.push({ id: 'own', name: 'log', args: { n: 1 } });
      return message;
    },
    [
      ['read', { path: '/etc/passwd' }],
      ['list', {}],
      ['log', { n: 1 }],
    ],
  ],
])('behind a step that %s', (_, step, expected) => {
  test.each(['whole', 'joined from a stream'])('that gets the reply of a plain model %s', async (how) => {
    const engine = await startEngine({ script: () => script, behaviour: 'healthy' });
    onTestFinished(() => engine.stop());
    const model = new ChatOpenAICompletions({
      model: 'kimi-k2',
      apiKey: 'none',
      configuration: { baseURL: engine.baseURL },
    });
    const ask = async () => (how === 'whole' ? model.invoke('Read.') : join(await model.stream('Read.')));
    const chain = RunnableLambda.from(async () => step(await ask())).pipe(parser);
    expect(callsOf(await chain.invoke(0))).toEqual(expected);
    expect(callsOf(await join(await chain.stream(0)))).toEqual(expected);
  });
});

test('what is not among the raw calls passes too', async () => {
  const message = new AIMessage({
    content: '',
    tool_calls: [
      { id: 'a', name: 'f', args: { x: 1 } },
      { id: 'b', name: 'g', args: {} },
    ],
    additional_kwargs: { tool_calls: [raw('a', 'f', '{"x":1}')] },
    ...finished,
  });
  expect(callsOf(await parser.invoke(message))).toEqual([
    ['f', { x: 1 }],
    ['g', {}],
  ]);
});

test('a call that nobody has changed keeps the spelling of its arguments', async () => {
  const message = (args: object) =>
    new AIMessage({
      content: '',
      tool_calls: [{ id: 'a', name: 'f', args: { ...args } }],
      additional_kwargs: { tool_calls: [raw('a', 'f', '{ "x": 1.0 }')] },
      ...finished,
    });
  const written = async (args: object) =>
    (await parser.invoke(message(args))).additional_kwargs.tool_calls?.[0]?.function.arguments;
  expect(await written({ x: 1 })).toBe('{ "x": 1.0 }');
  expect(await written({ x: 2 })).toBe('{"x":2}');
});

test('calls of one id are told apart by what they say', async () => {
  const message = new AIMessage({
    content: '',
    tool_calls: [{ id: '', name: 'f', args: { x: 2 } }],
    additional_kwargs: { tool_calls: [raw('', 'f', '{ "x": 1 }'), raw('', 'f', '{ "x": 2 }')] },
    ...finished,
  });
  const { tool_calls } = (await parser.invoke(message)).additional_kwargs;
  expect(tool_calls?.map((call) => call.function.arguments)).toEqual(['{ "x": 2 }']);
});

describe('a message out of storage says what it said when it was stored', () => {
  const stored = () => {
    const message = new AIMessage({
      content: '',
      additional_kwargs: { tool_calls: [raw('a', 'read', '{"path":"/etc/passwd"}')] },
      tool_calls: [{ id: 'a', name: 'read', args: { path: '/etc/passwd' } }],
      ...finished,
    });
    return safely(message);
  };
  test.each<[string, () => Promise<AIMessage>]>([
    ['as JSON', () => load<AIMessage>(JSON.stringify(stored()))],
    [
      'as a list',
      async () =>
        mapStoredMessagesToChatMessages(mapChatMessagesToStoredMessages([stored()]))[0] as AIMessage,
    ],
  ])('%s', async (_, read) => {
    expect(callsOf(await parser.invoke(await read()))).toEqual([['read', { path: '/safe' }]]);
  });
});

describe('calls that must not run', () => {
  const message = (...invalid: string[]) => {
    const message = new AIMessage({
      content: '',
      invalid_tool_calls: invalid.map((args) => ({ id: 'a', name: 'f', args, error: 'Refused.' })),
      ...finished,
    });
    // Given to the constructor, they would be warned of.
    message.additional_kwargs = { tool_calls: [raw('a', 'f', invalid[0] ?? '{"x":1}')] };
    return message;
  };

  test('stay so, whatever the raw calls say', async () => {
    const reply = await parser.invoke(message('{"x":1}'));
    expect(reply.tool_calls).toEqual([]);
    expect(reply.invalid_tool_calls).toMatchObject([{ id: 'a', args: '{"x":1}' }]);
  });

  test('are gone if somebody has dropped them', async () => {
    const reply = await parser.invoke(message());
    expect(reply).toMatchObject({ tool_calls: [], invalid_tool_calls: [] });
  });

  test('are read where the server had them, if they can be mended', async () => {
    const broken = message('{"x":"a\tb"}');
    broken.additional_kwargs.tool_calls?.push(raw('b', 'g', '{}'));
    broken.tool_calls = [{ id: 'b', name: 'g', args: {} }];
    expect(callsOf(await parser.invoke(broken))).toEqual([
      ['f', { x: 'a\tb' }],
      ['g', {}],
    ]);
  });

  // LangChain completes cut arguments, and has the call among those that may run.
  test.each(['{"path":"/tmp/a', ''])('cut ones do not, though another call was dropped: %s', async (cut) => {
    const joined = () =>
      new AIMessageChunk({
        content: '',
        tool_call_chunks: [
          { index: 0, id: 'a', name: 'list', args: '{}' },
          { index: 1, id: 'b', name: 'rm', args: cut },
        ],
        additional_kwargs: { tool_calls: [raw('a', 'list', '{}'), raw('b', 'rm', cut)] },
        response_metadata: { finish_reason: 'length' },
      });
    const chunk = joined();
    chunk.tool_calls = chunk.tool_calls?.slice(1) ?? [];
    const { content, additional_kwargs, response_metadata, tool_calls } = chunk;
    const copy = new AIMessage({ content, additional_kwargs, response_metadata, tool_calls });
    for (const given of [chunk, copy]) {
      expect(given.tool_calls).toHaveLength(1);
      const reply = await parser.invoke(given);
      expect(reply.tool_calls).toEqual([]);
      expect(reply.invalid_tool_calls).toMatchObject([{ id: 'b', name: 'rm', args: cut }]);
    }
  });
});

test('a call that a step drops out of the parts of a stream does not run, and the others do', async () => {
  const part = (...tool_call_chunks: object[]) =>
    new AIMessageChunk({ content: '', tool_call_chunks } as never);
  async function* source(): AsyncGenerator<AIMessageChunk> {
    yield part({ index: 0, id: 'a', name: 'rm', args: '' }, { index: 1, id: 'b', name: 'list', args: '' });
    yield part({ index: 0, args: '{"path":"/"}' });
    yield part({ index: 1, args: '{"path":' });
    yield part({ index: 1, args: '"."}' });
    yield new AIMessageChunk({ content: '', ...finished });
  }
  async function* allowed(): AsyncGenerator<AIMessageChunk> {
    for await (const chunk of source()) {
      chunk.tool_calls = chunk.tool_calls?.filter(({ name }) => name !== 'rm') ?? [];
      yield chunk;
    }
  }
  expect(callsOf(await join(parser.transform(allowed(), {})))).toEqual([['list', { path: '.' }]]);
});
