import { afterEach, describe, expect, test } from 'vitest';
import type { ChunkFault } from './behaviours/chunk-faults.ts';
import type { FailureName } from './behaviours/failures.ts';
import type { ReplyFault } from './behaviours/reply-faults.ts';
import type { RequestRule } from './behaviours/request-rules.ts';
import type { TextFault } from './behaviours/text-faults.ts';
import type { Treatment } from './behaviours/treatments.ts';
import type { WireFault } from './behaviours/wire-faults.ts';
import { type BehaviourName, behaviours, combineBehaviours } from './behaviours.ts';
import type { EngineOptions } from './options.ts';
import { type Engine, startEngine } from './start-engine.ts';
import { type Answer, chat, eventData, post, rawCall, section, shorten, toAnswer } from './test-client.ts';

const call = '<|tool_call_begin|>functions.ping:4<|tool_call_argument_begin|>{"a":"\\n"}<|tool_call_end|>';
const raw = `<think>Why?</think>On it.${section.begin}${call}${section.end}`;
const pieces = [
  '<think>Why?</think>',
  'On it.',
  section.begin,
  '<|tool_call_begin|>functions.ping:4<|tool_call_argument_begin|>',
  '{"a":',
  '"\\n"}',
  '<|tool_call_end|>',
  section.end,
];
const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };

let engine: Engine;

afterEach(() => engine?.stop());

async function start(
  behaviour: EngineOptions['behaviour'],
  more: Partial<EngineOptions> = {},
): Promise<string> {
  engine = await startEngine({
    script: [{ text: pieces, usage }],
    behaviour: behaviour ?? 'healthy',
    ...more,
  });
  return engine.url;
}

async function stream(...behaviour: BehaviourName[]): Promise<string[]> {
  const response = await chat(await start(behaviour), { stream: true });
  expect(response.headers.get('content-type')).toMatch('text/event-stream');
  return shorten(await response.text());
}

async function message(...behaviour: BehaviourName[]): Promise<Answer['choices'][0]> {
  const response = await chat(await start(behaviour));
  expect(response.status).toBe(200);
  return (await toAnswer(response)).choices[0];
}

test('every behaviour says what it does and where it was seen', () => {
  for (const [name, { doc, source }] of Object.entries(behaviours)) {
    expect(doc, name).toMatch(/\S.*\.$/);
    expect(source, name).toMatch(/\S/);
  }
});

test('refuses what does not go together', () => {
  expect(() => combineBehaviours('raw' as BehaviourName)).toThrow('behaviour: there is none called "raw"');
  expect(() => combineBehaviours(['healthy', 'crlf', 'raw-content'])).toThrow(
    'healthy and raw-content exclude each other',
  );
});

describe('raw text', () => {
  const texts: Readonly<Record<Exclude<Treatment, 'healthy'> | TextFault, Record<string, string>>> = {
    'split-reasoning': { reasoning_content: 'Why?', content: `On it.${section.begin}${call}${section.end}` },
    'raw-content': { content: raw },
    'raw-reasoning': { reasoning_content: raw },
    'raw-reasoning-field': { reasoning: raw },
    'stripped-tokens': { content: '<think>Why?</think>On it.functions.ping:4{"a":"\\n"}' },
    'think-close-stripped': { content: raw.replace('</think>', '') },
    'begin-markers-swallowed': {
      content: `<think>Why?</think>On it.ping:4<|tool_call_argument_begin|>{"a":"\\n"}${section.end}`,
    },
    'section-end-missing': { content: raw.replace(section.end, '') },
    'call-end-missing': { content: raw.replace('<|tool_call_end|>', '') },
    'singular-section-markers': { content: raw.replaceAll('calls_section', 'call_section') },
    'spaced-markers': { content: raw.replace(/<\|(\w+)\|>/g, '<| $1 |>') },
    'noise-in-section': { content: raw.replace(section.begin, `${section.begin}!!!!!!!!\n`) },
    'ids-without-prefix': { content: raw.replace('functions.ping:4', 'ping:4') },
    'glued-ids': { content: raw.replace('functions.ping:4', 'functions.ping4') },
    'underscored-ids': { content: raw.replace('functions.ping:4', 'functions_ping_4') },
    'bare-counter-ids': { content: raw.replace('functions.ping:4', '4') },
    'opaque-ids-in-text': { content: raw.replace('functions.ping:4', 'call00004') },
    'control-characters-in-arguments': {
      reasoning_content: 'Why?',
      content: 'On it.',
      arguments: '{"a":"\n"}',
    },
    'double-encoded-arguments': {
      reasoning_content: 'Why?',
      content: 'On it.',
      arguments: '"{\\"a\\":\\"\\\\n\\"}"',
    },
  };

  test.each(Object.entries(texts))('%s', async (name, fields) => {
    const response = await chat(await start(name as BehaviourName), { stream: true });
    const joined: Record<string, string> = {};
    for (const data of eventData(await response.text())) {
      if (data === '[DONE]') continue;
      const { role: _, tool_calls: calls = [], ...delta } = JSON.parse(data).choices[0].delta;
      const json = calls
        .map((entry: { function: { arguments: string } }) => entry.function.arguments)
        .join('');
      for (const [field, text] of Object.entries({
        ...delta,
        ...(calls.length > 0 && { arguments: json }),
      })) {
        if (text !== '') joined[field] = (joined[field] ?? '') + text;
      }
    }
    expect(joined).toEqual(fields);

    const { message: whole } = (await toAnswer(await chat(engine.url))).choices[0];
    const { arguments: json, ...texts } = fields;
    expect(whole).toEqual({
      role: 'assistant',
      content: null,
      ...texts,
      ...(json !== undefined && {
        tool_calls: [
          { id: 'functions.ping:4', type: 'function', function: { name: 'ping', arguments: json } },
        ],
      }),
    });
  });

  test('text faults go with any treatment', async () => {
    expect((await message('raw-reasoning', 'stripped-tokens', 'think-close-stripped')).message).toEqual({
      role: 'assistant',
      content: null,
      reasoning_content: '<think>Why?On it.functions.ping:4{"a":"\\n"}',
    });
  });

  test('a pieced text stays cut where the model cut it', async () => {
    expect((await stream('raw-content')).slice(1, 4)).toEqual([
      'content=<think>Why?</think>',
      'content=On it.',
      `content=${section.begin}`,
    ]);
  });
});

describe('replies', () => {
  const open = 'role=assistant content=';
  const think = 'reasoning_content=Why?';
  const say = 'content=On it.';
  const name = 'call0(id=functions.ping:4 name=ping args=)';
  const json1 = 'call0(args={"a":)';
  const json2 = 'call0(args="\\n"})';
  const finish = 'finish=tool_calls';
  const done = '[DONE]';
  const healthy = [open, think, say, name, json1, json2, finish, done];

  const streams: Readonly<Record<'healthy' | ReplyFault | ChunkFault, string[]>> = {
    healthy,
    'reasoning-field': [open, 'reasoning=Why?', say, name, json1, json2, finish, done],
    'native-and-leaked': [
      open,
      think,
      say,
      ...pieces.slice(2).map((piece) => `content=${piece}`),
      name,
      json1,
      json2,
      finish,
      done,
    ],
    'finish-stop-with-calls': [open, think, say, name, json1, json2, 'finish=stop', done],
    'reasoning-only': [open, think, 'finish=stop', done],
    'foreign-ids-end-turn': healthy,
    'conversation-index': healthy.map((word) => word.replace('call0', 'call4')),
    'generated-ids': healthy.map((word) => word.replace('functions.ping:4', 'call_0000000000000000000003ff')),
    'repeated-ids': healthy.map((word) => word.replace('functions.ping:4', 'functions.ping:0')),
    'space-before-name': healthy.map((word) => word.replace('name=ping', 'name= ping')),
    'arguments-at-once': [open, think, say, name, 'call0(args={"a":"\\n"})', finish, done],
    'arguments-twice': [open, think, say, name, json1, json2, 'call0(args={"a":"\\n"})', finish, done],
    'empty-tool-call-deltas': [open, think, say, 'calls=[]', 'calls=[]', 'calls=[]', finish, done],
    'tool-calls-on-every-delta': [
      `${open} calls=[]`,
      `${think} calls=[]`,
      `${say} calls=[]`,
      name,
      json1,
      json2,
      `calls=[] ${finish}`,
      done,
    ],
    'fresh-id-per-fragment': [
      open,
      think,
      say,
      'call0(id=tool_ibx name=ping args=)',
      'call0(id=tool_ofw args={"a":)',
      'call0(id=tool_ujv args="\\n"})',
      finish,
      done,
    ],
    'empty-role-and-type': [
      open,
      `role= ${think}`,
      `role= ${say}`,
      `role= ${name}`,
      'role= call0(id= type= args={"a":)',
      'role= call0(id= type= args="\\n"})',
      `role= ${finish}`,
      done,
    ],
    'split-name': [
      open,
      think,
      say,
      'call0(id=functions.ping:4 name=pi args=)',
      'call0(name=ng args=)',
      json1,
      json2,
      finish,
      done,
    ],
    'repeated-name': healthy.map((word) => word.replace('(args', '(id=functions.ping:4 name=ping args')),
    'empty-name-on-fragments': healthy.map((word) => word.replace('(args', '(name= args')),
    'whole-call-in-one-delta': [
      open,
      think,
      say,
      'call0(id=functions.ping:4 name=ping args={"a":"\\n"})',
      finish,
      done,
    ],
    'same-index-twice': [open, think, say, `${name} ${json1}`, json2, finish, done],
    'interleaved-calls': healthy,
    'one-index-for-all-calls': healthy,
    'arguments-as-object': [
      open,
      think,
      say,
      'call0(id=functions.ping:4 name=ping args={"a":"\\n"})',
      finish,
      done,
    ],
    'reasoning-in-both-fields': [open, `${think} reasoning=Why?`, say, name, json1, json2, finish, done],
    'finish-twice': [open, think, say, name, json1, json2, finish, finish, done],
    'no-finish': [open, think, say, name, json1, json2, done],
    'usage-in-choices': [open, think, say, name, json1, json2, `${finish} usage=3`, done],
  };

  test.each(Object.entries(streams))('%s, streamed', async (behaviour, words) => {
    expect(await stream(behaviour as BehaviourName)).toEqual(words);
  });

  const healthyCall = {
    id: 'functions.ping:4',
    type: 'function',
    function: { name: 'ping', arguments: '{"a":"\\n"}' },
  };
  const healthyMessage = {
    role: 'assistant',
    content: 'On it.',
    reasoning_content: 'Why?',
    tool_calls: [healthyCall],
  };

  test('healthy, whole', async () => {
    expect(await message('healthy')).toEqual({
      index: 0,
      message: healthyMessage,
      finish_reason: 'tool_calls',
    });
  });

  test.each<[BehaviourName, object]>([
    ['reasoning-field', { reasoning: 'Why?', reasoning_content: undefined }],
    ['native-and-leaked', { content: `On it.${section.begin}${call}${section.end}` }],
    ['reasoning-only', { content: null, tool_calls: undefined }],
    ['repeated-ids', { tool_calls: [{ ...healthyCall, id: 'functions.ping:0' }] }],
    ['empty-tool-call-deltas', { tool_calls: [] }],
    [
      'arguments-as-object',
      { tool_calls: [{ ...healthyCall, function: { name: 'ping', arguments: { a: '\n' } } }] },
    ],
    [
      'arguments-twice',
      { tool_calls: [{ ...healthyCall, function: { name: 'ping', arguments: '{"a":"\\n"}{"a":"\\n"}' } }] },
    ],
    ['reasoning-in-both-fields', { reasoning: 'Why?' }],
  ])('%s, whole', async (behaviour, changed) => {
    expect((await message(behaviour)).message).toEqual({ ...healthyMessage, ...changed });
  });

  test.each<[BehaviourName, unknown]>([
    ['finish-stop-with-calls', 'stop'],
    ['no-finish', null],
    ['raw-content', 'stop'],
  ])('%s: its finish reason, whole', async (behaviour, reason) => {
    expect((await message(behaviour)).finish_reason).toBe(reason);
  });

  test('usage-in-choices, whole', async () => {
    expect((await message('usage-in-choices')).usage).toEqual(usage);
  });

  test('one-index-for-all-calls gives every call the index 0, streamed and not', async () => {
    const text = `${section.begin}${rawCall('functions.a:0', '{"x":1}')}${rawCall('functions.b:1', '{}')}${section.end}`;
    const engine = await start('one-index-for-all-calls', { script: [text], chunking: 100 });
    const response = await chat(engine, { stream: true });
    expect(shorten(await response.text()).slice(1, -2)).toEqual([
      'call0(id=functions.a:0 name=a args=)',
      'call0(args={"x":1})',
      'call0(id=functions.b:1 name=b args=)',
      'call0(args={})',
    ]);
    const whole = await (await chat(engine, {})).json();
    const tool_calls = [
      { index: 0, id: 'functions.a:0' },
      { index: 0, id: 'functions.b:1' },
    ];
    expect(whole).toMatchObject({ choices: [{ message: { tool_calls } }] });
  });

  test('interleaved-calls takes calls in turns', async () => {
    const text = `Both.${section.begin}${rawCall('functions.a:0', '{"x":1}')}${rawCall('functions.b:1', '{}')}${section.end} Done.`;
    const response = await chat(await start('interleaved-calls', { script: [text], chunking: 4 }), {
      stream: true,
    });
    expect(shorten(await response.text()).slice(3, -2)).toEqual([
      'call0(id=functions.a:0 name=a args=)',
      'call1(id=functions.b:1 name=b args=)',
      'call0(args={"x)',
      'call1(args={})',
      'call0(args=":1})',
      expect.stringMatching('content='),
      expect.stringMatching('content='),
    ]);
  });

  test('foreign-ids-end-turn minds the ids of earlier calls', async () => {
    const base = await start('foreign-ids-end-turn', { script: () => ({ text: pieces }) });
    const history = (id: string): object => ({
      messages: [
        { role: 'user', content: 'Go.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id, function: { name: 'ping', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: id, content: '' },
      ],
    });
    const reply = async (id: string): Promise<unknown> =>
      (await toAnswer(await chat(base, history(id)))).choices[0].finish_reason;
    expect(await reply('functions.ping:0')).toBe('tool_calls');
    expect(await reply('call_1')).toBe('stop');
  });
});

describe('wire', () => {
  const starts: Readonly<
    Record<Exclude<WireFault, 'cut-mid-call' | 'error-mid-stream' | 'slow-first-byte'>, RegExp>
  > = {
    'missing-done': /^data: \{[^\n]*\}\n\n(data: \{[^\n]*\}\n\n)+$/,
    'keep-alive-comments': /^: keep-alive\n\ndata: \{[\s\S]*\}\n\n: keep-alive\n\ndata: \[DONE\]\n\n$/,
    'keep-alive-as-data': /^data: : keep-alive\n\ndata: \{[\s\S]*\[DONE\]\n\n$/,
    crlf: /^(data: [^\r\n]+\r\n\r\n)+$/,
    'tight-data-lines': /^(data:[^ \n]\S[^\n]*\n\n)+$/,
    'event-lines': /^event: message\nid: 0\ndata: \{[^\n]+\n\nevent: message\nid: 1\ndata: \{/,
    'byte-order-mark': /^\ufeffdata: \{[^\ufeff]+$/,
  };

  test.each(Object.entries(starts))('%s', async (name, pattern) => {
    const response = await chat(await start(name as BehaviourName), { stream: true });
    expect(Buffer.from(await response.arrayBuffer()).toString()).toMatch(pattern);
  });

  async function readUntilBroken(base: string): Promise<string> {
    const response = await chat(base, { stream: true });
    let text = '';
    const read = async (): Promise<void> => {
      for await (const bytes of response.body ?? []) text += Buffer.from(bytes).toString();
    };
    await expect(read()).rejects.toThrow();
    return text;
  }

  test('cut-mid-call breaks the connection inside the arguments', async () => {
    const text = await readUntilBroken(await start('cut-mid-call'));
    expect(shorten(text).at(-1)).toBe('call0(args={"a":)');
    expect(engine.requests[0]).toMatchObject({ status: 200, finished: false, aborted: false, eventsSent: 5 });
  });

  test('cut-mid-call finds raw calls too', async () => {
    expect(shorten(await readUntilBroken(await start(['raw-content', 'cut-mid-call']))).at(-1)).toBe(
      'content={"a":',
    );
  });

  test('cut-mid-call breaks an answer that is not streamed', async () => {
    const response = await chat(await start('cut-mid-call'));
    await expect(response.text()).rejects.toThrow();
  });

  test('error-mid-stream', async () => {
    expect((await stream('error-mid-stream')).slice(-2)).toEqual(['call0(args={"a":)', 'error']);
    expect((await chat(engine.url)).status).toBe(500);
  });

  test('slow-first-byte', async () => {
    const base = await start('slow-first-byte', { slowMs: 60 });
    const began = performance.now();
    const response = await chat(base, { stream: true });
    expect(performance.now() - began).toBeGreaterThan(50);
    expect(shorten(await response.text()).at(-1)).toBe('[DONE]');
  });
});

describe('failures', () => {
  const statuses: Readonly<
    Record<Exclude<FailureName, 'connection-reset' | 'connection-reset-once'>, [number, number]>
  > = {
    'rate-limited': [429, 429],
    'rate-limited-once': [429, 200],
    'server-error': [500, 500],
    'server-error-once': [500, 200],
    'html-error-page': [502, 502],
    'tool-use-failed': [400, 400],
  };

  test.each(Object.entries(statuses))('%s', async (name, [first, second]) => {
    const base = await start(name as BehaviourName);
    expect([(await chat(base)).status, (await chat(base)).status]).toEqual([first, second]);
  });

  test('a failure that comes once comes once to each conversation', async () => {
    const base = await start('rate-limited-once');
    const other = { messages: [{ role: 'user', content: 'Something else.' }] };
    const statuses = [await chat(base), await chat(base, other), await chat(base, other), await chat(base)];
    expect(statuses.map(({ status }) => status)).toEqual([429, 429, 200, 200]);
  });

  test('connection-reset, and once', async () => {
    await expect(chat(await start('connection-reset'))).rejects.toThrow();
    expect(engine.requests[0]).toMatchObject({ finished: false, aborted: false });
    await engine.stop();
    const base = await start('connection-reset-once');
    await expect(chat(base)).rejects.toThrow();
    expect((await chat(base)).status).toBe(200);
  });

  test('bodies are what clients meet', async () => {
    const { error } = await toAnswer(await chat(await start('rate-limited')));
    expect(error).toMatchObject({ type: 'engine_overloaded_error', message: expect.any(String) });
    await engine.stop();
    expect(await (await chat(await start('html-error-page'))).text()).toMatch(/^<!DOCTYPE html>/);
    await engine.stop();
    const failed = await toAnswer(await chat(await start('tool-use-failed')));
    expect(failed.error).toMatchObject({ code: 'tool_use_failed', failed_generation: raw });
  });
});

describe('request rules', () => {
  const called = (more: object): object => ({
    messages: [
      { role: 'user', content: 'Go.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'x', function: { name: 'ping', arguments: '{}' } }],
        ...more,
      },
      { role: 'tool', tool_call_id: 'x', content: 'ok' },
    ],
  });
  const tool = (name: string, parameters: object = {}): object => ({
    type: 'function',
    function: { name, parameters },
  });

  const rules: Readonly<Record<RequestRule, [refused: object, accepted: object]>> = {
    'reasoning-replay-required': [called({}), called({ reasoning_content: ' ' })],
    'empty-content-refused': [called({ content: '' }), called({ content: null })],
    'null-character-refused': [
      { messages: [{ role: 'user', content: 'a\u0000b' }] },
      { messages: [{ role: 'user', content: 'ab' }] },
    ],
    'sampling-pinned': [{ temperature: 0.3 }, { temperature: 1, top_p: 0.95 }],
    'forced-tool-refused': [
      { tool_choice: 'required' },
      { tool_choice: 'required', thinking: { type: 'disabled' } },
    ],
    'thinking-beside-effort-refused': [
      { thinking: { type: 'enabled' }, reasoning_effort: 'low' },
      { reasoning_effort: 'low' },
    ],
    'tool-limit': [
      { tools: Array.from({ length: 129 }, (_, at) => tool(`t${at}`)) },
      { tools: Array.from({ length: 128 }, (_, at) => tool(`t${at}`)) },
    ],
    'strict-tool-names': [{ tools: [tool('3d')] }, { tools: [tool('_a-1')] }],
    'type-beside-any-of-refused': [
      { tools: [tool('a', { properties: { b: { type: 'string', anyOf: [] } } })] },
      { tools: [tool('a', { properties: { b: { anyOf: [{ type: 'string' }] } } })] },
    ],
  };

  test.each(Object.entries(rules))('%s', async (name, [refused, accepted]) => {
    const base = await start(name as BehaviourName, { script: () => ({ text: pieces }) });
    const response = await chat(base, refused);
    expect(response.status).toBe(400);
    const { error } = await toAnswer(response);
    expect(error.type).toBe('invalid_request_error');
    expect(engine.requests[0]?.error).toBe(error.message);
    expect((await chat(base, accepted)).status).toBe(200);
  });
});

test('behaviours act together, and a turn may have its own', async () => {
  const script = [
    { text: pieces, behaviour: ['raw-reasoning', 'finish-twice', 'missing-done'] as const },
    'Done.',
  ];
  const base = await start('healthy', { script });
  const first = await chat(base, { stream: true });
  expect(shorten(await first.text()).slice(-3)).toEqual([
    `reasoning_content=${section.end}`,
    'finish=stop',
    'finish=stop',
  ]);
  const messages = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b' },
    { role: 'user', content: 'c' },
  ];
  const second = await chat(base, { stream: true, messages });
  expect(shorten(await second.text())).toEqual([
    'role=assistant content=',
    'content=Done.',
    'finish=stop',
    '[DONE]',
  ]);
});

test('completions get the raw text, whatever the treatment', async () => {
  const base = await start(['healthy', 'finish-twice']);
  const body = { model: 'm', prompt: 'Go.' };
  const whole = await toAnswer(await post(base, '/v1/completions', body));
  expect(whole.choices).toEqual([{ index: 0, text: raw, finish_reason: 'stop' }]);
  const streamed = await post(base, '/v1/completions', { ...body, stream: true });
  expect(shorten(await streamed.text())).toEqual([
    ...pieces.map((piece) => `text=${piece}`),
    'text= finish=stop',
    'text= finish=stop',
    '[DONE]',
  ]);
});
