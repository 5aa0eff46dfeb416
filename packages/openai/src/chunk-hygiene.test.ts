import { type BehaviourName, type EngineOptions, startEngine } from '@kimi-tc/testing';
import OpenAI from 'openai';
import { Stream } from 'openai/streaming';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type ChatChunk,
  collectTurn,
  createKimiFetch,
  type KimiChunk,
  type KimiChunkDelta,
  type KimiToolCallDelta,
  transformKimiCompletion,
  transformKimiStream,
} from './index.ts';

// One test for each rule about chunks; each rule broke a real client where a server breaks it.

const call = (id: string, args: string, end = '<|tool_call_end|>') =>
  `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${args}${end}`;
const begin = '<|tool_calls_section_begin|>';
const end = '<|tool_calls_section_end|>';
const look = `<think>Where?</think>Looking.${begin}${call('functions.look:0', '{"at":"home"}')}${end}`;

const tools = [
  { type: 'function' as const, function: { name: 'look', parameters: { properties: { at: {} } } } },
  { type: 'function' as const, function: { name: 'go', parameters: { properties: { to: {} } } } },
];
const ask = {
  model: 'kimi-k2-thinking',
  messages: [{ role: 'user' as const, content: 'Where is it?' }],
  tools,
};

async function connect(script: EngineOptions['script'], behaviour: EngineOptions['behaviour']) {
  const engine = await startEngine({ script, behaviour: behaviour ?? 'healthy' });
  onTestFinished(() => engine.stop());
  return new OpenAI({ baseURL: engine.baseURL, apiKey: 'none', maxRetries: 0, fetch: createKimiFetch() });
}

/** What the SDK hands its user, chunk by chunk. */
async function stream(
  text: string,
  behaviour: EngineOptions['behaviour'],
  more: object = {},
): Promise<KimiChunk[]> {
  const client = await connect([text], behaviour);
  const chunks: KimiChunk[] = [];
  for await (const chunk of await client.chat.completions.create({ ...ask, ...more, stream: true })) {
    chunks.push(chunk as KimiChunk);
  }
  return chunks;
}

const deltas = (chunks: readonly KimiChunk[]): KimiChunkDelta[] =>
  chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
const fragments = (chunks: readonly KimiChunk[]): KimiToolCallDelta[] =>
  deltas(chunks).flatMap(({ tool_calls }) => tool_calls ?? []);
const finishes = (chunks: readonly KimiChunk[]) =>
  chunks.flatMap(({ choices }) => choices.flatMap(({ finish_reason }) => finish_reason ?? []));
const joined = (chunks: readonly KimiChunk[], field: 'content' | 'reasoning_content' | 'reasoning') =>
  deltas(chunks)
    .map((delta) => delta[field] ?? '')
    .join('');
const lastExtra = (chunks: readonly KimiChunk[]) =>
  chunks.flatMap(({ choices }) => choices.flatMap(({ x_kimi }) => x_kimi ?? [])).at(-1);

/** Of a server that is like no behaviour of the engine, in through a `fetch` of its own. */
function clientOf(frames: readonly unknown[]): OpenAI {
  const body = frames
    .map((frame) => `data: ${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n\n`)
    .join('');
  const answer = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  const fetch = createKimiFetch({ fetch: answer });
  return new OpenAI({ baseURL: 'http://server.invalid/v1', apiKey: 'none', maxRetries: 0, fetch });
}

async function pass(frames: readonly unknown[]): Promise<KimiChunk[]> {
  const chunks: KimiChunk[] = [];
  for await (const chunk of await clientOf(frames).chat.completions.create({ ...ask, stream: true })) {
    chunks.push(chunk as KimiChunk);
  }
  return chunks;
}

const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) => ({
  id: 'c-1',
  object: 'chat.completion.chunk',
  created: 7,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
});

describe('the first delta has the role', () => {
  test('although the server forgets it', async () => {
    expect(deltas(await pass([chunk({ content: 'Hi.' }), chunk({}, 'stop'), '[DONE]']))).toEqual([
      { role: 'assistant', content: 'Hi.' },
      {},
    ]);
  });

  test('although all text of the chunk with the role is held back', async () => {
    const chunks = await pass([
      chunk({ role: 'assistant', content: '<|tool_ca' }),
      chunk({ content: `lls_section_begin|>${call('functions.look:0', '{}')}${end}` }),
      chunk({}, 'stop'),
      '[DONE]',
    ]);
    expect(deltas(chunks)[0]).toEqual({ role: 'assistant', content: '' });
    expect(joined(chunks, 'content')).toBe('');
    expect(fragments(chunks)[0]?.id).toBe('functions.look:0');
  });

  test('although there is nothing but a finish', async () => {
    const chunks = await pass([chunk({}, 'stop'), '[DONE]']);
    expect(deltas(chunks)[0]).toEqual({ role: 'assistant', content: '' });
    expect(finishes(chunks)).toEqual(['stop']);
  });
});

test('tool deltas have an index, the first one also id, type, whole name and no arguments', async () => {
  const chunks = await stream(
    `${begin}${call('look:0', '{"at":"home"}')}${call('functions.go:1', '{"to":"work"}')}${end}`,
    'raw-content',
  );
  const byCall = [0, 1].map((index) => fragments(chunks).filter((fragment) => fragment.index === index));
  expect(byCall.map(([first]) => first)).toEqual([
    { index: 0, id: 'functions.look:0', type: 'function', function: { name: 'look', arguments: '' } },
    { index: 1, id: 'functions.go:1', type: 'function', function: { name: 'go', arguments: '' } },
  ]);
  for (const [, ...rest] of byCall) {
    expect(rest.length).toBeGreaterThan(1);
    for (const fragment of rest) {
      expect(Object.keys(fragment)).toEqual(['index', 'function']);
      expect(Object.keys(fragment.function ?? {})).toEqual(['arguments']);
    }
  }
});

test.each<[BehaviourName, string]>([
  ['fresh-id-per-fragment', 'merged by index, the first id stays'],
  ['split-name', 'the name is whole'],
  ['repeated-name', 'the name comes once'],
  ['empty-name-on-fragments', 'empty names go'],
  ['same-index-twice', 'one entry of a call in a chunk'],
  ['conversation-index', 'calls count from 0'],
  ['one-index-for-all-calls', 'each call gets an index of its own'],
  ['space-before-name', 'the name is trimmed'],
  ['interleaved-calls', 'each call keeps its own arguments'],
  ['arguments-as-object', 'arguments are text'],
  ['arguments-twice', 'the second copy goes'],
])('calls of a server with %s: %s', async (behaviour) => {
  const calls = call('functions.look:3', '{"at":"home"}') + call('functions.go:4', '{"to":"work"}');
  const found = fragments(await stream(`${begin}${calls}${end}`, ['healthy', behaviour]));
  expect(new Set(found.map(({ index }) => index))).toEqual(new Set([0, 1]));
  for (const [index, name, args] of [
    [0, 'look', '{"at":"home"}'],
    [1, 'go', '{"to":"work"}'],
  ] as const) {
    const own = found.filter((fragment) => fragment.index === index);
    expect(
      own.map(({ function: { name: piece } = {} }) => piece).filter((piece) => piece !== undefined),
    ).toEqual([name]);
    expect(own.map(({ id }) => id).filter((id) => id !== undefined)).toHaveLength(1);
    expect(own.map(({ function: { arguments: piece } = {} }) => piece).join('')).toBe(args);
  }
});

test('no chunk has two entries of one call', async () => {
  const chunks = await stream(look, ['healthy', 'same-index-twice']);
  for (const { tool_calls = [] } of deltas(chunks)) expect(tool_calls.length).toBeLessThan(2);
});

test('a finish reason always', async () => {
  expect(finishes(await stream(look, ['raw-content', 'no-finish']))).toEqual(['tool_calls']);
  expect(finishes(await stream('Hi.', ['healthy', 'no-finish', 'missing-done']))).toEqual(['stop']);
});

test('one finish only, and the last usage', async () => {
  const usage = (total_tokens: number) => ({
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens },
  });
  const chunks = await pass([
    chunk({ role: 'assistant', content: 'Hi.' }),
    chunk({}, 'stop', usage(2)),
    chunk({}, 'stop'),
    '[DONE]',
  ]);
  expect(finishes(chunks)).toEqual(['stop']);
  expect(chunks.at(-1)?.usage?.total_tokens).toBe(2);
  expect(finishes(await stream(look, ['healthy', 'finish-twice']))).toEqual(['tool_calls']);
});

test('what is said behind a finish reason is not lost', async () => {
  const chunks = await pass([
    chunk({ role: 'assistant', content: 'Hi' }, 'stop'),
    chunk({ content: ' there.' }),
    chunk({}, 'stop'),
    '[DONE]',
  ]);
  expect(joined(chunks, 'content')).toBe('Hi there.');
  expect(finishes(chunks)).toEqual(['stop']);
  expect(finishes(chunks.slice(-1))).toEqual(['stop']);
});

test('the finish reason says what there is', async () => {
  expect(finishes(await stream(look, ['healthy', 'finish-stop-with-calls']))).toEqual(['tool_calls']);
  expect(finishes(await stream('Hi.', ['healthy', 'empty-tool-call-deltas']))).toEqual(['stop']);
  const none = await stream(look, ['healthy', 'empty-tool-call-deltas']);
  expect(finishes(none)).toEqual(['stop']);
  expect(lastExtra(none)).toMatchObject({
    finish_reason: 'tool_calls',
    problems: [{ code: 'missing-call' }],
  });
});

describe('reasoning', () => {
  test.each<BehaviourName>(['raw-content', 'raw-reasoning-field'])(
    'made here stands in both fields (%s)',
    async (behaviour) => {
      const chunks = await stream(look, behaviour);
      expect(joined(chunks, 'reasoning_content')).toBe('Where?');
      expect(joined(chunks, 'reasoning')).toBe('Where?');
    },
  );

  test('of a server that calls it reasoning stands in both fields', async () => {
    const chunks = await stream(look, ['healthy', 'reasoning-field']);
    expect(joined(chunks, 'reasoning_content')).toBe('Where?');
    expect(joined(chunks, 'reasoning')).toBe('Where?');
  });

  test('of a server that fills reasoning_content alone stands there alone, held text as well', async () => {
    const chunks = await pass([
      chunk({ role: 'assistant', reasoning_content: 'a <' }),
      chunk({ reasoning_content: 'b' }),
      chunk({}, 'stop'),
      '[DONE]',
    ]);
    expect(joined(chunks, 'reasoning_content')).toBe('a <b');
    expect(joined(chunks, 'reasoning')).toBe('');
  });
});

test('an empty role, id or type is repaired', async () => {
  const chunks = await stream(look, ['healthy', 'empty-role-and-type']);
  expect(deltas(chunks).filter(({ role }) => role !== undefined)).toHaveLength(1);
  const [first, ...rest] = fragments(chunks);
  expect(first).toMatchObject({ id: 'functions.look:0', type: 'function' });
  for (const fragment of rest) expect(Object.keys(fragment)).toEqual(['index', 'function']);
});

test('a missing type is added', async () => {
  const entry = { index: 0, id: 'x', function: { name: 'look', arguments: '{}' } };
  const chunks = await pass([
    chunk({ role: 'assistant', tool_calls: [entry] }),
    chunk({}, 'tool_calls'),
    '[DONE]',
  ]);
  expect(fragments(chunks)).toEqual([
    { index: 0, id: 'x', type: 'function', function: { name: 'look', arguments: '' } },
    { index: 0, function: { arguments: '{}' } },
  ]);
});

test('empty lists of calls go', async () => {
  const chunks = await stream('Hi there.', ['healthy', 'tool-calls-on-every-delta']);
  expect(joined(chunks, 'content')).toBe('Hi there.');
  for (const delta of deltas(chunks)) expect(delta).not.toHaveProperty('tool_calls');
});

describe('chunks that look like an earlier one', () => {
  test.each([[Infinity], [1]])(
    'have its fields, not those of the one parsed last: %s in a read',
    async (size) => {
      const say = (content: string, more: object) => ({ ...chunk({ content }), ...more });
      const [first, other] = [
        { id: 'c-1', phase: 'think' },
        { id: 'c-2', phase: 'answer' },
      ];
      const reply = [
        chunk({ role: 'assistant', content: '' }),
        say('a', first),
        say('b', other),
        say('<|im_end|>x', first),
        chunk({}, 'stop'),
      ];
      const events = [...reply.map((one) => JSON.stringify(one)), '[DONE]'].map(
        (data) => `data: ${data}\n\n`,
      );
      const reads = size === 1 ? events : [events.join('')];
      const headers = { 'content-type': 'text/event-stream' };
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
        start(controller) {
          for (const read of reads) controller.enqueue(new TextEncoder().encode(read));
          controller.close();
        },
      });
      const fetch = createKimiFetch({ fetch: async () => new Response(body, { headers }) });
      const client = new OpenAI({ baseURL: 'http://server.invalid/v1', apiKey: 'none', fetch });
      const chunks: KimiChunk[] = [];
      for await (const one of await client.chat.completions.create({ ...ask, stream: true }))
        chunks.push(one as KimiChunk);
      const said = chunks.filter(({ choices }) => choices[0]?.delta.content);
      expect(said).toMatchObject([say('a', first), say('b', other), say('x', first)]);
    },
  );
});

describe('arguments that look like those of an earlier call', () => {
  const entry = (index: number, args: string) => ({
    tool_calls: [{ index, function: { arguments: args } }],
  });
  const first = (index: number, name: string) => ({
    tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } }],
  });
  const looks = [first(0, 'look'), entry(0, '{"at":'), entry(0, '"home"'), entry(0, '}')];

  test.each<[string, object[]]>([
    ['of the next call', [first(1, 'go'), entry(1, '{"to":'), entry(1, '"bed"'), entry(1, '}')]],
    ['in turn', [first(1, 'go'), entry(1, '{"to":'), entry(0, ' '), entry(1, '"bed"}')]],
    ['of a call that never began', [entry(1, '{"to":'), entry(1, '"bed"}')]],
    ['of a call that begins later', [entry(1, '{"to":"bed"'), first(1, 'go'), entry(1, '}')]],
    [
      'of a call that a text repeats',
      [{ content: 'functions.look:0{"at":"home"}' }, entry(2, '{"at"'), entry(2, ':1}')],
    ],
  ])('say what they say in any other form: %s', async (_, rest) => {
    const frames = [{ role: 'assistant', content: '' }, ...looks, ...rest].map((delta) => chunk(delta));
    const plain = await pass([...frames, chunk({}, 'tool_calls'), '[DONE]']);
    // No chunk looks like another that has a field of its own.
    const each = frames.map((frame, at) => ({ ...frame, service_tier: `t${at}` }));
    const apart = await pass([...each, chunk({}, 'tool_calls'), '[DONE]']);
    const callsOf = (chunks: readonly KimiChunk[]) =>
      fragments(chunks).map(({ index, id, function: fn }) => [index, id, fn?.name, fn?.arguments]);
    expect(joined(plain, 'content')).toBe(joined(apart, 'content'));
    expect(callsOf(plain)).toEqual(callsOf(apart));
    expect(lastExtra(plain)).toEqual(lastExtra(apart));
  });
});

describe('an error that comes with the last choice', () => {
  const error = { code: 502, message: 'upstream down' };
  /** As values, since the SDK throws at the last. */
  async function repair(reply: readonly object[]): Promise<KimiChunk[]> {
    async function* source() {
      yield* reply as ChatChunk[];
    }
    const chunks: KimiChunk[] = [];
    for await (const one of transformKimiStream(source(), { tools }))
      chunks.push(one as unknown as KimiChunk);
    return chunks;
  }

  const last = { ...chunk({ content: '' }, 'error'), error };

  test('comes behind what was held', async () => {
    const held = [chunk({ role: 'assistant', content: '' }), chunk({ content: 'The tag is <' }), last];
    const chunks = await repair(held);
    expect(joined(chunks, 'content')).toBe('The tag is <');
    const withError = chunks.filter((one) => 'error' in one);
    expect(withError).toEqual([chunks.at(-1)]);
    expect(withError).toMatchObject([{ error }]);
  });

  test('comes behind the end of a call that was cut', async () => {
    const open = call('functions.look:0', '{"at":"ho', '');
    const chunks = await repair([chunk({ role: 'assistant', content: '' }), chunk({ content: open }), last]);
    const [, ...args] = fragments(chunks).map((fragment) => fragment.function?.arguments);
    expect(() => JSON.parse(args.join(''))).toThrow();
    expect(chunks.filter((one) => 'error' in one)).toEqual([chunks.at(-1)]);
    expect(chunks.at(-1)?.choices[0]?.delta.tool_calls).toBeUndefined();
  });
});

describe('usage', () => {
  test('in a chunk of its own stays there, behind the finish', async () => {
    const options = { stream_options: { include_usage: true } };
    for (const behaviour of ['healthy', 'no-finish'] as const) {
      const chunks = await stream(
        look,
        ['raw-content', behaviour === 'healthy' ? 'finish-twice' : behaviour],
        options,
      );
      expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
      expect(finishes(chunks.slice(-2))).toEqual(['tool_calls']);
    }
  });

  test('on the choice is told on the chunk', async () => {
    const chunks = await stream(look, ['healthy', 'usage-in-choices']);
    expect(chunks.at(-1)?.usage?.total_tokens).toBeGreaterThan(0);
  });

  test('is told once', async () => {
    const chunks = await stream(look, ['healthy', 'usage-in-choices'], {
      stream_options: { include_usage: true },
    });
    expect(chunks.filter(({ usage }) => usage)).toHaveLength(1);
  });

  test('among the fields of Groq, unless it has a chunk of its own', async () => {
    const own = { id: 'req_1', usage: { total_tokens: 3 } };
    const reply = [
      chunk({ role: 'assistant', content: 'Hi.' }, null, { x_groq: { id: 'req_1' } }),
      chunk({}, 'stop', { x_groq: own }),
    ];
    expect((await pass(reply)).at(-1)).toMatchObject({ usage: { total_tokens: 3 }, x_groq: own });
    const told = { id: 'c-1', choices: [], usage: { total_tokens: 3 } };
    expect(await pass([...reply, told])).toEqual([...reply, told]);
    const alone = { id: 'c-1', choices: [], x_groq: own };
    const [first, , last] = await pass([...reply.slice(0, 1), chunk({}, 'stop'), alone]);
    expect([first, last]).toEqual([reply[0], { ...alone, usage: { total_tokens: 3 } }]);
    const message = { role: 'assistant', content: 'Hi.' };
    const completion = { choices: [{ index: 0, message, finish_reason: 'stop' }], x_groq: own };
    expect(transformKimiCompletion(completion)).toEqual({ ...completion, usage: { total_tokens: 3 } });
    const raw = `Hi.${begin}${call('functions.look:0', '{}')}${end}`;
    const leaked = [chunk({ role: 'assistant' }), chunk({ content: raw }, 'stop', { x_groq: own })];
    expect((await pass(leaked)).filter((one) => 'x_groq' in one)).toHaveLength(1);
    const both = [0, 1].map((index) => ({ index, delta: {}, finish_reason: 'stop' }));
    const several = await pass([...reply.slice(0, 1), { id: 'c-1', choices: both, x_groq: own }]);
    expect(several.filter(({ usage }) => usage)).toHaveLength(1);
  });

  test('on the finishes of several choices: the last one stays the last', async () => {
    const say = (index: number, delta: object, word: string | null = null, total?: number) => ({
      ...chunk({}, null, total === undefined ? {} : { usage: { total_tokens: total } }),
      choices: [{ index, delta, finish_reason: word }],
    });
    const client = clientOf([
      say(0, { role: 'assistant', content: 'a' }),
      say(1, { role: 'assistant', content: 'b' }),
      say(1, {}, 'stop', 3),
      say(0, { content: 'c' }),
      say(0, {}, 'stop', 5),
    ]);
    const { usage } = await client.chat.completions.stream(ask).finalChatCompletion();
    expect(usage).toEqual({ total_tokens: 5 });
  });

  test('on the choice passes there, as it came, beside a chunk of its own', async () => {
    const own = { total_tokens: 3 };
    const finish = { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: own }] };
    const told = { id: 'c', choices: [], usage: { total_tokens: 4 } };
    const chunks = await pass([chunk({ role: 'assistant', content: 'Hi.' }), finish, told, '[DONE]']);
    expect(chunks.slice(1)).toEqual([finish, told]);
  });
});

test('unknown fields survive, on chunks that are rewritten too', async () => {
  const more = { system_fingerprint: 'fp', provider: 'p' };
  const raw = `Hi.${begin}${call('functions.look:0', '{"at":"home"}')}${end}`;
  const chunks = await pass([
    { ...chunk({ role: 'assistant', content: raw, annotations: [1] }, null, more) },
    {
      ...chunk({}, 'stop', more),
      choices: [{ index: 0, delta: {}, finish_reason: 'stop', matched_stop: 9 }],
    },
    '[DONE]',
  ]);
  expect(chunks.length).toBeGreaterThan(3);
  for (const one of chunks) expect(one).toMatchObject({ id: 'c-1', created: 7, model: 'm', ...more });
  expect(deltas(chunks).filter((delta) => 'annotations' in delta)).toHaveLength(1);
  expect(chunks.at(-1)?.choices[0]).toMatchObject({ finish_reason: 'tool_calls', matched_stop: 9 });
});

describe('a field of the server that is on some chunks only survives', () => {
  const raw = `Hi.${begin}${call('functions.look:0', '{"at":"home"}')}${end}`;

  test('where nothing else is left of its chunk', async () => {
    const chunks = await pass([
      chunk({ role: 'assistant', content: raw.slice(0, 20) }, null, { provider: 'p' }),
      chunk({ content: raw.slice(20, 25) }, null, { provider: 'p' }),
      chunk({ content: raw.slice(25, 30) }, null, { provider: 'p', timings: { n: 1 } }),
      chunk({ content: raw.slice(30, 35) }, null, { provider: 'p', timings: { n: 2 } }),
      chunk({ content: raw.slice(35, 40) }, null, { provider: 'p', timings: { n: 2 } }),
      chunk({ content: raw.slice(40) }),
      chunk({}, 'stop'),
    ]);
    const told = chunks.map((one) => (one as { timings?: { n: number } }).timings?.n);
    expect(told.filter(Boolean)).toEqual([1, 2]);
    expect(joined(chunks, 'content')).toBe('Hi.');
    expect(finishes(chunks)).toEqual(['tool_calls']);
  });

  test('where its chunk waits, and changes then', async () => {
    const chunks = await pass([
      chunk({ role: 'assistant', content: 'Hi.' }),
      chunk({ content: ' a <|tool' }, null, { timings: 1 }),
      chunk({ content: '_calls_section_begin|>' }, null, { timings: 2 }),
      chunk({ content: raw.slice(raw.indexOf('<|tool_call_begin|>')) }),
      chunk({}, 'stop'),
    ]);
    expect(chunks.map((one) => (one as { timings?: number }).timings).filter(Boolean)).toEqual([1, 2]);
    expect(joined(chunks, 'content')).toBe('Hi. a ');
    expect(fragments(chunks)).toHaveLength(2);
  });

  test('on a finish, and nowhere else', async () => {
    const chunks = await pass([
      chunk({ role: 'assistant', content: 'Hi.' }),
      chunk({ content: '<|im_end|>' }, 'stop', { timings: 1 }),
    ]);
    expect(chunks).toMatchObject([{ choices: [{ delta: { content: 'Hi.' } }] }, { timings: 1 }]);
  });

  test('where its chunk is a finish that another follows', async () => {
    const [choice] = chunk({ refused: 3 }, 'stop').choices;
    const chunks = await pass([
      chunk({ role: 'assistant', content: 'Hi.' }),
      { ...chunk({}, 'stop', { timings: 1 }), choices: [{ ...choice, matched_stop: 9 }] },
      chunk({}, 'stop', { service: 2 }),
    ]);
    expect(finishes(chunks)).toEqual(['stop']);
    const own = { matched_stop: 9, delta: { refused: 3 } };
    expect(chunks.at(-1)).toMatchObject({ timings: 1, service: 2, choices: [own] });
  });

  test('with the call that it is of, where two have one id', async () => {
    const calls = ['look', 'list'].map((name) => ({
      id: 'a',
      sign: name,
      function: { name, arguments: '{}' },
    }));
    const streamed = await pass([
      chunk({ role: 'assistant' }),
      ...calls.map((call, index) => chunk({ tool_calls: [{ index, ...call }] })),
      chunk({}, 'stop'),
    ]);
    const message = { role: 'assistant', content: null, tool_calls: calls };
    const { choices } = transformKimiCompletion({ choices: [{ index: 0, message, finish_reason: 'stop' }] });
    const whole = choices[0]?.message as { tool_calls: object[] };
    for (const entry of [...fragments(streamed), ...whole.tool_calls] as Record<string, { name?: string }>[])
      if (entry.sign) expect(entry.function?.name ?? entry.sign).toBe(entry.sign);
  });

  test('in an entry of tool_calls that is made anew', async () => {
    const extra_content = { signature: 's' };
    const entry = { id: 'functions.look:0', extra_content };
    const streamed = await pass([
      chunk({ role: 'assistant' }),
      chunk({ tool_calls: [{ index: 0, ...entry, function: { name: 'look', strict: true } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"at":"home"}' } }] }),
      chunk({}, 'stop'),
    ]);
    const wanted = { ...entry, type: 'function', function: { name: 'look', strict: true } };
    expect(fragments(streamed)[0]).toMatchObject(wanted);
    const call = { ...entry, function: { name: 'look', strict: true, arguments: '{"at":"home"}' } };
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    const { choices } = transformKimiCompletion({ choices: [{ index: 0, message, finish_reason: 'stop' }] });
    expect(choices[0]?.message).toMatchObject({ tool_calls: [wanted] });
  });
});

describe('a turn is not empty that holds what is not read here', () => {
  test.each<[string, object]>([
    ['parts that are not all text', { content: [{ type: 'thinking' }, { type: 'text', text: 'Hello.' }] }],
    ['a refusal', { content: null, refusal: 'I cannot.' }],
    ['sound', { content: null, audio: { id: 'a', data: 'AA==' } }],
    ['pictures', { content: '', images: [{ type: 'image_url', image_url: { url: 'data:,' } }] }],
  ])('%s', async (_, said) => {
    for (const reason of ['stop', 'length']) {
      const reply = [chunk({ role: 'assistant', ...said }), chunk({}, reason)];
      expect(await pass(reply)).toEqual(reply);
      const choice = { index: 0, message: { role: 'assistant', ...said }, finish_reason: reason };
      const completion = { choices: [choice] };
      expect(transformKimiCompletion(completion)).toBe(completion);
    }
  });

  test('but one with nothing in those fields is', async () => {
    const nothing = { content: [], refusal: null, audio: null, images: [] };
    const chunks = await pass([chunk({ role: 'assistant', ...nothing }), chunk({}, 'stop')]);
    expect(chunks.at(-1)?.choices[0]?.x_kimi?.problems).toMatchObject([{ code: 'empty-turn' }]);
  });
});

describe('content that is a list of parts', () => {
  const leaked = `Hi.${begin}${call('functions.look:0', '{"at":"home"}')}${end}`;
  const parts = [leaked.slice(0, 40), leaked.slice(40)].map((text) => ({ type: 'text', text }));
  const picture = [{ type: 'image_url', image_url: { url: 'data:,' } }];

  test('is read as its text', async () => {
    const chunks = await pass([...parts.map((part) => chunk({ content: [part] })), chunk({}, 'stop')]);
    expect(joined(chunks, 'content')).toBe('Hi.');
    expect(fragments(chunks).map((fragment) => fragment.function?.arguments)).toEqual(['', '{"at":"home"}']);
    expect(finishes(chunks)).toEqual(['tool_calls']);
  });

  test('in a message as well', () => {
    const [choice] = transformKimiCompletion({
      choices: [{ index: 0, message: { role: 'assistant', content: parts }, finish_reason: 'stop' }],
    }).choices;
    expect(choice).toMatchObject({ message: { content: 'Hi.', tool_calls: [{ id: 'functions.look:0' }] } });
  });

  test('passes where it is not all text, with a role if the server forgets it', async () => {
    const chunks = await pass([chunk({ content: picture }), chunk({}, 'stop')]);
    expect(deltas(chunks)[0]).toEqual({ role: 'assistant', content: picture });
  });
});

test('log probabilities and other fields beside text that vanishes are not lost', async () => {
  const logprobs = { content: [{ token: '<|tool_calls_section_begin|>' }] };
  const chunks = await pass([
    chunk({ role: 'assistant', content: '' }),
    { ...chunk({}), choices: [{ index: 0, delta: { content: begin }, logprobs, finish_reason: null }] },
    chunk({ content: call('functions.look:0', '{}') }),
    chunk({}, 'stop'),
    '[DONE]',
  ]);
  expect(joined(chunks, 'content')).toBe('');
  expect(chunks.flatMap(({ choices }) => choices)).toContainEqual(expect.objectContaining({ logprobs }));
});

describe('native calls win over their leaked twins', () => {
  test.each([true, false])('stream: %s', async (streamed) => {
    const behaviour = ['healthy', 'native-and-leaked'] as const;
    if (streamed) {
      const chunks = await stream(look, behaviour);
      expect(joined(chunks, 'content')).toBe('Looking.');
      expect(fragments(chunks).filter(({ id }) => id !== undefined)).toHaveLength(1);
      expect(lastExtra(chunks)?.problems).toMatchObject([{ code: 'duplicate-call' }]);
      return;
    }
    const client = await connect([look], behaviour);
    const { choices } = await client.chat.completions.create(ask);
    expect(choices[0]?.message).toMatchObject({
      content: 'Looking.',
      tool_calls: [{ id: 'functions.look:0' }],
    });
    expect(choices[0]?.message.tool_calls).toHaveLength(1);
  });
});

describe('a call that was given up', () => {
  /** Arguments of the call at index 0, as the client has them in the end. */
  const argumentsOf = (chunks: readonly KimiChunk[], index: number) =>
    fragments(chunks)
      .filter((fragment) => fragment.index === index)
      .map(({ function: { arguments: piece } = {} }) => piece)
      .join('');

  test.each([
    ['cut', `${begin}${call('functions.look:0', '{"at":"ho', '')}`],
    ['cut without arguments', `${begin}<|tool_call_begin|>functions.look:0<|tool_call_argument_begin|>`],
    ['cut behind an empty object’s brace', `${begin}${call('functions.look:0', '{', '')}`],
  ])('%s does not parse, not even when a client completes it', async (_, text) => {
    const chunks = await stream(text, 'raw-content');
    const args = argumentsOf(chunks, 0);
    for (const ending of ['', '}', '"}', '":1}', 'null}']) expect(() => JSON.parse(args + ending)).toThrow();
    expect(args.trim()).not.toBe('');
    expect(finishes(chunks)).toEqual(['stop']);
    expect(lastExtra(chunks)).toMatchObject({
      incomplete_tool_calls: [{ index: 0, name: 'look', reason: 'truncated-call' }],
      problems: [{ code: 'truncated-call', index: 0 }],
    });
  });

  test('keeps its index, and the next call takes the next one', async () => {
    const broken = '<|tool_call_begin|>functions.look:0<|tool_call_argument_begin|>{"at":<|tool_call_begin|>';
    const chunks = await stream(
      `${begin}${broken}functions.go:1<|tool_call_argument_begin|>{"to":"work"}<|tool_call_end|>${end}`,
      'raw-content',
    );
    expect(() => JSON.parse(argumentsOf(chunks, 0))).toThrow();
    expect(argumentsOf(chunks, 1)).toBe('{"to":"work"}');
    expect(lastExtra(chunks)?.incomplete_tool_calls).toMatchObject([{ index: 0, reason: 'truncated-call' }]);
  });

  test.each([true, false])('is not run by runTools (stream: %s)', async (streamed) => {
    const texts = [`${begin}<|tool_call_begin|>functions.look:0<|tool_call_argument_begin|>`, 'Sorry.'];
    const client = await connect(texts, 'raw-content');
    let runs = 0;
    const params = {
      ...ask,
      tools: [
        {
          type: 'function' as const,
          function: {
            name: 'look',
            description: 'Looks.',
            parameters: { type: 'object' as const },
            parse: JSON.parse as (text: string) => object,
            function: () => {
              runs++;
              return 'seen';
            },
          },
        },
      ],
    };
    const { completions } = client.chat;
    const runner = streamed
      ? completions.runTools({ ...params, stream: true })
      : completions.runTools({ ...params, stream: false });
    await runner.done();
    expect(runs).toBe(0);
  });

  test.each([
    ['never on the wire', `${begin}${call('look<the thing', '{"at":"home"}')}${end}`],
    ['cut on the wire', `Hm.${begin}${call('functions.look:0', '{"at":"ho', '')}`],
    ['beside one that runs', `${begin}${call('call_9', '{"at":"a"}')}${call('look<it', '{}')}${end}`],
    ['nothing of a call', '<think>Hm.</think>'],
    ['behind a thought, at the limit', `<think>Hm.</think>${begin}<|tool_call_begin|>functions.lo`, 'length'],
  ])('is told as by the first of two readers in a row: %s', async (_, text, finishReason = 'stop') => {
    const engine = await startEngine({ script: [{ text, finishReason }], behaviour: 'raw-content' });
    onTestFinished(() => engine.stop());
    const once = createKimiFetch();
    for (const stream of [true, false]) {
      const [alone, behind] = await Promise.all(
        [once, createKimiFetch({ fetch: once })].map(async (fetch) => {
          const client = new OpenAI({ baseURL: engine.baseURL, apiKey: 'none', fetch });
          const reply = await client.chat.completions.create({ ...ask, stream });
          const chunks: unknown[] = [];
          if (reply instanceof Stream) for await (const one of reply) chunks.push(one);
          else chunks.push(reply);
          return lastExtra(chunks as KimiChunk[]);
        }),
      );
      expect(alone).toBeDefined();
      expect(behind).toEqual(alone);
    }
  });

  test('is not in a message', async () => {
    const client = await connect([`Hm.${begin}${call('functions.look:0', '{"at":"ho', '')}`], 'raw-content');
    const { choices } = await client.chat.completions.create(ask);
    expect(choices[0]?.message).not.toHaveProperty('tool_calls');
    expect(choices[0]).toMatchObject({
      finish_reason: 'stop',
      x_kimi: {
        incomplete_tool_calls: [
          { id: 'functions.look:0', name: 'look', reason: 'truncated-call', arguments: '{"at":"ho' },
        ],
      },
    });
  });
});

describe('ids', () => {
  test('the raw id stands under x_kimi', async () => {
    const chunks = await stream(`${begin}${call('look:4', '{}')}${end}`, 'raw-content');
    expect(lastExtra(chunks)).toMatchObject({
      tool_calls: [{ index: 0, id: 'functions.look:4', raw_id: 'look:4' }],
      problems: [{ code: 'id-rewritten', index: 0 }],
    });
  });

  test.each([true, false])('an id of an earlier turn is replaced (stream: %s)', async (streamed) => {
    const client = await connect(['', look], 'healthy');
    const earlier = {
      id: 'functions.look:0',
      type: 'function' as const,
      function: { name: 'look', arguments: '{}' },
    };
    const messages = [
      ...ask.messages,
      { role: 'assistant' as const, content: null, tool_calls: [earlier] },
      { role: 'tool' as const, tool_call_id: 'functions.look:0', content: '' },
    ];
    const extra = {
      tool_calls: [{ index: 0, id: 'functions.look:1', raw_id: 'functions.look:0' }],
      problems: [{ code: 'id-rewritten', index: 0 }],
    };
    if (streamed) {
      const runner = client.chat.completions.stream({ ...ask, messages });
      expect(await runner.finalMessage()).toMatchObject({ tool_calls: [{ id: 'functions.look:1' }] });
      expect((await runner.finalChatCompletion()).choices[0]).toMatchObject({ x_kimi: extra });
      return;
    }
    const { choices } = await client.chat.completions.create({ ...ask, messages });
    expect(choices[0]).toMatchObject({
      message: { tool_calls: [{ id: 'functions.look:1' }] },
      x_kimi: extra,
    });
  });
});

describe('a fragment without arguments is told behind the beginning of its call, or not at all', () => {
  const begun = (index: number, more: object = { arguments: '' }) => ({
    index,
    id: `functions.look:${index}`,
    type: 'function',
    function: { name: 'look', ...more },
  });
  const args = (index: number, text: string) => ({ index, function: { arguments: text } });
  const at = '{"at":"home"}';
  const passes = async (...lists: object[][]) => fragments(await pass(toFrames(lists)));

  test('where the beginning waits', async () => {
    const [first, ...others] = await passes([begun(0)], [args(0, '')], [args(0, at)]);
    expect(first).toEqual(begun(0));
    expect(others.map((one) => one.function?.arguments).join('')).toBe(at);
  });

  test('where the beginning has no arguments at all', async () => {
    const [first, ...others] = await passes([begun(0, {})], [args(0, '')], [args(0, at)]);
    expect(first).toEqual(begun(0));
    expect(others).toEqual([args(0, at)]);
  });

  test.each<[string, object[][]]>([
    ['before the arguments', [[begun(1)], [args(1, '')], [args(1, at)]]],
    ['behind them', [[begun(1)], [args(1, at)], [args(1, '')]]],
    ['on the finish', [[begun(1, { arguments: at })], [args(1, '')]]],
  ])('where its call has another index: %s', async (_, lists) => {
    expect(await passes(...lists)).toEqual([{ ...begun(1), index: 0 }, args(0, at)]);
    const message = await clientOf(toFrames(lists)).chat.completions.stream(ask).finalMessage();
    expect(message.tool_calls).toMatchObject([{ function: { name: 'look', arguments: at } }]);
  });
  test('beside arguments of another call', async () => {
    const out = await passes([begun(0)], [begun(1)], [args(0, at), args(1, '')], [args(1, at)]);
    for (const index of [0, 1]) {
      const [first, ...others] = out.filter((one) => one.index === index);
      expect(first).toEqual(begun(index));
      expect(others.map((one) => one.function?.arguments).join('')).toBe(at);
    }
  });

  test('where its call is taken out', async () => {
    const frames = toFrames([[begun(0)], [args(0, '')], [args(0, at)]]);
    async function* source() {
      yield* frames as ChatChunk[];
    }
    const chunks: KimiChunk[] = [];
    for await (const one of transformKimiStream(source(), { tools, toolChoice: 'none' }))
      chunks.push(one as KimiChunk);
    expect(fragments(chunks)).toEqual([]);
    expect(finishes(chunks)).toEqual(['stop']);
  });

  function toFrames(lists: readonly object[][]): ReturnType<typeof chunk>[] {
    return lists.map((tool_calls, place) =>
      chunk({ ...(place === 0 && { role: 'assistant' }), tool_calls }, toWord(place, lists.length)),
    );
  }

  const toWord = (place: number, length: number) => (place === length - 1 ? 'tool_calls' : null);
});

describe('calls that no server makes of text pass untouched', () => {
  const url = 'http://server.invalid/v1/chat/completions';
  const request = (model: string, stream: boolean) => ({
    method: 'POST',
    body: JSON.stringify({ ...ask, model, tools: undefined, functions: [{ name: 'look' }], stream }),
  });
  const sending = (text: string, type: string) => {
    const codes: string[] = [];
    const fetch = createKimiFetch({
      onProblem: ({ code }) => codes.push(code),
      fetch: async () => new Response(text, { headers: { 'content-type': type } }),
    });
    return { fetch, codes };
  };
  const models = ['gpt-4', 'kimi-k2.5'];

  test.each(models)('in a message, %s', async (model) => {
    const function_call = { name: 'look', arguments: '{"at":"home"}' };
    const message = { role: 'assistant', content: null, function_call };
    const text = JSON.stringify({
      id: 'c',
      choices: [{ index: 0, message, finish_reason: 'function_call' }],
    });
    const { fetch, codes } = sending(text, 'application/json');
    expect(await (await fetch(url, request(model, false))).text()).toBe(text);
    expect(codes).toEqual([]);
  });

  test.each(models)('in a stream, %s', async (model) => {
    const frame = (delta: object, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const text = [
      frame({ role: 'assistant', content: null }),
      // Held until it is clear that it begins no call.
      frame({ content: 'Looking <|tool' }),
      frame({ function_call: { name: 'look', arguments: '' } }),
      frame({ function_call: { arguments: '{"at":' } }),
      frame({ function_call: { arguments: '"home"}' } }),
      frame({}, 'function_call'),
      `data: ${JSON.stringify({ id: 'c', choices: [], usage: { total_tokens: 5 } })}\n\n`,
      'data: [DONE]\n\n',
    ].join('');
    const { fetch, codes } = sending(text, 'text/event-stream');
    expect(await (await fetch(url, request(model, true))).text()).toBe(text);
    expect(codes).toEqual([]);
  });

  const custom = { id: 'c1', type: 'custom', custom: { name: 'code', input: 'print(1)' } };
  const plain = { id: 'c0', type: 'function', function: { name: 'look', arguments: '{"at":"home"}' } };

  test.each(models)('of a custom tool in a message, %s', async (model) => {
    for (const tool_calls of [[custom], [plain, custom]]) {
      const message = { role: 'assistant', content: null, tool_calls };
      const text = JSON.stringify({ id: 'c', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });
      const { fetch, codes } = sending(text, 'application/json');
      expect(await (await fetch(url, request(model, false))).text()).toBe(text);
      expect(codes).toEqual([]);
    }
  });

  test.each(models)('of a custom tool in a stream, %s', async (model) => {
    const frame = (tool_calls?: object[], finish_reason: string | null = null) => {
      const delta = tool_calls ? { tool_calls } : {};
      return `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    };
    const calls = [
      frame([{ index: 0, ...plain, function: { name: 'look', arguments: '' } }]),
      frame([{ index: 0, function: { arguments: '{"at":"home"}' } }]),
      frame([{ index: 1, ...custom, custom: { name: 'code', input: '' } }]),
      frame([{ index: 1, custom: { input: 'print(1)' } }]),
      frame(undefined, 'tool_calls'),
      'data: [DONE]\n\n',
    ];
    const role = `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { role: 'assistant' } }] })}\n\n`;
    const split = [
      frame([{ index: 1, id: 'c1', type: 'custom' }]),
      frame([{ index: 1, custom: { name: 'code' } }]),
    ];
    const ways = [
      calls,
      calls.slice(2),
      [calls[0], calls[2], calls[1], ...calls.slice(3)],
      [...split, ...calls.slice(3)],
    ];
    for (const text of ways.map((all) => role + all.join(''))) {
      const { fetch, codes } = sending(text, 'text/event-stream');
      expect(await (await fetch(url, request(model, true))).text()).toBe(text);
      expect(codes).toEqual([]);
    }
  });

  test('of a custom tool behind calls that were text: under the indexes behind theirs', async () => {
    const chunks = await pass([
      chunk({ role: 'assistant', content: call('functions.look:0', '{"at":"home"}') }),
      chunk({ tool_calls: [{ index: 0, ...custom, custom: { name: 'code', input: '' } }] }),
      chunk({ tool_calls: [{ index: 0, custom: { input: 'print(1)' } }] }),
      chunk({}, 'tool_calls'),
    ]);
    expect(fragments(chunks).map(({ index }) => index)).toEqual([0, 0, 1, 1]);
  });

  test('of a custom tool in a completion that answers for a stream', async () => {
    const message = { role: 'assistant', content: null, tool_calls: [plain, custom] };
    const text = JSON.stringify({ id: 'c', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });
    const { fetch, codes } = sending(text, 'application/json');
    const client = new OpenAI({ baseURL: 'http://127.0.0.1:1/v1', apiKey: 'none', fetch });
    const stream = client.chat.completions.stream({ model: 'gpt-4', messages: [] });
    const { choices } = await stream.finalChatCompletion();
    expect(choices[0]?.message.tool_calls).toMatchObject([plain, custom]);
    expect(choices[0]?.message.tool_calls?.[1]).not.toHaveProperty('function');
    expect(codes).toEqual([]);
  });

  test('of a custom tool are none that a turn has', async () => {
    async function* source() {
      yield chunk({ tool_calls: [{ index: 0, ...custom }] });
      yield chunk({ tool_calls: [{ index: 1, ...plain }] }, 'tool_calls');
    }
    expect((await collectTurn(source())).toolCalls).toMatchObject([{ name: 'look' }]);
  });

  test('but beside tool_calls the older form does not stand in the way', async () => {
    const tool_calls = [{ index: 0, function: { name: 'look', arguments: '{}' } }];
    const function_call = { name: 'look', arguments: '{}' };
    const choices = [{ index: 0, delta: { tool_calls, function_call }, finish_reason: 'function_call' }];
    expect(finishes(await pass([{ id: 'c', choices }]))).toEqual(['tool_calls']);
  });
});

describe('a chunk has a list of choices, each with a number, a delta, and a word or nothing for its finish', () => {
  const hi = chunk({ role: 'assistant', content: 'Hi.' });

  test.each<[string, readonly unknown[]]>([
    ['usage without choices', [hi, chunk({}, 'stop'), { id: 'c-1', usage: { total_tokens: 3 } }]],
    [
      'choices that are no list',
      [hi, { id: 'c-1', choices: null, usage: { total_tokens: 3 } }, chunk({}, 'stop')],
    ],
    [
      'a choice that is none',
      [
        hi,
        { ...chunk({}, 'stop'), choices: [...chunk({}, 'stop').choices, null], usage: { total_tokens: 3 } },
      ],
    ],
    [
      'no delta',
      [
        hi,
        { id: 'c-1', choices: [{ index: 0, delta: null }] },
        { choices: [{ index: 0, finish_reason: 'stop' }], usage: { total_tokens: 3 } },
      ],
    ],
    [
      'no index',
      [
        { choices: [{ delta: hi.choices[0]?.delta }] },
        { choices: [{ index: null, delta: {}, finish_reason: 'stop' }], usage: { total_tokens: 3 } },
      ],
    ],
    [
      'an index now and then',
      [hi, { choices: [{ delta: {}, finish_reason: 'stop' }], usage: { total_tokens: 3 } }],
    ],
    [
      'an index that is a text',
      [
        { choices: [{ index: '0', delta: hi.choices[0]?.delta }] },
        { choices: [{ index: '0', delta: {}, finish_reason: 'stop' }], usage: { total_tokens: 3 } },
      ],
    ],
    [
      'a finish reason that is no word',
      [
        { ...hi, choices: [{ ...hi.choices[0], finish_reason: ['length'] }] },
        { ...chunk({}, 'stop'), usage: { total_tokens: 3 } },
      ],
    ],
    [
      'the whole message',
      [
        {
          choices: [{ index: 0, message: hi.choices[0]?.delta, finish_reason: 'stop' }],
          usage: { total_tokens: 3 },
        },
      ],
    ],
  ])('%s', async (_, frames) => {
    const chunks = await pass([...frames, '[DONE]']);
    expect(joined(chunks, 'content')).toBe('Hi.');
    expect(finishes(chunks)).toEqual(['stop']);
    expect(lastExtra(chunks)).toBeUndefined();
    expect(chunks.map(({ usage }) => usage).filter(Boolean)).toEqual([{ total_tokens: 3 }]);
    for (const { index, delta } of chunks.flatMap(({ choices }) => choices))
      expect({ index, delta }).toEqual({ index: 0, delta: expect.any(Object) });
  });

  test('the calls of a whole message are counted', async () => {
    const entry = (id: string, name: string) => ({
      id,
      type: 'function',
      function: { name, arguments: '{"at":"a"}' },
    });
    const message = {
      role: 'assistant',
      content: null,
      tool_calls: [entry('a', 'look'), entry('b', 'look')],
    };
    const chunks = await pass([{ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }, '[DONE]']);
    const first = fragments(chunks).filter(({ id }) => id);
    expect(first).toMatchObject([
      { index: 0, id: 'a', function: { name: 'look' } },
      { index: 1, id: 'b', function: { name: 'look' } },
    ]);
    expect(finishes(chunks)).toEqual(['tool_calls']);
  });

  test('a message beside deltas, or behind them, is not told again', async () => {
    const [choice] = hi.choices;
    const message = { role: 'assistant', content: 'Hi.' };
    const chunks = await pass([
      { ...hi, choices: [{ ...choice, message }] },
      { id: 'c-1', choices: [{ index: 0, message, finish_reason: 'stop' }] },
      '[DONE]',
    ]);
    expect(joined(chunks, 'content')).toBe('Hi.');
  });

  test('choices that have no number have that of their place', async () => {
    const both = (delta: (at: number) => object, finish: string | null) => ({
      choices: [0, 1].map((at) => ({ delta: delta(at), finish_reason: finish })),
    });
    const chunks = await pass([
      both((at) => ({ role: 'assistant', content: `${at}.` }), null),
      both(() => ({}), 'stop'),
      '[DONE]',
    ]);
    const said = chunks.flatMap(({ choices }) => choices.map(({ index, delta }) => [index, delta.content]));
    expect(said.filter(([, content]) => content)).toEqual([
      [0, '0.'],
      [1, '1.'],
    ]);
    expect(finishes(chunks)).toEqual(['stop', 'stop']);
  });
});
