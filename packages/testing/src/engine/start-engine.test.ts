import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { EngineOptions } from './options.ts';
import { type Engine, startEngine } from './start-engine.ts';
import { chat, eventData, post, rawCall, section, shorten, toAnswer } from './test-client.ts';

let engine: Engine;

afterEach(() => engine?.stop());

async function start(options: Partial<EngineOptions> = {}): Promise<string> {
  engine = await startEngine({ script: ['Hi.'], ...options });
  return engine.url;
}

const assistant = { role: 'assistant', content: 'before' };
const user = { role: 'user', content: 'Go.' };

/** The text of an answer, or why there is none. */
async function answerOf(response: Response): Promise<string> {
  const { choices, error } = await toAnswer(response);
  return choices ? (choices[0].message?.content ?? choices[0].text) : error.message;
}

describe('the script', () => {
  test('goes by the replies in the conversation, not by the order of requests', async () => {
    const base = await start({ script: ['one', 'two', 'three'] });
    const ask = async (replies: number, more: object[] = []): Promise<string> => {
      const messages = [user, ...Array.from({ length: replies }, () => [assistant, user]).flat(), ...more];
      return answerOf(await chat(base, { messages }));
    };
    expect(await ask(1)).toBe('two');
    expect(await ask(0)).toBe('one');
    expect(await ask(0)).toBe('one');
    expect(await ask(2)).toBe('three');
    expect(await ask(1, [assistant])).toBe('two');
    expect(await ask(3)).toBe('the script has 3 turns, this conversation asks for number 3');
    expect(engine.requests.map(({ turn }) => turn)).toEqual([1, 0, 0, 2, 1, 3]);
  });

  test('goes by the closed replies of a prompt', async () => {
    const base = await start({ script: ['one', 'two'] });
    const reply = '<|im_assistant|>assistant<|im_middle|>';
    const ask = async (prompt: unknown): Promise<string> =>
      answerOf(await post(base, '/v1/completions', { model: 'm', prompt }));
    expect(await ask(`<|im_user|>user<|im_middle|>Go.<|im_end|>${reply}`)).toBe('one');
    expect(await ask([`${reply}Hi.<|im_end|><|im_user|>user<|im_middle|>Go.<|im_end|>${reply}<think>`])).toBe(
      'two',
    );
  });

  test('may be a function', async () => {
    const base = await start({ script: ({ turn, body }) => `${turn} ${(body as { model: string }).model}` });
    expect(await answerOf(await chat(base))).toBe('0 kimi-k2-thinking');
  });

  test('is checked at the start', async () => {
    const script = ['Hi.', `${section.begin}${rawCall('functions.ping:0', '{}')}`];
    await expect(startEngine({ script })).rejects.toThrow(/^script\[1\]\.text: not well-formed at /);
    await expect(startEngine({ script: [{ text: 3 as never }] })).rejects.toThrow('script[0].text: expected');
    engine = await startEngine({ script, behaviour: 'raw-content' });
  });

  test('gives finish reason and usage', async () => {
    const usage = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 };
    const base = await start({ script: [{ text: 'cut', finishReason: 'length', usage }] });
    expect(await (await chat(base)).json()).toMatchObject({ choices: [{ finish_reason: 'length' }], usage });
    const streamed = await chat(base, { stream: true, stream_options: { include_usage: true } });
    expect(shorten(await streamed.text()).slice(-3)).toEqual(['finish=length', 'usage 9', '[DONE]']);
  });
});

describe('options', () => {
  test.each<[Partial<EngineOptions>, string]>([
    [{ script: 'Hi.' as never }, 'script: expected a list of turns or a function'],
    [{ behaviour: 'well' as never }, 'behaviour: there is none called "well"'],
    [
      { chunking: 'words' as never },
      "chunking: expected 'pieces', 'units', a length from 1, or { seed, max }",
    ],
    [{ byteCuts: 0 }, 'byteCuts: expected a length from 1, or { seed, max }'],
    [{ delayMs: -1 }, 'delayMs: expected milliseconds from 0'],
  ])('%j', async (options, message) => {
    await expect(startEngine({ script: ['Hi.'], ...options })).rejects.toThrow(message);
  });

  test('chunking cuts the text anew', async () => {
    const words = async (chunking: EngineOptions['chunking']): Promise<string[]> => {
      const base = await start({ script: ['Hello, 🚀 world'], chunking: chunking ?? 'pieces' });
      const text = await (await chat(base, { stream: true })).text();
      await engine.stop();
      const deltas = eventData(text).slice(1, -2);
      return deltas.map((data) => JSON.parse(data).choices[0].delta.content as string);
    };
    expect(await words('units')).toEqual('Hello, 🚀 world'.split(''));
    expect(await words(6)).toEqual(['Hello,', ' 🚀 wo', 'rld']);
    const random = await words({ seed: 4, max: 3 });
    expect(random.join('')).toBe('Hello, 🚀 world');
    expect(random).toEqual(await words({ seed: 4, max: 3 }));
  });

  test.each([1, 3, { seed: 9, max: 40 }])(
    'byteCuts %j deliver the same bytes in other reads',
    async (byteCuts) => {
      const script = ['Grüße 🚀'];
      const plain = await (await chat(await start({ script }), { stream: true })).text();
      await engine.stop();
      const response = await chat(await start({ script, byteCuts }), { stream: true });
      const reads: Uint8Array[] = [];
      for await (const bytes of response.body ?? []) reads.push(bytes);
      expect(Buffer.concat(reads).toString()).toBe(plain);
      expect(reads.length).toBeGreaterThan(plain.length / 45);
      if (byteCuts === 1) expect(reads.some((bytes) => (bytes[0] ?? 0) >> 6 === 0b10)).toBe(true);
    },
  );

  test('delayMs stands between events', async () => {
    const base = await start({ delayMs: 20 });
    const began = performance.now();
    await (await chat(base, { stream: true })).text();
    expect(performance.now() - began).toBeGreaterThan(55);
  });

  test('apiKey is asked for on every route', async () => {
    const base = await start({ apiKey: 'secret' });
    expect((await chat(base)).status).toBe(401);
    expect((await fetch(`${base}/v1/models`)).status).toBe(401);
    const response = await chat(base, {}, { headers: { authorization: 'Bearer secret' } });
    expect(response.status).toBe(200);
    expect(JSON.stringify(await (await chat(base)).json())).not.toContain('secret');
  });

  test('models are listed; with a list, others are refused', async () => {
    const base = await start({ models: ['kimi-k2.5', 'kimi-k2.6'] });
    const list = (await (await fetch(`${base}/v1/models`)).json()) as { data: { id: string }[] };
    expect(list.data.map(({ id }) => id)).toEqual(['kimi-k2.5', 'kimi-k2.6']);
    expect((await chat(base, { model: 'kimi-k2.6' })).status).toBe(200);
    const response = await chat(base, { model: 'gpt' });
    expect([response.status, (await toAnswer(response)).error.code]).toEqual([404, 'model_not_found']);
  });

  test('onRequest and expect refuse by throwing', async () => {
    const base = await start({
      script: [
        {
          text: 'Hi.',
          expect: ({ headers }) => {
            if (headers['x-note'] !== 'b') throw new Error('expected the note b');
          },
        },
      ],
      onRequest: async ({ body }) => {
        if (!('tools' in (body as object))) throw new Error('expected tools');
      },
    });
    const without = await chat(base);
    expect([without.status, await answerOf(without)]).toEqual([400, 'expected tools']);
    expect(await answerOf(await chat(base, { tools: [] }))).toBe('expected the note b');
    expect(await answerOf(await chat(base, { tools: [] }, { headers: { 'x-note': 'b' } }))).toBe('Hi.');
    expect(engine.requests.map(({ error }) => error)).toEqual([
      'expected tools',
      'expected the note b',
      undefined,
    ]);
  });
});

describe('the API', () => {
  test('n gives so many choices', async () => {
    const base = await start();
    const { choices } = await toAnswer(await chat(base, { n: 2 }));
    expect(choices.map(({ index }) => index)).toEqual([0, 1]);
    const streamed = shorten(await (await chat(base, { n: 2, stream: true })).text());
    expect(streamed).toEqual([
      'role=assistant content=',
      'content=Hi.',
      'finish=stop',
      '#1 role=assistant content=',
      '#1 content=Hi.',
      '#1 finish=stop',
      '[DONE]',
    ]);
  });

  test('completions stop in front of a stop string', async () => {
    const base = await start({ script: ['Hi.<|im_end|>'] });
    const ask = (more: object): Promise<Response> =>
      post(base, '/v1/completions', { model: 'm', prompt: 'x', ...more });
    expect(await answerOf(await ask({}))).toBe('Hi.<|im_end|>');
    expect(await answerOf(await ask({ stop: ['<|im_end|>', '[EOS]'] }))).toBe('Hi.');
  });

  test('chunks have the shape of the API', async () => {
    const text = await (await chat(await start(), { stream: true, model: 'kimi-k2.5' })).text();
    expect(JSON.parse(eventData(text)[1] ?? '')).toEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: expect.any(Number),
      model: 'kimi-k2.5',
      choices: [{ index: 0, delta: { content: 'Hi.' }, finish_reason: null }],
    });
  });

  test.each<[string, object, string]>([
    ['no model', { model: '' }, 'model: expected'],
    ['no messages', { messages: [] }, 'messages: expected'],
    ['an odd role', { messages: [{ role: 'robot', content: '' }] }, 'messages[0].role: expected'],
    ['a user without content', { messages: [{ role: 'user' }] }, 'messages[0].content:'],
    [
      'a result without content',
      { messages: [toolTurn()[0], { role: 'tool', tool_call_id: 'a' }] },
      'messages[1].content:',
    ],
    [
      'a result without its call',
      { messages: [user, toolTurn()[1]] },
      'messages[1].tool_call_id: no earlier call',
    ],
    [
      'arguments as an object',
      { messages: [toolTurn({})[0]] },
      'messages[0].tool_calls[0].function.arguments:',
    ],
    ['calls of a user', { messages: [{ ...user, tool_calls: [] }] }, 'messages[0].tool_calls: only'],
    ['odd tools', { tools: [{ type: 'function' }] }, 'tools[0]: expected'],
    ['an odd tool choice', { tool_choice: 'always' }, 'tool_choice: expected'],
    ['an odd n', { n: 0 }, 'n: expected'],
    ['stream options without a stream', { stream_options: { include_usage: true } }, 'stream_options: only'],
  ])('refuses %s', async (_, more, message) => {
    const response = await chat(await start(), more);
    expect(response.status).toBe(400);
    expect((await toAnswer(response)).error).toEqual({
      message: expect.stringContaining(message),
      type: 'invalid_request_error',
      param: null,
      code: null,
    });
    expect(engine.requests[0]).toMatchObject({ status: 400, error: expect.stringContaining(message) });
  });

  test('accepts a conversation with calls', async () => {
    const base = await start({ script: ['one', 'two'] });
    expect((await chat(base, { messages: [user, ...toolTurn()] })).status).toBe(200);
  });

  test('refuses unknown routes, wrong methods and bodies that are no JSON', async () => {
    const base = await start();
    const unknown = await post(base, '/v1/responses', {});
    expect([unknown.status, (await toAnswer(unknown)).error.code]).toEqual([404, 'unknown_url']);
    expect((await fetch(`${base}/v1/chat/completions`)).status).toBe(405);
    const noJson = await post(base, '/v1/chat/completions', null, { body: '{' });
    expect([noJson.status, await answerOf(noJson)]).toEqual([400, 'the body is not a JSON object']);
    expect((await post(base, '/v1/completions', { model: 'm' })).status).toBe(400);
    expect(engine.requests.map(({ path }) => path)).toEqual([
      '/v1/responses',
      '/v1/chat/completions',
      '/v1/chat/completions',
      '/v1/completions',
    ]);
  });
});

function toolTurn(json: unknown = '{}'): object[] {
  const call = { id: 'a', type: 'function', function: { name: 'ping', arguments: json } };
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'a', content: '' },
  ];
}

describe('the connection', () => {
  test.each(['//', '//[', '/?//'])('answers a request for %j, where nothing is', async (path) => {
    const response = await fetch(`${await start()}${path}`);
    expect([response.status, engine.requests.at(-1)?.path]).toEqual([404, path.replace(/\?.*/, '')]);
  });

  test('records what was asked and how it ended', async () => {
    const base = await start();
    await (await chat(base, { stream: true }, { headers: { 'x-note': 'a' } })).text();
    expect(engine.requests).toEqual([
      {
        method: 'POST',
        path: '/v1/chat/completions',
        headers: expect.objectContaining({ 'x-note': 'a' }),
        body: { model: 'kimi-k2-thinking', messages: [user], stream: true },
        turn: 0,
        status: 200,
        eventsSent: 4,
        aborted: false,
        finished: true,
      },
    ]);
  });

  test('notices that the client leaves, and stops', async () => {
    const base = await start({ script: ['word '.repeat(500)], delayMs: 5 });
    const abort = new AbortController();
    const response = await chat(base, { stream: true }, { signal: abort.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    abort.abort();
    await expect.poll(() => engine.requests[0]?.aborted).toBe(true);
    const sent = engine.requests[0]?.eventsSent ?? 0;
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(500);
    await sleep(40);
    expect(engine.requests[0]).toMatchObject({ eventsSent: sent, finished: false, status: 200 });
  });

  test('notices it before the first byte as well', async () => {
    const base = await start({ behaviour: 'slow-first-byte', slowMs: 10_000 });
    const abort = new AbortController();
    const answer = chat(base, { stream: true }, { signal: abort.signal });
    await expect.poll(() => engine.requests[0]?.turn).toBe(0);
    abort.abort();
    await expect(answer).rejects.toThrow();
    await expect.poll(() => engine.requests[0]?.aborted).toBe(true);
    expect(engine.requests[0]).toMatchObject({ eventsSent: 0, finished: false });
  });

  test('stop ends streams that are under way and refuses new ones', async () => {
    const base = await start({ script: ['word '.repeat(500)], delayMs: 5 });
    const response = await chat(base, { stream: true });
    const began = performance.now();
    await engine.stop();
    await engine.stop();
    expect(performance.now() - began).toBeLessThan(1000);
    await expect(response.text()).rejects.toThrow();
    await expect(chat(base)).rejects.toThrow();
    expect(engine.requests[0]).toMatchObject({ finished: false, aborted: false });
  });
});
