import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  post,
  startServer,
  startTestGateway,
  type TestGateway,
  undoAfterAll,
  until,
} from './test-gateway.ts';

const message =
  'Reading.<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>';
const whole = JSON.stringify({
  id: 'c',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: message }, finish_reason: 'stop' }],
});
const events = `data: ${JSON.stringify({
  id: 'c',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: { role: 'assistant', content: message }, finish_reason: 'stop' }],
})}\n\ndata: [DONE]\n\n`;

/** What the server writes, byte by byte as it stands here, before it ends the connection. */
let reply: readonly (string | Uint8Array)[] = [];
/** Times between the end of an answer that keeps its connection and the end of that. */
const rests: number[] = [];
let gateway: TestGateway;
const undo = undoAfterAll();

beforeAll(async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => void answer(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  undo(() => void server.close());
  const { port } = server.address() as AddressInfo;
  gateway = await startTestGateway({ upstreams: [{ url: `http://127.0.0.1:${port}/v1` }] }, {}, undo);
});

async function answer(socket: Socket): Promise<void> {
  for (const part of reply) {
    socket.write(part);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  if (!String(reply[0]).includes('keep-alive')) return void socket.end();
  const since = performance.now();
  socket.once('end', () => rests.push(performance.now() - since));
}

/** The connection ends with the answer unless `headers` keep it: nothing else may be sent to one that is about to. */
function head(headers: readonly string[], status = '200 OK'): string {
  const all = headers.some((line) => line.startsWith('connection:'))
    ? headers
    : [...headers, 'connection: close'];
  return `HTTP/1.1 ${status}\r\n${all.map((line) => `${line}\r\n`).join('')}\r\n`;
}

function ask(stream: boolean): Promise<Response> {
  return post(`${gateway.baseURL}/chat/completions`, {
    model: 'kimi-k2',
    messages: [{ role: 'user', content: 'Go.' }],
    stream,
  });
}

const types = ['content-type: text/plain', 'content-type: application/octet-stream', 'x-none: 1'];

describe.each(types)('a reply with %s', (type) => {
  test('is made right if it is JSON', async () => {
    reply = [head([type]), '\n', whole.slice(0, 40), whole.slice(40)];
    const response = await ask(false);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({
      choices: [{ finish_reason: 'tool_calls', message: { content: 'Reading.' } }],
    });
  });

  test.each([true, false])('is made right if it is a stream (asked for one: %s)', async (stream) => {
    reply = [head([type]), events.slice(0, 3), events.slice(3)];
    const response = await ask(stream);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const text = await response.text();
    expect(text).toContain('"tool_calls"');
    expect(text).not.toContain('<|');
  });
});

test('a stream under the name of JSON is passed on as it comes', async () => {
  // The server goes on only when the client has what came first.
  let goOn = () => {};
  const heard = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const url = await startServer(async (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(events.slice(0, events.indexOf('data: [DONE]')).replace('"stop"', 'null'));
    await heard;
    response.end('data: {"error":"No GPU."}\n\n');
  });
  const { baseURL } = await startTestGateway({ upstreams: [{ url: `${url}/v1` }] });
  const body = { model: 'kimi-k2', messages: [{ role: 'user', content: 'Go.' }], stream: true };
  let text = '';
  for await (const bytes of (await post(`${baseURL}/chat/completions`, body)).body ?? []) {
    text += new TextDecoder().decode(bytes);
    goOn();
  }
  expect(text).toContain('"tool_calls"');
  expect(text).toContain('No GPU.');
});

test('JSON under the name of events that nobody uses is made right too', async () => {
  reply = [head(['content-type: application/x-ndjson']), events];
  expect(await (await ask(true)).text()).not.toContain('<|');
});

describe('a compressed reply that nobody asked for', () => {
  const encodings = { br: brotliCompressSync, gzip: gzipSync, 'x-gzip': gzipSync, zstd: zstdCompressSync };

  test.each(Object.entries(encodings))('%s is read', async (encoding, compress) => {
    for (const [stream, type, body] of [
      [false, 'application/json', whole],
      [true, 'text/event-stream', events],
    ] as const) {
      reply = [head([`content-type: ${type}`, `content-encoding: ${encoding}`]), compress(body)];
      const response = await ask(stream);
      expect(response.headers.get('content-encoding')).toBeNull();
      expect(await response.text()).toContain('"tool_calls"');
    }
  });

  test('in a way that is not known is told', async () => {
    reply = [head(['content-type: application/json', 'content-encoding: compress']), whole];
    const response = await ask(false);
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: 'upstream_error' } });
  });

  test('that breaks off fails', async () => {
    const body = gzipSync(events);
    reply = [
      head(['content-type: text/event-stream', 'content-encoding: gzip']),
      body.subarray(0, body.length - 9),
    ];
    const response = await ask(true);
    await expect(response.text()).rejects.toThrow();
  });
});

describe('an answer that is none', () => {
  const answers: Record<string, readonly string[]> = {
    'no content': [head([], '204 No Content')],
    'an empty body': [head(['content-type: application/json', 'content-length: 0'])],
    'half of the JSON': [head(['content-type: application/json']), whole.slice(0, 60)],
    'JSON that is no object': [head(['content-type: application/json']), 'null'],
    'a web page': [head(['content-type: text/html']), '<html>Sign in</html>'],
    'a status that does not exist': [head([], '600 Odd')],
    'plain words': [head(['content-type: text/plain']), 'Out of memory.\n'],
    'nothing at all': [head([])],
    'another protocol': ['SSH-2.0-OpenSSH_9\r\n'],
  };

  test.each(Object.entries(answers))('%s is a failure of the upstream', async (_, parts) => {
    for (const stream of [false, true]) {
      // What a stream might begin with is told in the stream.
      if (stream && parts[1] === 'null') continue;
      reply = parts;
      const response = await ask(stream);
      expect(response.status).toBe(502);
      const [headers = '', body = '{'] = parts;
      const code = headers.startsWith('HTTP') ? 'upstream_error' : 'upstream_unreachable';
      // Of JSON that was to be a stream, the words of the upstream are the error.
      const isInStream = stream && headers.includes('application/json') && body.startsWith('{');
      const message = parts[1] ?? 'The answer of the server is empty.';
      expect(await response.json()).toMatchObject({
        error: isInStream ? { message } : { type: 'server_error', code },
      });
    }
  });

  test('to a question for models leaves the upstream ready', async () => {
    reply = [head(['content-type: text/html']), '<html></html>'];
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
  });

  test('is named as in the log', async () => {
    reply = [head(['content-type: application/json'], '400 Bad Request'), '{"error":{"message":"No."}}'];
    const id = (await ask(false)).headers.get('x-request-id');
    expect(id).toMatch(/^req_/);
    expect(gateway.lines.at(-1)).toMatchObject({ id, status: 400 });
  });
});

describe('an error in another shape than that of the API', () => {
  const json = 'content-type: application/json';

  test.each<[string, string, string, Record<string, unknown>]>([
    [
      'a message by itself',
      json,
      '{"object":"error","message":"Too long.","code":400}',
      { message: 'Too long.' },
    ],
    ['a word', json, '{"error":"Too long.","code":"too_long","param":"messages"}', { message: 'Too long.' }],
    ['a detail', json, '{"detail":"Too long."}', { message: 'Too long.' }],
    ['details', json, '{"detail":[{"msg":"Too long."}]}', { message: '[{"msg":"Too long."}]' }],
    ['an error without a message', json, '{"error":{"number":7}}', { message: '{"number":7}' }],
    ['a list', json, '["Too long."]', { message: '["Too long."]' }],
    ['half of the JSON', json, '{"error":{"mess', { message: '{"error":{"mess' }],
    ['plain words', 'content-type: text/plain', 'Too long.\n', { message: 'Too long.' }],
  ])('%s is told as one', async (_, type, text, { message: said }) => {
    reply = [head([type], '400 Bad Request'), text];
    for (const stream of [false, true]) {
      const response = await ask(stream);
      expect(response.status).toBe(400);
      const { error } = (await response.json()) as { error: Record<string, unknown> };
      expect(error).toMatchObject({ type: 'invalid_request_error' });
      expect(error.message).toMatch(/^The upstream 127\.0\.0\.1:\d+ answers with status 400: /);
      expect(String(error.message)).toContain(said);
    }
  });

  test('keeps its code and its field', async () => {
    reply = [head([json], '400 Bad Request'), '{"error":"Too long.","code":"too_long","param":"messages"}'];
    const { error } = (await (await ask(false)).json()) as { error: object };
    expect(error).toMatchObject({ code: 'too_long', param: 'messages' });
  });

  test('is the error of the upstream where only its type is another', async () => {
    const text = '{"error":{"message":"Too long.","code":7}}';
    reply = [head(['content-type: text/plain'], '400 Bad Request'), text];
    const response = await ask(false);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.text()).toBe(text);
  });

  test('is told in part if it is long', async () => {
    reply = [head(['content-type: text/plain'], '400 Bad Request'), 'x'.repeat(100_000)];
    expect((await (await ask(false)).text()).length).toBeLessThan(1500);
  });
});

describe('a success that holds no reply', () => {
  test.each<[string, string, number, string]>([
    ['an error', '{"error":{"message":"No GPU."}}', 502, 'No GPU.'],
    ['an error with a status in it', '{"error":{"message":"Slow down.","code":429}}', 429, 'Slow down.'],
    ['an error with another code in it', '{"error":{"message":"No.","code":"no_gpu"}}', 502, 'No.'],
    ['an error in a word', '{"error":"No GPU."}', 502, 'answers with an error: No GPU.'],
    ['no choices', '{"id":"c","choices":null}', 502, 'answers with a reply without choices: {'],
    ['an empty list of choices', '{"id":"c","choices":[]}', 502, 'answers with a reply without choices: {'],
  ])('%s is a failure of the upstream', async (_, text, status, said) => {
    for (const stream of [false, true]) {
      // What was to be a stream becomes an empty turn, or an error in the words of the upstream.
      if (stream && text.includes('choices')) continue;
      reply = [head(['content-type: application/json']), text];
      const before = await gateway.metric('kimi_tc_upstream_errors_total', { code: 'upstream_error' });
      const response = await ask(stream);
      expect(response.status).toBe(status);
      const { error } = (await response.json()) as { error: { message: string } };
      expect(error.message).toContain(said);
      expect(gateway.lines.at(-1)).toMatchObject({ status, failure: 'upstream_error' });
      expect(await gateway.metric('kimi_tc_upstream_errors_total', { code: 'upstream_error' })).toBe(
        before + 1,
      );
    }
  });

  test.each(['"No GPU."', '{"message":"No GPU.","code":500}'])(
    'the error %s in the middle of a stream passes, and is a failure of the upstream',
    async (error) => {
      const event = `data: {"error":${error}}\n\n`;
      const begun = events.slice(0, events.indexOf('data: [DONE]')).replace('"stop"', 'null');
      reply = [head(['content-type: text/event-stream']), begun, event.slice(0, 9), event.slice(9)];
      const before = await gateway.metric('kimi_tc_upstream_errors_total', { code: 'upstream_error' });
      const text = await (await ask(true)).text();
      expect(text).toContain(event);
      await until(() => gateway.lines.at(-1)?.failure === 'upstream_error');
      expect(gateway.lines.at(-1)).toMatchObject({ status: 200, msg: 'request failed' });
      expect(await gateway.metric('kimi_tc_upstream_errors_total', { code: 'upstream_error' })).toBe(
        before + 1,
      );
    },
  );

  test('what only looks like an error in a stream is none', async () => {
    reply = [head(['content-type: text/event-stream']), events.replace('{"id"', '{"error":null,"id"')];
    const lines = gateway.lines.length;
    await (await ask(true)).text();
    await until(() => gateway.lines.length > lines);
    expect(gateway.lines.at(-1)).not.toHaveProperty('failure');
  });
});

// A machine that is busy elsewhere may be late.
test('a connection that rests is closed before servers close it', { retry: 3 }, async () => {
  rests.length = 0;
  reply = [
    head(['content-type: application/json', 'connection: keep-alive', `content-length: ${whole.length}`]),
    whole,
  ];
  await (await ask(false)).text();
  await until(() => rests.length > 0);
  // Gunicorn gives 2 seconds.
  expect(rests[0]).toBeLessThan(1900);
});

describe('a client of another kind', () => {
  async function sendRaw(text: string): Promise<string> {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    let received = '';
    socket.on('data', (part) => (received += part));
    socket.write(text);
    await new Promise((resolve) => socket.once('close', resolve));
    return received;
  }

  test('of HTTP/1.0 gets a stream without chunks, and its end', async () => {
    reply = [head(['content-type: text/event-stream']), events];
    const body = JSON.stringify({ model: 'k', messages: [], stream: true });
    const received = await sendRaw(
      `POST /v1/chat/completions HTTP/1.0\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    const [answered = '', text = ''] = received.split('\r\n\r\n');
    expect(answered.toLowerCase()).not.toContain('transfer-encoding');
    expect(text).toMatch(/^data: [\s\S]*data: \[DONE\]\n\n$/);
  });

  test('that asks before it sends is told to, or that it is too much', async () => {
    reply = [head(['content-type: application/json']), whole];
    const ask = (expect: string, length: number, body = '') =>
      sendRaw(
        `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\nconnection: close\r\nexpect: ${expect}\r\ncontent-length: ${length}\r\n\r\n${body}`,
      );
    const body = JSON.stringify({ model: 'k', messages: [] });
    expect(await ask('100-continue', body.length, body)).toMatch(
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/,
    );
    expect(await ask('100-continue', 10 ** 9)).toMatch(/^HTTP\/1\.1 413 .*connection: close\r\n/is);
    expect(await ask('something else', body.length, body)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  test('with headers without end is told so', async () => {
    const received = await sendRaw(`GET /healthz HTTP/1.1\r\nhost: a\r\nx-a: ${'y'.repeat(40_000)}\r\n\r\n`);
    expect(received).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
  });
});
