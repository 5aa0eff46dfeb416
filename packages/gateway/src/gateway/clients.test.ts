import { type BehaviourName, behaviours, type Engine, startEngine } from '@kimi-tc/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import shapes from './client-shapes.json' with { type: 'json' };
import { post, startTestGateway, undoAfterAll } from './test-gateway.ts';

/**
 * What a client sends beside model, messages and tools, and what it makes of its history. The table is one
 * of clients as they were seen on the wire; each row is a conversation of three turns.
 */
interface ClientShape {
  name: string;
  request: Record<string, unknown> & { stream: boolean };
  /** More fields, from the second request on. */
  secondRequest?: Record<string, unknown>;
  /** A request for a title comes first, without tools. */
  titleFirst?: boolean;
  systemRole?: string;
  userContent?: string;
  userMessages?: number;
  toolContent?: string;
  /** What an assistant message without text has for content. */
  emptyContent: string;
  /** More fields of assistant messages. */
  assistant?: Record<string, unknown>;
  reasoning: string;
  /** What it does with ids of calls. */
  ids: string;
}

interface Call {
  id: string;
  name: string;
  arguments: string;
}

interface Reply {
  content: string;
  reasoning: string;
  calls: Call[];
  finish: string | undefined;
}

type Message = Record<string, unknown>;

const parameters = (...names: string[]) => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string', pattern: '.+' }])),
  required: names,
  additionalProperties: false,
});
const tools = [
  { type: 'function', function: { name: 'read', parameters: parameters('path') } },
  { type: 'function', function: { name: 'write', parameters: parameters('path', 'text') } },
];

const call = (id: string, args: object) =>
  `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${JSON.stringify(args)}<|tool_call_end|>`;
const section = (...calls: string[]) =>
  `<|tool_calls_section_begin|>${calls.join('')}<|tool_calls_section_end|>`;
const turns = [
  `<think>Two files.</think>Looking.${section(call('functions.read:0', { path: 'a.md' }), call('functions.read:1', { path: 'b.md' }))}`,
  `<think>Joined.</think>${section(call('functions.write:2', { path: 'c.md', text: 'a\nb' }))}`,
  '<think>Written.</think>All done.',
];
const expectedTurns = [
  {
    reasoning: 'Two files.',
    content: 'Looking.',
    calls: [
      ['read', { path: 'a.md' }],
      ['read', { path: 'b.md' }],
    ],
  },
  { reasoning: 'Joined.', content: '', calls: [['write', { path: 'c.md', text: 'a\nb' }]] },
  { reasoning: 'Written.', content: 'All done.', calls: [] },
];

/** Behaviours of a server that leave nothing to save, and the status that the client gets. */
const FAILS: Partial<Record<BehaviourName, number>> = {
  'rate-limited': 429,
  'server-error': 500,
  'connection-reset': 502,
  'html-error-page': 502,
  'tool-use-failed': 400,
};
/** Those that end the reply in its middle. */
const CUTS: readonly BehaviourName[] = ['cut-mid-call', 'error-mid-stream'];
/** Those that lose the calls, and what is left of the first turn. */
const LOSES: Partial<Record<BehaviourName, string>> = {
  'reasoning-only': '',
  'empty-tool-call-deltas': 'Looking.',
};
/** Those that lose where the thought ends. */
const BLURS: readonly BehaviourName[] = ['think-close-stripped'];
/** Rules of Moonshot's API, which nobody else has. */
const MOONSHOT_RULES: readonly string[] = [
  'sampling-pinned',
  'forced-tool-refused',
  'thinking-beside-effort-refused',
  'strict-tool-names',
  'type-beside-any-of-refused',
];

const names = Object.keys(behaviours) as BehaviourName[];
const engines = new Map<BehaviourName, Engine>();
let chat = '';
const undo = undoAfterAll();

beforeAll(async () => {
  for (const behaviour of names) {
    const script = ({ body, turn = 0 }: { body: unknown; turn?: number }) =>
      Array.isArray((body as { tools?: unknown }).tools)
        ? (turns[turn] as string)
        : '<think>In short.</think>Reading two files';
    const engine = await startEngine({ script, behaviour, slowMs: 20 });
    engines.set(behaviour, engine);
    undo(() => engine.stop());
  }
  const gateway = await startTestGateway(
    {
      upstreams: names.map((name) => ({
        name,
        url: engines.get(name)?.baseURL as string,
        // The rules came with K2.5.
        models: { [name]: MOONSHOT_RULES.includes(name) ? 'kimi-k2.5' : 'kimi-k2-thinking' },
        endpoint: MOONSHOT_RULES.includes(name) ? 'moonshot' : 'auto',
      })),
    },
    {},
    undo,
  );
  chat = `${gateway.baseURL}/chat/completions`;
});

async function send(body: object): Promise<Response> {
  return post(chat, body, { headers: { authorization: 'Bearer none' } });
}

/** Reads an answer as the plainest client does. @throws Error if it says that it failed, or breaks off */
async function read(response: Response, streamed: boolean): Promise<Reply> {
  if (!response.ok) throw new Error(`status ${response.status}`);
  const reply: Reply = { content: '', reasoning: '', calls: [], finish: undefined };
  const take = ({ content, reasoning_content, tool_calls }: Message) => {
    reply.content += content ?? '';
    reply.reasoning += reasoning_content ?? '';
    for (const [at, entry] of ((tool_calls ?? []) as Message[]).entries()) {
      const { name, arguments: args } = entry.function as { name?: string; arguments?: string };
      const index = (entry.index ?? at) as number;
      reply.calls[index] ??= { id: entry.id as string, name: name ?? '', arguments: '' };
      (reply.calls[index] as Call).arguments += args ?? '';
    }
  };
  if (!streamed) {
    const { choices } = (await response.json()) as { choices: [{ message: Message; finish_reason: string }] };
    take(choices[0].message);
    return { ...reply, finish: choices[0].finish_reason };
  }
  for (const line of (await response.text()).split('\n')) {
    const data = line.startsWith('data:') ? line.slice('data:'.length).trim() : '';
    if (!data.startsWith('{')) continue;
    const { choices = [], error } = JSON.parse(data);
    if (error) throw new Error(error.message);
    for (const { delta, finish_reason } of choices) {
      take(delta);
      reply.finish = finish_reason ?? reply.finish;
    }
  }
  return reply;
}

/** What a client writes into its history for an id it got. */
function createIdKeeper({ ids }: ClientShape): (call: Call) => string {
  const given = new Map<string, number>();
  let number = 0;
  return ({ id, name }) => {
    if (ids === 'renumbered') return `functions.${name}:${number++}`;
    const own = ids === 'underscored' ? id.replace(/[^\w-]/g, '_') : id;
    const times = (given.get(own) ?? 0) + 1;
    given.set(own, times);
    if (times === 1 || ids === 'kept') return own;
    if (ids === 'underscored') return `${own}__${times}`;
    return ids === 'suffixed' ? `${own}__qwen_dup_${times}` : `call_${String(number++).padStart(24, '0')}`;
  };
}

const toParts = (text: string, parts: string | undefined) =>
  parts === 'parts' ? [{ type: 'text', text }] : text;

/** One client in one conversation. */
function createClient(shape: ClientShape, model: BehaviourName) {
  const keepId = createIdKeeper(shape);
  const issued: string[] = [];
  const messages: Message[] = [
    { role: shape.systemRole ?? 'system', content: `You are ${shape.name}.` },
    ...Array.from({ length: shape.userMessages ?? 1 }, (_, at) => ({
      role: 'user',
      content: toParts(`Join a.md and b.md. (${at})`, shape.userContent),
    })),
  ];
  let requests = 0;

  async function ask(): Promise<Reply> {
    const more = requests++ > 0 ? shape.secondRequest : {};
    const body = { model, messages, tools, ...shape.request, ...more };
    const reply = await read(await send(body), shape.request.stream);
    issued.push(...reply.calls.map(({ id }) => id));
    return reply;
  }

  function answer({ content, reasoning, calls }: Reply): void {
    const own = calls.map((one) => ({ ...one, id: keepId(one) }));
    const empty = { text: { content: '' }, null: { content: null }, absent: {} }[shape.emptyContent];
    messages.push({
      role: 'assistant',
      ...(content === '' ? empty : { content }),
      ...shape.assistant,
      ...(shape.reasoning !== 'dropped' && reasoning !== '' && { [shape.reasoning]: reasoning }),
      tool_calls: own.map(({ id, name, arguments: args }) => ({
        id,
        type: 'function',
        function: { name, arguments: args },
      })),
    });
    for (const { id } of own)
      messages.push({ role: 'tool', tool_call_id: id, content: toParts('ok', shape.toolContent) });
  }

  return {
    issued,
    ask,
    answer,
    askTitle: async () => {
      const body = { model, messages: messages.slice(0, 2), ...shape.request, tool_choice: undefined };
      return read(await send(body), shape.request.stream);
    },
  };
}

/** Every call of a history as it arrived, with the ids of its results. */
function readHistory(body: unknown) {
  const { messages } = body as { messages: (Message & { tool_calls?: { id: string }[] })[] };
  return {
    calls: messages.flatMap(({ tool_calls }) => (tool_calls ?? []).map(({ id }) => id)),
    results: messages.flatMap(({ role, tool_call_id }) => (role === 'tool' ? [tool_call_id] : [])),
    reasoning: messages.flatMap(({ tool_calls, reasoning_content }) =>
      tool_calls ? [reasoning_content] : [],
    ),
  };
}

async function playWhole(shape: ClientShape, behaviour: BehaviourName): Promise<void> {
  const client = createClient(shape, behaviour);
  const engine = engines.get(behaviour) as Engine;
  const isOnce = behaviours[behaviour].failure?.once === true;
  if (shape.titleFirst && !isOnce && !BLURS.includes(behaviour))
    expect((await client.askTitle()).content).toBe('Reading two files');
  for (const expected of expectedTurns) {
    if (isOnce) await client.ask().catch(() => undefined);
    const reply = await client.ask();
    expect(reply.calls.map(({ name, arguments: args }) => [name, JSON.parse(args)])).toEqual(expected.calls);
    expect(reply.finish).toBe(expected.calls.length > 0 ? 'tool_calls' : 'stop');
    expect(reply.content + reply.reasoning).not.toMatch(/<\||<\/?think>|functions\./);
    if (!BLURS.includes(behaviour))
      expect(reply).toMatchObject({ content: expected.content, reasoning: expected.reasoning });
    client.answer(reply);
  }
  expect(new Set(client.issued).size).toBe(client.issued.length);
  expect(client.issued).toHaveLength(3);
  const own = engine.requests.filter(({ body }) => JSON.stringify(body).includes(`You are ${shape.name}.`));
  if (!isOnce) expect(own.map(({ status, error }) => error ?? status)).toEqual(own.map(() => 200));
  const last = readHistory(own.at(-1)?.body);
  expect(last.results).toEqual(last.calls);
  if (!MOONSHOT_RULES.includes(behaviour))
    expect(last.calls).toEqual(['functions.read:0', 'functions.read:1', 'functions.write:2']);
  if (BLURS.includes(behaviour)) expect(last.reasoning.every((text) => text)).toBe(true);
  else expect(last.reasoning).toEqual(['Two files.', 'Joined.']);
}

describe.each(names)('%s', (behaviour) => {
  test.concurrent.each((shapes as ClientShape[]).map((shape) => [shape.name, shape] as const))(
    '%s',
    async (_, shape) => {
      const client = createClient(shape, behaviour);
      const status = FAILS[behaviour];
      const left = LOSES[behaviour];
      if (status !== undefined) {
        await expect(client.ask()).rejects.toThrow(`status ${status}`);
      } else if (CUTS.includes(behaviour)) {
        // Nothing of it may look like a call that is there to be run.
        await expect(client.ask()).rejects.toThrow();
      } else if (left !== undefined) {
        const reply = await client.ask();
        expect(reply).toMatchObject({ content: left, reasoning: 'Two files.', calls: [], finish: 'stop' });
      } else {
        await playWhole(shape, behaviour);
      }
    },
  );
});
