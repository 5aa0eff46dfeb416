import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { type EngineOptions, startEngine } from '@kimi-tc/testing';
import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FileSettings } from './settings.ts';
import { PATIENCE, post, startServer, startTestGateway } from './test-gateway.ts';

const ask = { model: 'kimi-k2-thinking', messages: [{ role: 'user', content: 'Go.' }] };
const call =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"path":"a.md"}<|tool_call_end|><|tool_calls_section_end|>';

async function start(
  engineOptions: Partial<EngineOptions> = {},
  settings: Partial<FileSettings> = {},
  env: Record<string, string> = {},
) {
  const engine = await startEngine({ script: () => `Hello.`, ...engineOptions });
  onTestFinished(() => engine.stop());
  const gateway = await startTestGateway({ upstreams: [{ url: engine.baseURL }], ...settings }, env);
  const chat = `${gateway.baseURL}/chat/completions`;
  return { engine, gateway, chat };
}

async function errorOf(response: Response): Promise<Record<string, unknown>> {
  const { error } = (await response.json()) as { error: Record<string, unknown> };
  return { status: response.status, ...error };
}

describe('routes', () => {
  test('a chat is repaired, streamed and not', async () => {
    const { gateway } = await start({ script: [`Reading.${call}`], behaviour: 'raw-content' });
    const client = new OpenAI({ baseURL: gateway.baseURL, apiKey: 'none', maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'Read.' }];
    const whole = await client.chat.completions.create({ model: 'kimi-k2', messages });
    expect(whole.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'Reading.', tool_calls: [{ id: 'functions.read:0' }] },
    });
    const streamed = await client.chat.completions
      .stream({ model: 'kimi-k2', messages })
      .finalChatCompletion();
    expect(streamed.choices[0]?.message.tool_calls).toMatchObject([
      { id: 'functions.read:0', function: { name: 'read', arguments: '{"path":"a.md"}' } },
    ]);
  });

  test('a text completion passes untouched, streamed and not', async () => {
    const { gateway, engine } = await start({ script: () => `Reading.${call}` });
    for (const stream of [false, true]) {
      const body = { model: 'kimi-k2', prompt: 'Read.', stream, unknown_field: [1] };
      const [through, direct] = await Promise.all([
        post(`${gateway.baseURL}/completions`, body),
        post(`${engine.baseURL}/completions`, body),
      ]);
      const withoutId = async (response: Response) => (await response.text()).replace(/cmpl-\d+/g, 'cmpl');
      expect(await withoutId(through)).toBe(await withoutId(direct));
      expect(engine.requests.slice(-2).map((request) => request.body)).toEqual([body, body]);
    }
  });

  test('fields that nobody knows pass on', async () => {
    const { engine, chat } = await start();
    const extra = {
      store: false,
      prompt_cache_key: 'k',
      search_parameters: { mode: 'off' },
      mystery: { deep: [null] },
    };
    await post(chat, { ...ask, ...extra });
    expect(engine.requests[0]?.body).toMatchObject(extra);
  });

  test('models of all upstreams are listed under the names for clients', async () => {
    const first = await startEngine({
      script: () => 'From the first.',
      models: ['kimi-k2-thinking', 'other'],
    });
    const second = await startEngine({ script: () => 'From the second.', models: ['kimi-k2.5', 'other'] });
    onTestFinished(async () => void (await Promise.all([first.stop(), second.stop()])));
    const gateway = await startTestGateway({
      endpoint: 'moonshot',
      upstreams: [
        { name: 'mapped', url: first.baseURL, models: { fast: 'kimi-k2-thinking' } },
        { name: 'open', url: second.baseURL },
        { name: 'gone', url: 'http://127.0.0.1:9/v1', models: { away: 'x' } },
      ],
    });
    const { data } = (await (await fetch(`${gateway.baseURL}/models`)).json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(['fast', 'kimi-k2.5', 'other', 'away']);
    const answer = async (model: string) => {
      const response = await post(`${gateway.baseURL}/chat/completions`, { ...ask, model });
      const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
      return choices[0]?.message.content;
    };
    expect(await answer('fast')).toBe('From the first.');
    expect(first.requests.at(-1)?.body).toMatchObject({ model: 'kimi-k2-thinking' });
    expect(await answer('other')).toBe('From the second.');
  });

  test('one model is told of by its name, whatever is in it', async () => {
    const { engine, gateway: open } = await start({ models: ['moonshotai/Kimi-K2', 'other'] });
    const mapped = await startTestGateway({
      upstreams: [{ url: engine.baseURL, models: { 'our/fast model': 'moonshotai/Kimi-K2' } }],
    });
    for (const [{ baseURL }, id] of [
      [open, 'moonshotai/Kimi-K2'],
      [mapped, 'our/fast model'],
    ] as const) {
      const client = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 });
      expect(await client.models.retrieve(id)).toMatchObject({ id, object: 'model' });
      await expect(client.models.retrieve('nope')).rejects.toMatchObject({
        status: 404,
        code: 'model_not_found',
      });
    }
    expect(await open.metric('kimi_tc_requests_total', { route: '/v1/models/{id}', status: '404' })).toBe(1);
  });

  test('a model that only the second upstream lists goes there', async () => {
    const first = await startEngine({ script: () => 'From the first.', models: ['a'] });
    const second = await startEngine({ script: () => 'From the second.', models: ['b'] });
    onTestFinished(async () => void (await Promise.all([first.stop(), second.stop()])));
    const gateway = await startTestGateway({
      upstreams: [{ url: first.baseURL }, { url: second.baseURL }],
    });
    const response = await post(`${gateway.baseURL}/chat/completions`, { ...ask, model: 'b' });
    expect(await response.text()).toContain('From the second.');
  });

  test('a model that no map names is refused', async () => {
    const { chat, engine } = await start();
    const gateway = await startTestGateway({ upstreams: [{ url: engine.baseURL, models: { a: 'b' } }] });
    expect(await errorOf(await post(`${gateway.baseURL}/chat/completions`, ask))).toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
      type: 'invalid_request_error',
    });
    expect((await post(chat, ask)).status).toBe(200);
  });

  test('what names no model is refused where maps say which there are, and passed on elsewhere', async () => {
    const { chat, engine } = await start();
    const mapped = await startTestGateway({ upstreams: [{ url: engine.baseURL, models: { a: 'b' } }] });
    for (const model of [undefined, 5, null]) {
      const body = { messages: ask.messages, model };
      expect(await errorOf(await post(`${mapped.baseURL}/chat/completions`, body))).toMatchObject({
        status: 400,
        code: 'model_required',
      });
      await post(chat, body);
      expect(engine.requests.at(-1)?.body).toEqual(JSON.parse(JSON.stringify(body)));
    }
  });

  test('unknown routes and methods', async () => {
    const { gateway } = await start();
    expect(await errorOf(await fetch(`${gateway.url}/v1/embeddings`))).toMatchObject({
      status: 404,
      code: 'unknown_url',
    });
    expect(await errorOf(await fetch(`${gateway.url}//v1/models`))).toMatchObject({ status: 404 });
    const wrong = await fetch(`${gateway.baseURL}/chat/completions`);
    expect(wrong.headers.get('allow')).toBe('POST');
    expect(await errorOf(wrong)).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(await errorOf(await post(`${gateway.url}/healthz`, {}))).toMatchObject({ status: 405 });
  });

  test('health and readiness', async () => {
    const { gateway } = await start();
    const away = await startTestGateway({ upstreams: [{ url: 'http://127.0.0.1:9/v1' }] });
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
    expect((await fetch(`${away.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${away.url}/readyz`)).status).toBe(503);
  });

  test('metrics count requests, repairs, latencies and errors, each gateway its own', async () => {
    const { gateway, chat } = await start({ script: [`Reading.${call}`], behaviour: 'raw-content' });
    const other = await startTestGateway({ upstreams: [{ name: 'gone', url: 'http://127.0.0.1:9/v1' }] });
    const began = performance.now();
    await (await post(chat, { ...ask, tools: [] })).text();
    await (await post(chat, { ...ask, stream: true })).text();
    const seconds = (performance.now() - began) / 1000;
    await post(`${other.baseURL}/chat/completions`, ask);
    const route = '/v1/chat/completions';
    expect(await gateway.metric('kimi_tc_requests_total', { route, status: '200' })).toBe(2);
    expect(await gateway.metric('kimi_tc_time_to_first_token_seconds_count')).toBe(2);
    expect(await gateway.metric('kimi_tc_added_latency_seconds_count', { route })).toBe(2);
    expect(await gateway.metric('kimi_tc_added_latency_seconds_sum', { route })).toBeLessThan(seconds);
    expect(await gateway.metric('kimi_tc_streams_open')).toBe(0);
    expect(await gateway.metric('kimi_tc_upstream_errors_total')).toBe(0);
    const unreachable = { upstream: 'gone', code: 'upstream_unreachable' };
    expect(await other.metric('kimi_tc_upstream_errors_total', unreachable)).toBe(1);
    expect(await other.metric('kimi_tc_requests_total', { status: '502' })).toBe(1);
  });

  test('problems are counted by code, and stand in the log line of their own request', async () => {
    const { gateway, chat } = await start({
      behaviour: 'raw-content',
      delayMs: 1,
      script: ({ body }) =>
        JSON.stringify(body).includes('cut') ? `Reading.${call.slice(0, -43)}` : `Reading.${call}`,
    });
    const say = (content: string) =>
      post(chat, { ...ask, stream: true, messages: [{ role: 'user', content }] });
    const all = await Promise.all(Array.from({ length: 20 }, (_, at) => say(at % 2 === 0 ? 'cut' : 'whole')));
    await Promise.all(all.map((response) => response.text()));
    const lines = gateway.lines.filter(({ msg }) => msg === 'request');
    expect(lines).toHaveLength(20);
    expect(lines.filter(({ problems }) => Object(problems)['unclosed-call'] === 1)).toHaveLength(10);
    expect(lines.filter(({ problems }) => problems === undefined)).toHaveLength(10);
    expect(await gateway.metric('kimi_tc_problems_total', { code: 'unclosed-call', of: 'reply' })).toBe(10);
  });
});

test('of a model that nobody knows the log has the beginning, and nothing that acts on a terminal', async () => {
  const { chat, gateway } = await start();
  await post(chat, { ...ask, model: `a\n\u001b[31m\u009b\u202e${'b'.repeat(200)}` });
  expect(gateway.lines.at(-1)?.model).toBe(`a\ufffd\ufffd[31m\ufffd\ufffd${'b'.repeat(91)}`);
});

describe('bodies', () => {
  test('compressed ones are read', async () => {
    const { chat, engine } = await start();
    const json = JSON.stringify(ask);
    for (const [encoding, bytes] of Object.entries({
      gzip: gzipSync(json),
      deflate: deflateSync(json),
      br: brotliCompressSync(json),
    })) {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
      const response = await fetch(chat, { method: 'POST', headers, body: new Uint8Array(bytes) });
      expect({ encoding, status: response.status }).toEqual({ encoding, status: 200 });
    }
    expect(engine.requests.map(({ body }) => body)).toMatchObject([ask, ask, ask]);
    expect(engine.requests[0]?.headers['content-encoding']).toBeUndefined();
  });

  test.each([
    ['an unknown encoding', { 'content-encoding': 'zstd' }, JSON.stringify(ask), 415, 'unsupported_encoding'],
    ['what is not gzip', { 'content-encoding': 'gzip' }, JSON.stringify(ask), 400, 'invalid_json'],
    ['cut JSON', {}, '{"model":"k","messages":[{"secret', 400, 'invalid_json'],
    ['a list', {}, '[]', 400, 'invalid_json'],
    ['nothing', {}, '', 400, 'invalid_json'],
    ['what is not UTF-8', {}, new Uint8Array([0x7b, 0xff, 0x7d]), 400, 'invalid_json'],
  ])('%s', async (_, headers, body, status, code) => {
    const { chat, engine } = await start();
    const response = await fetch(chat, { method: 'POST', headers, body });
    const error = await errorOf(response);
    expect(error).toMatchObject({ status, code, type: 'invalid_request_error' });
    expect(error.message).not.toContain('secret');
    expect(engine.requests).toHaveLength(0);
  });

  test('too large: by its length, as it comes, and unpacked', async () => {
    const { chat, engine } = await start({}, { limits: { bodyBytes: 1000 } });
    const large = JSON.stringify({ ...ask, padding: 'x'.repeat(2000) });
    const chunked = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(large));
        controller.close();
      },
    });
    const tries: RequestInit[] = [
      { body: large },
      { body: chunked, duplex: 'half' } as RequestInit,
      { body: new Uint8Array(gzipSync(large)), headers: { 'content-encoding': 'gzip' } },
    ];
    for (const init of tries)
      expect(await errorOf(await fetch(chat, { method: 'POST', ...init }))).toMatchObject({
        status: 413,
        code: 'request_too_large',
      });
    expect(engine.requests).toHaveLength(0);
    expect((await post(chat, ask)).status).toBe(200);
  });
});

describe('JSON that is nested more deeply than anyone can read', () => {
  const deep = (open: string, close: string) => open.repeat(20_000) + close.repeat(20_000);

  test('is refused in a request that has to be changed, and else passes as it came', async () => {
    const { engine } = await start();
    const gateway = await startTestGateway({
      endpoint: 'moonshot',
      upstreams: [
        { name: 'mapped', url: engine.baseURL, models: { a: 'kimi-k2.5' } },
        // Two, which are asked for their models first.
        { name: 'one', url: engine.baseURL },
        { name: 'other', url: engine.baseURL },
      ],
    });
    const send = (fields: string) =>
      post(
        `${gateway.baseURL}/chat/completions`,
        `{"messages":[{"role":"user","content":"Go."}],"x":${deep('[', ']')},${fields}}`,
      );
    expect((await send('"model":"kimi-k2.5"')).status).toBe(200);
    for (const fields of ['"model":"a"', '"model":"kimi-k2.5","temperature":0.3'])
      expect(await errorOf(await send(fields))).toMatchObject({ status: 400, code: 'invalid_json' });
    expect(await gateway.metric('kimi_tc_requests_running')).toBe(0);
  });

  test('is a failure of the upstream in a reply', async () => {
    const url = await startServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(`{"model":"b","choices":[{"message":{"content":"Hi."}}],"x":${deep('[', ']')}}`);
    });
    const gateway = await startTestGateway({ upstreams: [{ url, models: { a: 'b' } }] });
    const response = await post(`${gateway.baseURL}/chat/completions`, { ...ask, model: 'a' });
    expect(await errorOf(response)).toMatchObject({ status: 502, code: 'upstream_error' });
  });
});

describe('keys', () => {
  const own = { apiKeyEnv: 'OWN' };

  test("the client's goes up where the gateway has none", async () => {
    const { chat, engine } = await start({ apiKey: 'client-key' });
    expect((await post(chat, ask, { headers: { authorization: 'Bearer client-key' } })).status).toBe(200);
    expect((await post(chat, ask, { headers: { authorization: 'Bearer other' } })).status).toBe(401);
    expect(engine.requests).toHaveLength(2);
  });

  test("the gateway's own takes the place of the client's", async () => {
    const engine = await startEngine({ script: () => 'Hello.', apiKey: 'own-key' });
    onTestFinished(() => engine.stop());
    const gateway = await startTestGateway(
      { upstreams: [{ url: engine.baseURL, ...own }] },
      { OWN: 'own-key' },
    );
    const headers = {
      authorization: 'Bearer client-key',
      'api-key': 'client-key',
      'x-api-key': 'client-key',
    };
    expect((await post(`${gateway.baseURL}/chat/completions`, ask, { headers })).status).toBe(200);
    expect((await post(`${gateway.baseURL}/chat/completions`, ask)).status).toBe(200);
    expect(JSON.stringify(engine.requests)).not.toContain('client-key');
  });

  test('a key of the gateway lets in, and never goes up', async () => {
    const { chat, engine, gateway } = await start(
      {},
      { gatewayKeysEnv: 'KEYS' },
      { KEYS: 'gate-one, gate-two' },
    );
    const status = async (headers: Record<string, string>) => (await post(chat, ask, { headers })).status;
    expect(await status({ authorization: 'Bearer gate-one' })).toBe(200);
    expect(await status({ authorization: 'bearer gate-two' })).toBe(200);
    expect(await status({ 'x-api-key': 'gate-two' })).toBe(200);
    expect(await status({ authorization: 'Bearer gate-three' })).toBe(401);
    expect(await status({ authorization: 'Bearer gate-one, gate-two' })).toBe(401);
    expect(await errorOf(await post(chat, ask))).toMatchObject({ status: 401, code: 'invalid_api_key' });
    expect((await fetch(`${gateway.baseURL}/models`)).status).toBe(401);
    expect((await fetch(`${gateway.url}/metrics`)).status).toBe(401);
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    expect(JSON.stringify(engine.requests)).not.toContain('gate-');
  });

  test('conversations of two callers do not share reasoning, though one key goes up', async () => {
    const engine = await startEngine({
      script: [`<think>Thought of the first.</think>${call}`, 'Done.'],
      behaviour: 'raw-content',
    });
    onTestFinished(() => engine.stop());
    const gateway = await startTestGateway(
      { upstreams: [{ url: engine.baseURL, ...own }], gatewayKeysEnv: 'KEYS' },
      { OWN: 'own-key', KEYS: 'one,two' },
    );
    const chat = `${gateway.baseURL}/chat/completions`;
    const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
    const tool_calls = [
      { id: 'functions.read:0', type: 'function', function: { name: 'read', arguments: '{"path":"a.md"}' } },
    ];
    const answered = [
      ...ask.messages,
      { role: 'assistant', content: null, tool_calls },
      { role: 'tool', tool_call_id: 'functions.read:0', content: 'text' },
    ];
    await post(chat, ask, as('one'));
    for (const key of ['one', 'two']) await post(chat, { ...ask, messages: answered }, as(key));
    const [, first, second] = engine.requests.map(({ body }) => JSON.stringify(body));
    expect(first).toContain('Thought of the first.');
    expect(second).not.toContain('Thought of the first.');
  });
});

describe('headers', () => {
  test('only those of a list go up', async () => {
    let seen: Record<string, unknown> = {};
    const url = await startServer((incoming, response) => {
      seen = incoming.headers;
      response.setHeader('content-type', 'application/json');
      response.end('{"choices":[]}');
    });
    const gateway = await startTestGateway({ upstreams: [{ url: `${url}/v1` }] });
    const sent = {
      authorization: 'Bearer key',
      cookie: 'session=1',
      'x-forwarded-for': '10.0.0.1',
      'x-forwarded-host': 'evil.example',
      forwarded: 'for=10.0.0.1',
      'x-request-id': 'abc',
      'x-upstream': 'http://evil.example',
      'x-stainless-lang': 'python',
      'idempotency-key': 'i',
    };
    await post(`${gateway.baseURL}/chat/completions`, ask, { headers: sent });
    expect(Object.keys(seen).sort()).toEqual(
      [
        'accept',
        'accept-encoding',
        'accept-language',
        'authorization',
        'connection',
        'content-length',
        'content-type',
        'host',
        'idempotency-key',
        'sec-fetch-mode',
        'user-agent',
        'x-request-id',
      ].filter((name) => name in seen),
    );
    expect(seen.host).toBe(new URL(url).host);
    expect(seen['x-request-id']).toBe('abc');
  });

  test('a header that Connection names is hop-by-hop, and stays', async () => {
    let seen: Record<string, unknown> = {};
    const url = await startServer((incoming, response) => {
      seen = incoming.headers;
      response.setHeader('content-type', 'application/json');
      response.end('{"choices":[]}');
    });
    const gateway = await startTestGateway({ upstreams: [{ url: `${url}/v1` }] });
    const body = JSON.stringify(ask);
    await raw(
      gateway.url,
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: close, Idempotency-Key\r\nIdempotency-Key: i\r\nX-Title: t\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(seen['idempotency-key']).toBeUndefined();
    expect(seen['x-title']).toBe('t');
  });

  test('only those of a list come down', async () => {
    const url = await startServer((_, response) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'set-cookie': 'a=b',
        server: 'secret/1.0',
        'x-ratelimit-remaining-requests': '3',
        'x-internal': 'host-17',
        'keep-alive': 'timeout=9',
        'x-request-id': 'up-1',
      });
      response.end('{"choices":[]}');
    });
    const gateway = await startTestGateway({ upstreams: [{ url: `${url}/v1` }] });
    const { headers } = await post(`${gateway.baseURL}/chat/completions`, ask);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-ratelimit-remaining-requests': '3',
      'x-request-id': 'up-1',
    });
    for (const name of ['set-cookie', 'server', 'x-internal']) expect(headers.has(name)).toBe(false);
    expect(headers.get('keep-alive')).not.toBe('timeout=9');
  });

  test.each([
    ['a length beside chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!'],
    ['a folded header', 'X-A: b\r\n c\r\n\tTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n'],
    ['a space before the colon', 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n'],
  ])('%s are refused, and nothing behind them is taken for a request', async (_, rest) => {
    const { gateway, engine } = await start();
    const answer = await raw(
      gateway.url,
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n${rest}GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`,
    );
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
    expect(answer).toContain('"type":"invalid_request_error"');
    expect(engine.requests).toHaveLength(0);
  });

  test('an address of another host in the request line leads nowhere', async () => {
    const { gateway, engine } = await start();
    const answer = await raw(
      gateway.url,
      `GET http://127.0.0.1:9/v1/models HTTP/1.1\r\nHost: 127.0.0.1:9\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200/);
    expect(engine.requests.map(({ path }) => path)).toEqual(['/v1/models']);
  });
});

/** What comes back for these bytes. */
function raw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setTimeout(PATIENCE, () => socket.destroy(new Error(`no end of: ${answer}`)));
    socket.on('data', (data) => (answer += data));
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}

describe('what upstreams do', () => {
  test('redirects are not followed', async () => {
    const evil = await startEngine({ script: () => 'Hello.' });
    onTestFinished(() => evil.stop());
    const url = await startServer((_, response) => {
      response.writeHead(307, { location: `${evil.baseURL}/chat/completions` });
      response.end();
    });
    const gateway = await startTestGateway({ upstreams: [{ name: 'up', url: `${url}/v1` }] });
    const headers = { authorization: 'Bearer key' };
    const response = await post(`${gateway.baseURL}/chat/completions`, ask, { headers });
    expect(response.headers.has('location')).toBe(false);
    expect(await errorOf(response)).toMatchObject({ status: 502, code: 'upstream_redirect' });
    expect((await fetch(`${gateway.baseURL}/models`)).status).toBe(502);
    expect(evil.requests).toHaveLength(0);
    expect(await gateway.metric('kimi_tc_upstream_errors_total', { code: 'upstream_redirect' })).toBe(2);
  });

  test('errors of the API pass as they are', async () => {
    const { chat } = await start({ behaviour: 'rate-limited' });
    const response = await post(chat, ask);
    expect(response.headers.get('retry-after')).toBe('0');
    expect(await errorOf(response)).toMatchObject({
      status: 429,
      message: expect.stringContaining('overloaded'),
    });
  });

  test('pages become errors of the API', async () => {
    const { chat } = await start({ behaviour: 'html-error-page' });
    expect(await errorOf(await post(chat, ask))).toMatchObject({ status: 502, code: 'upstream_error' });
    const url = await startServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<html>Log in</html>');
    });
    const gateway = await startTestGateway({ upstreams: [{ url: `${url}/v1` }] });
    const answer = await post(`${gateway.baseURL}/chat/completions`, ask);
    expect(await errorOf(answer)).toMatchObject({ status: 502, code: 'upstream_error' });
  });

  test('a connection that is reset, and a server that is not there', async () => {
    const { chat } = await start({ behaviour: 'connection-reset' });
    expect(await errorOf(await post(chat, ask))).toMatchObject({ status: 502, type: 'server_error' });
    const gateway = await startTestGateway({ upstreams: [{ url: 'http://127.0.0.1:9/v1' }] });
    expect(await errorOf(await post(`${gateway.baseURL}/chat/completions`, ask))).toMatchObject({
      status: 502,
      code: 'upstream_unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('a reply that breaks off ends in an error, and the body is not whole', async () => {
    const { chat, gateway } = await start({ behaviour: ['raw-content', 'cut-mid-call'], script: [call] });
    const response = await post(chat, { ...ask, stream: true });
    let text = '';
    const read = async () => {
      const decoder = new TextDecoder();
      for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true });
    };
    await expect(read()).rejects.toThrow();
    expect(text).toContain('"code":"upstream_reset"');
    expect(text).not.toContain('[DONE]');
    expect(text).not.toContain('"finish_reason":"tool_calls"');
    const client = new OpenAI({ baseURL: gateway.baseURL, apiKey: 'none', maxRetries: 0 });
    const stream = client.chat.completions.stream({
      model: 'kimi-k2',
      messages: [{ role: 'user', content: 'Go.' }],
    });
    await expect(stream.finalChatCompletion()).rejects.toThrow();
    expect(gateway.lines).toContainEqual(expect.objectContaining({ failure: 'upstream_reset' }));
    expect(await errorOf(await post(chat, ask))).toMatchObject({ status: 502, code: 'upstream_reset' });
  });
});

describe('web pages', () => {
  test('may not call unless their origin is allowed', async () => {
    const { chat, engine } = await start({}, { origins: ['https://chat.example.com'] });
    const page = (origin: string) => post(chat, ask, { headers: { origin, 'content-type': 'text/plain' } });
    expect(await errorOf(await page('https://evil.example'))).toMatchObject({
      status: 403,
      code: 'origin_not_allowed',
    });
    expect(engine.requests).toHaveLength(0);
    const allowed = await page('https://chat.example.com');
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://chat.example.com');
    const preflight = await fetch(chat, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://chat.example.com',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
  });

  test('of any origin may call where all are allowed, and of none by default', async () => {
    const all = await start({}, { origins: ['*'] });
    const none = await start();
    const headers = { origin: 'http://localhost:3000' };
    const allowed = await post(all.chat, ask, { headers });
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect((await post(none.chat, ask, { headers })).status).toBe(403);
    expect((await post(none.chat, ask)).headers.has('access-control-allow-origin')).toBe(false);
  });

  test('of any port of a host, or any name of an app, may call where a star says so', async () => {
    const { chat } = await start({}, { origins: ['http://localhost:*', 'vscode-webview://*'] });
    const from = async (origin: string) => {
      const { status, headers } = await post(chat, ask, { headers: { origin } });
      return status === 200 && headers.get('access-control-allow-origin') === origin;
    };
    for (const origin of ['http://localhost', 'http://localhost:5173', 'vscode-webview://1a2b'])
      expect([origin, await from(origin)]).toEqual([origin, true]);
    for (const origin of [
      'http://localhost.evil.example',
      'http://localhost:80.evil.example',
      'https://localhost:5173',
      'http://evil.example',
      'null',
    ])
      expect([origin, await from(origin)]).toEqual([origin, false]);
  });

  test('without an origin are told the one way there is', async () => {
    const { chat } = await start();
    const { message } = await errorOf(await post(chat, ask, { headers: { origin: 'null' } }));
    expect(message).toContain('only --allow-origin "*" lets them');
  });
});
