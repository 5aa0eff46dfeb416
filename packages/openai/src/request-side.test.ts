import { type BehaviourName, type EngineOptions, startEngine } from '@kimi-tc/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createKimiFetch, createReasoningMemory, endpointOf, type KimiFetchOptions } from './index.ts';

const call = (id: string, name: string, args = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const tool = (name: string, parameters: object = { type: 'object', properties: {} }) => ({
  type: 'function',
  function: { name, parameters },
});
const user = { role: 'user', content: 'Go.' };
/** A turn with a call as clients send it back: an id of their own, no reasoning. */
const history = [
  user,
  { role: 'assistant', content: '', tool_calls: [call('call_1', 'ping')] },
  { role: 'tool', tool_call_id: 'call_1', content: 'po\0ng' },
];

async function start(behaviour: BehaviourName | BehaviourName[], options: Partial<EngineOptions> = {}) {
  const engine = await startEngine({ script: () => 'Done.', behaviour, ...options });
  onTestFinished(() => engine.stop());
  return {
    engine,
    /** Sends a chat request and returns status, parsed answer, the body that arrived, and what was reported. */
    async ask(body: object, fetchOptions: KimiFetchOptions = {}) {
      const problems: string[] = [];
      const send = createKimiFetch({ onProblem: ({ code }) => problems.push(code), ...fetchOptions });
      const response = await send(`${engine.baseURL}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const answer = response.headers.get('content-type')?.includes('json')
        ? await response.json()
        : await response.text();
      return {
        status: response.status,
        answer,
        sent: engine.requests.at(-1)?.body as Record<string, unknown>,
        problems,
      };
    },
  };
}

describe('what endpoints refuse', () => {
  const request = (more: object) => ({ model: 'kimi-k2.5', messages: history, ...more });

  test.each<[BehaviourName, object]>([
    ['reasoning-replay-required', request({})],
    ['empty-content-refused', request({})],
    ['null-character-refused', request({})],
    ['sampling-pinned', request({ temperature: 0, top_p: 1 })],
    ['forced-tool-refused', request({ tool_choice: 'required', tools: [tool('ping')] })],
    ['thinking-beside-effort-refused', request({ thinking: { type: 'enabled' }, reasoning_effort: 'low' })],
    ['strict-tool-names', request({ tools: [tool('3d.render')] })],
    [
      'type-beside-any-of-refused',
      request({
        tools: [
          tool('ping', {
            type: 'object',
            anyOf: [{ required: ['a'] }],
            properties: { a: { type: 'string', anyOf: [{ minLength: 1 }] } },
          }),
        ],
      }),
    ],
  ])('%s', async (behaviour, body) => {
    const { ask } = await start(behaviour);
    expect(await ask(body, { request: false })).toMatchObject({ status: 400, problems: [] });
    expect(await ask(body, { endpoint: 'router' })).toMatchObject({ status: 200 });
    expect(await ask(body, { endpoint: 'moonshot' })).toMatchObject({ status: 200 });
  });

  test('too many tools are answered here', async () => {
    const { ask, engine } = await start('tool-limit');
    const body = request({ tools: Array.from({ length: 129 }, (_, at) => tool(`t${at}`)) });
    const { status, answer, problems } = await ask(body, { endpoint: 'router' });
    expect({ status, problems, answer }).toEqual({
      status: 400,
      problems: ['too-many-tools'],
      answer: {
        error: {
          message: '/tools: 129 tools are offered; the endpoint takes 128.',
          type: 'invalid_request_error',
          param: '/tools',
          code: 'too-many-tools',
        },
      },
    });
    expect(engine.requests).toEqual([]);
  });

  test('strict refuses to lose anything', async () => {
    const { ask, engine } = await start('healthy');
    const options: KimiFetchOptions = { endpoint: 'router', request: { strict: true } };
    expect(await ask(request({ temperature: 0, thinking: { type: 'disabled' } }), options)).toMatchObject({
      status: 400,
      answer: { error: { param: '/temperature', code: 'param-dropped' } },
    });
    expect(engine.requests).toEqual([]);
  });
});

test('problems of the request are told from those of the reply, and known again by their place', async () => {
  const seen: unknown[] = [];
  const { engine } = await start('raw-content', {
    script: () => '<|tool_call_begin|>ping:0<|tool_call_argument_begin|>{}<|tool_call_end|>',
  });
  const send = createKimiFetch({
    transport: 'completions',
    onProblem: (problem, { of, model }) =>
      seen.push([of, model, problem.code, 'path' in problem ? problem.path : undefined]),
  });
  const ask = async (messages: object[]) => {
    const body = { model: 'kimi-k2-instruct', messages, tools: [tool('ping')], tool_choice: 'required' };
    const init = { method: 'POST', body: JSON.stringify(body) };
    await (await send(`${engine.baseURL}/chat/completions`, init)).text();
    return seen.splice(0);
  };
  const request = [
    ['request', 'kimi-k2-instruct', 'id-rewritten', '/messages/1/tool_calls/0/id'],
    ['request', 'kimi-k2-instruct', 'tool-choice-downgraded', '/tool_choice'],
  ];
  const first = await ask(history);
  expect(first.slice(0, 2)).toEqual(request);
  expect(first.slice(2)).toContainEqual(['reply', 'kimi-k2-instruct', 'id-rewritten', undefined]);
  expect((await ask([...history, user])).slice(0, 2)).toEqual(request);
});

describe('what arrives', () => {
  test('history in the form of the model; the client keeps its own ids', async () => {
    const { ask } = await start('healthy', {
      script: () =>
        '<|tool_calls_section_begin|><|tool_call_begin|>functions.ping:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>',
    });
    // A client that called its first call what the model calls its next one.
    const messages = [
      user,
      { role: 'assistant', content: null, tool_calls: [call('functions.ping:0', 'pong')] },
      { role: 'tool', tool_call_id: 'functions.ping:0', content: '' },
    ];
    const { sent, answer } = await ask({
      model: 'kimi-k2-instruct',
      messages,
      tools: [tool('ping'), tool('pong')],
    });
    expect(sent.messages).toMatchObject([
      user,
      { tool_calls: [{ id: 'functions.pong:0' }] },
      { tool_call_id: 'functions.pong:0' },
    ]);
    expect(answer.choices[0].message.tool_calls[0].id).toBe('functions.ping:1');
  });

  test('tools under an alias; calls come back under their own name, streamed or not', async () => {
    const text =
      '<|tool_calls_section_begin|><|tool_call_begin|>functions._3d_render:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>';
    for (const behaviour of ['healthy', 'raw-content'] as const) {
      const { ask } = await start(behaviour, { script: () => text });
      const body = { model: 'kimi-k2-instruct', messages: [user], tools: [tool('3d.render')] };
      const { sent, answer, problems } = await ask(body, { endpoint: 'router' });
      expect(sent.tools).toMatchObject([{ function: { name: '_3d_render' } }]);
      expect(answer.choices[0].message.tool_calls[0].function.name).toBe('3d.render');
      expect(problems).toEqual(['invalid-tool-name']);
      const streamed = await ask({ ...body, stream: true }, { endpoint: 'router' });
      expect(streamed.answer).toContain('"name":"3d.render"');
      expect(streamed.answer).not.toContain('"name":"_3d_render"');
    }
  });

  test('reasoning that was remembered, not a placeholder', async () => {
    const script = [
      '<think>Ask first.</think><|tool_calls_section_begin|><|tool_call_begin|>functions.a_b:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>',
      'Done.',
    ];
    const { engine, ask } = await start(['healthy', 'reasoning-replay-required'], { script });
    const problems: string[] = [];
    const send = createKimiFetch({ endpoint: 'router', onProblem: ({ code }) => problems.push(code) });
    const post = async (messages: object[]) => {
      const response = await send(`${engine.baseURL}/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ model: 'kimi-k2.5', messages, tools: [tool('a.b')] }),
      });
      return (await response.json()).choices[0].message;
    };
    const { tool_calls } = await post([user]);
    const turn = { role: 'assistant', content: null, tool_calls };
    const result = { role: 'tool', tool_call_id: tool_calls[0].id, content: 'ok' };
    expect((await post([user, turn, result])).content).toBe('Done.');
    const sent = engine.requests.at(-1)?.body as { messages: object[] };
    expect(sent.messages[1]).toMatchObject({ reasoning_content: 'Ask first.' });
    expect(problems).toEqual(['invalid-tool-name', 'invalid-tool-name']);
    // Another fetch does not know it.
    const other = await ask({ model: 'kimi-k2.5', messages: [user, turn, result] }, { endpoint: 'router' });
    expect(other.status).toBe(200);
    expect(other.problems).toContain('reasoning-placeholder-inserted');
  });

  test.each<[string, string, KimiFetchOptions]>([
    ['a request of another model', 'gpt-9', {}],
    ['a request that nobody is to change', 'kimi-k2.5', { request: false }],
    [
      'a request that needs nothing',
      'kimi-k2.5',
      { request: { ids: false, messages: false, reasoning: false } },
    ],
  ])('%s, byte for byte', async (_, model, options) => {
    const text = `{ "model":"${model}",  "messages": ${JSON.stringify(history)} }`;
    let arrived: unknown;
    const send = createKimiFetch({
      ...options,
      endpoint: 'self-hosted',
      fetch: async (_, init) => {
        arrived = init?.body;
        return new Response('{}');
      },
    });
    await send('http://localhost/v1/chat/completions', { method: 'POST', body: text });
    expect(arrived).toBe(text);
  });

  test('the prompt of a completions endpoint is rendered from it', async () => {
    const { ask } = await start('raw-content');
    const { sent } = await ask({ model: 'kimi-k2.5', messages: history }, { transport: 'completions' });
    expect(sent.prompt).toContain('## Return of functions.ping:0\npong<|im_end|>');
  });

  test('no reasoning is made up in a prompt', async () => {
    const body = { model: 'kimi-k2-thinking', messages: history };
    const empty = '<think></think><|tool_calls_section_begin|>';
    const { ask } = await start('raw-content');
    const { sent, problems } = await ask(body, { transport: 'completions' });
    expect(sent.prompt).toContain(empty);
    expect(problems).toEqual(['id-rewritten']);
    const strict = await ask(body, { transport: 'completions', request: { strict: true } });
    expect(strict.status).toBe(200);
    const chat = await ask(body);
    expect(chat.sent.messages).toMatchObject([{}, { reasoning_content: ' ' }, {}]);
    expect(chat.problems).toContain('reasoning-placeholder-inserted');
  });

  test('nor once it is known that an address takes prompts only', async () => {
    const prompts: unknown[] = [];
    const send = createKimiFetch({
      transport: 'auto',
      fetch: async (input, init) => {
        if (String(input).endsWith('/chat/completions')) return new Response('', { status: 404 });
        prompts.push(JSON.parse(String(init?.body)).prompt);
        return Response.json({ choices: [{ index: 0, text: 'Done.', finish_reason: 'stop' }] });
      },
    });
    const body = JSON.stringify({ model: 'kimi-k2-thinking', messages: history });
    for (const _ of [1, 2]) await send('http://localhost/v1/chat/completions', { method: 'POST', body });
    expect(prompts.at(-1)).toContain('<think></think><|tool_calls_section_begin|>');
  });
});

test.each([[null], [[]], ['kimi-k2.6']])('options that are no object are told: %j', (options) => {
  const told = expect.objectContaining({ name: 'KimiError', option: 'options' });
  for (const create of [createKimiFetch, createReasoningMemory])
    expect(() => create(options as object)).toThrow(told);
  expect(() => createKimiFetch({ request: options as object })).toThrow(/^request: expected/);
});

test('options are checked at once', () => {
  expect(() => createKimiFetch({ endpoint: 'vllm' as 'auto' })).toThrow(/^endpoint: expected 'auto' or/);
  expect(() => createKimiFetch({ request: { ids: 1 as unknown as boolean } })).toThrow(/^ids: expected/);
  expect(() => createKimiFetch({ request: { thinking: 3 as unknown as boolean } })).toThrow(
    /^thinking: expected/,
  );
});

test.each([
  ['https://api.moonshot.ai/v1/chat/completions', 'moonshot'],
  ['https://api.moonshot.cn/v1', 'moonshot'],
  ['https://api.kimi.com/coding/v1', 'moonshot'],
  ['https://notmoonshot.ai/v1', 'router'],
  ['https://openrouter.ai/api/v1', 'router'],
  ['http://localhost:8000/v1', 'self-hosted'],
  ['http://127.0.0.1:8000/v1', 'self-hosted'],
  ['http://[::1]:8000/v1', 'self-hosted'],
  ['http://10.1.2.3/v1', 'self-hosted'],
  ['http://172.20.0.2/v1', 'self-hosted'],
  ['http://172.40.0.2/v1', 'router'],
  ['http://10.example.com/v1', 'router'],
  ['http://127.example.com/v1', 'router'],
  ['http://192.168.example.com/v1', 'router'],
  ['http://0.0.0.0:8000/v1', 'self-hosted'],
  ['http://[::]:8000/v1', 'self-hosted'],
  ['http://[fd12:3456::1]/v1', 'self-hosted'],
  ['http://[fe80::1]/v1', 'self-hosted'],
  ['http://[2606:4700::1]/v1', 'router'],
  ['http://vllm:8000/v1', 'self-hosted'],
  ['http://gpu.local/v1', 'self-hosted'],
  ['/v1/chat/completions', 'router'],
])('%s is %s', (url, endpoint) => {
  expect(endpointOf(url)).toBe(endpoint);
});

describe('ids that a client spells its own way', () => {
  test('are taken all the same: a reply that repeats one gets the next', async () => {
    const script = [
      '',
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.my.read:3<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>',
    ];
    for (const [own, given] of [
      ['functions_my_read_3', 'functions.my.read:4'],
      ['functions_my_read_3__2', 'functions.my.read:4'],
      ['functions_my_3', 'functions.my.read:3'],
      ['call_3', 'functions.my.read:3'],
    ]) {
      const { ask } = await start('raw-content', { script });
      const messages = [
        user,
        { role: 'assistant', content: '', tool_calls: [call(own as string, 'my.read')] },
        { role: 'tool', tool_call_id: own, content: 'ok' },
      ];
      const { answer } = await ask({ model: 'kimi-k2', messages, tools: [tool('my.read')] });
      expect({ own, id: answer.choices[0].message.tool_calls[0].id }).toEqual({ own, id: given });
    }
  });
});
