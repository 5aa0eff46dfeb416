import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EngineOptions, startEngine } from '@kimi-tc/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FileSettings } from './settings.ts';
import { post, startServer, startTestGateway, until } from './test-gateway.ts';

const ask = { model: 'kimi-k2', messages: [{ role: 'user', content: 'Go.' }], stream: true };
const words = Array.from({ length: 60 }, (_, at) => `word ${at} `);

async function start(engineOptions: Partial<EngineOptions> = {}, settings: Partial<FileSettings> = {}) {
  const engine = await startEngine({ script: () => ({ text: words }), ...engineOptions });
  onTestFinished(() => engine.stop());
  const gateway = await startTestGateway({ upstreams: [{ url: engine.baseURL }], ...settings });
  return { engine, gateway, chat: `${gateway.baseURL}/chat/completions` };
}

async function errorOf(response: Response): Promise<Record<string, unknown>> {
  const { error } = (await response.json()) as { error: Record<string, unknown> };
  return { status: response.status, ...error };
}

/** Reads until the text holds something; what is behind stays unread. */
async function readUntil(
  response: Response,
  wanted: string,
): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = '';
  while (!text.includes(wanted)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`ended before ${wanted}: ${text}`);
    text += new TextDecoder().decode(value);
  }
  return reader;
}

describe('a client that leaves', () => {
  test('in the middle of a stream ends it at the upstream within 100 ms', async () => {
    // By the clock of the upstream, which goes as slowly as the machine.
    const delayMs = 50;
    const { engine, chat, gateway } = await start({ delayMs });
    for (let at = 0; at < 3; at++) {
      const controller = new AbortController();
      const response = await post(chat, ask, { signal: controller.signal });
      await readUntil(response, 'word 3');
      const before = engine.requests[at]?.eventsSent as number;
      controller.abort();
      await until(() => engine.requests[at]?.aborted === true);
      const behind = (engine.requests[at]?.eventsSent as number) - before;
      expect(behind * delayMs).toBeLessThanOrEqual(100);
    }
    await until(() => gateway.lines.filter(({ status }) => status === 499).length === 3);
    expect(await gateway.metric('kimi_tc_streams_open')).toBe(0);
    expect(await gateway.metric('kimi_tc_requests_running')).toBe(0);
    expect(await gateway.metric('kimi_tc_upstream_errors_total')).toBe(0);
  });

  test.each([true, false])('before the first byte ends the request too (streamed: %s)', async (stream) => {
    const { engine, chat, gateway } = await start({ behaviour: 'slow-first-byte', slowMs: 20_000 });
    const controller = new AbortController();
    const answer = post(chat, { ...ask, stream }, { signal: controller.signal }).catch(() => 'left');
    await until(() => engine.requests.length === 1);
    controller.abort();
    await until(() => engine.requests[0]?.aborted === true);
    expect(await answer).toBe('left');
    await until(() => gateway.lines.some(({ status }) => status === 499));
    expect(await gateway.metric('kimi_tc_requests_running')).toBe(0);
    expect(await gateway.metric('kimi_tc_upstream_errors_total')).toBe(0);
  });

  test('in the queue gives its place up', async () => {
    const limits = { concurrency: 1, queue: 1 };
    const { engine, chat, gateway } = await start({ delayMs: 1000 }, { limits });
    const first = await post(chat, ask);
    const controller = new AbortController();
    const second = post(chat, ask, { signal: controller.signal }).catch(() => 'left');
    await until(async () => (await gateway.metric('kimi_tc_requests_waiting')) === 1);
    controller.abort();
    expect(await second).toBe('left');
    await until(async () => (await gateway.metric('kimi_tc_requests_waiting')) === 0);
    await first.body?.cancel();
    await until(async () => (await gateway.metric('kimi_tc_requests_running')) === 0);
    expect(engine.requests).toHaveLength(1);
  });

  test('while upstreams are asked for their models gives its slot up', async () => {
    let asked = 0;
    const url = await startServer(() => asked++);
    const upstreams = ['a', 'b'].map((name) => ({ name, url: `${url}/${name}/v1` }));
    const gateway = await startTestGateway({ upstreams, limits: { concurrency: 1 } });
    const controller = new AbortController();
    const init = { signal: controller.signal };
    const answer = post(`${gateway.baseURL}/chat/completions`, ask, init).catch(() => 'left');
    await until(() => asked === 2);
    expect(await gateway.metric('kimi_tc_requests_running')).toBe(1);
    controller.abort();
    expect(await answer).toBe('left');
    await until(() => gateway.lines.some(({ status }) => status === 499));
    expect(await gateway.metric('kimi_tc_requests_running')).toBe(0);
    // The lists are still to come.
    expect(await gateway.metric('kimi_tc_upstream_errors_total')).toBe(0);
  });
});

describe('limits', () => {
  test('a full queue is told at once, with when to come again, and the rest get their turn', async () => {
    const limits = { concurrency: 2, queue: 2 };
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { engine, chat, gateway } = await start({ onRequest: () => held }, { limits });
    const begun = [post(chat, ask), post(chat, ask), post(chat, ask), post(chat, ask)];
    await until(async () => (await gateway.metric('kimi_tc_requests_waiting')) === 2);
    const refused = await post(chat, ask);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await errorOf(refused)).toMatchObject({
      status: 429,
      code: 'queue_full',
      type: 'rate_limit_error',
    });
    await until(() => engine.requests.length === 2);
    answer();
    const texts = await Promise.all(begun.map(async (response) => (await response).text()));
    for (const text of texts) expect(text).toContain('[DONE]');
    expect(engine.requests).toHaveLength(4);
    expect(gateway.lines.some(({ queuedMs }) => Number(queuedMs) > 0)).toBe(true);
  });

  test('bodies that are on their way count, but take no turn from others', async () => {
    const { chat, gateway } = await start(
      { script: () => 'Hello.' },
      { limits: { concurrency: 1, queue: 1 } },
    );
    const upload = async () => {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      let text = '';
      socket.on('data', (part) => (text += part));
      const closed = once(socket, 'close');
      const body = JSON.stringify(ask);
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      await until(() => text.includes('100 Continue'));
      socket.write(body.slice(0, 20));
      return { closed, finish: () => void socket.write(body.slice(20)), text: () => text };
    };
    const first = await upload();
    expect(await (await post(chat, ask)).text()).toContain('[DONE]');
    const second = await upload();
    // Nobody waits for the rest of a body that is not wanted.
    const third = await upload();
    await third.closed;
    expect(third.text()).toContain('HTTP/1.1 429 ');
    expect(third.text()).toContain('queue_full');
    expect((await post(chat, ask)).status).toBe(429);
    second.finish();
    await until(() => second.text().endsWith('0\r\n\r\n'));
    expect((await post(chat, ask)).status).toBe(200);
    first.finish();
    await until(() => first.text().endsWith('0\r\n\r\n'));
  });

  test('who waits too long is told so', async () => {
    const { chat } = await start(
      { delayMs: 1000 },
      { limits: { concurrency: 1, queue: 5 }, timeouts: { queueMs: 50 } },
    );
    const first = await post(chat, ask);
    const late = await post(chat, ask);
    expect(late.headers.get('retry-after')).toBe('1');
    expect(await errorOf(late)).toMatchObject({ status: 503, code: 'queue_timeout', type: 'server_error' });
    await first.body?.cancel();
  });

  test('a slot is free again after every kind of end', async () => {
    const { chat, gateway } = await start(
      { script: [{ text: 'Hello.' }], behaviour: 'server-error' },
      { limits: { concurrency: 1, queue: 0 } },
    );
    for (const body of [
      ask,
      { ...ask, stream: false },
      { ...ask, messages: [] },
      '{',
      { ...ask, model: 7 },
    ]) {
      await (await post(chat, body)).text();
      expect(await gateway.metric('kimi_tc_requests_running')).toBe(0);
    }
  });
});

describe('timeouts', () => {
  test('of the first byte', async () => {
    for (const stream of [true, false]) {
      // As long as the upstream may take to see the request.
      const { chat, engine } = await start(
        { behaviour: 'slow-first-byte', slowMs: 20_000 },
        { timeouts: { firstByteMs: 1000 } },
      );
      expect(await errorOf(await post(chat, { ...ask, stream }))).toMatchObject({
        status: 504,
        code: 'upstream_timeout',
        type: 'server_error',
      });
      await until(() => engine.requests[0]?.aborted === true);
    }
  });

  test('of a reply that falls silent, as an event behind what came', async () => {
    const url = await startServer((_, response) => {
      response.setHeader('content-type', 'text/event-stream');
      response.write('data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}\n\n');
    });
    const gateway = await startTestGateway({
      upstreams: [{ name: 'mute', url: `${url}/v1` }],
      timeouts: { idleMs: 100 },
    });
    const response = await post(`${gateway.baseURL}/chat/completions`, ask);
    let text = '';
    const read = async () => {
      for await (const bytes of response.body ?? []) text += new TextDecoder().decode(bytes);
    };
    await expect(read()).rejects.toThrow();
    expect(text).toContain('Hello');
    expect(text).toContain('"code":"upstream_idle"');
    expect(text).not.toContain('[DONE]');
    expect(await gateway.metric('kimi_tc_upstream_errors_total', { code: 'upstream_idle' })).toBe(1);
  });

  test('of the connection', async () => {
    // An address that is for documentation alone: nobody answers, and some networks say so at once.
    const gateway = await startTestGateway({
      upstreams: [{ url: 'http://192.0.2.1:8000/v1' }],
      timeouts: { connectMs: 200 },
    });
    const error = await errorOf(await post(`${gateway.baseURL}/chat/completions`, ask));
    expect(['upstream_connect_timeout', 'upstream_unreachable']).toContain(error.code);
    expect([502, 504]).toContain(error.status);
  });

  test('do not run while a slow client reads', async () => {
    const idleMs = 500;
    const { chat } = await start({ delayMs: 0 }, { timeouts: { idleMs } });
    const response = await post(chat, ask);
    const reader = await readUntil(response, 'word 0');
    await sleep(3 * idleMs);
    let text = '';
    for (let read = await reader.read(); !read.done; read = await reader.read())
      text += new TextDecoder().decode(read.value);
    expect(text).toContain('[DONE]');
  });
});

describe('back-pressure', () => {
  test('a client that reads 1 kB/s from a fast upstream holds it back, and memory stays flat', async () => {
    const event = `data: ${JSON.stringify({
      id: 'c',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { content: 'x'.repeat(900) }, finish_reason: null }],
    })}\n\n`;
    let sent = 0;
    let isOpen = true;
    const url = await startServer((incoming, response) => {
      incoming.resume();
      response.setHeader('content-type', 'text/event-stream');
      response.on('close', () => {
        isOpen = false;
      });
      const write = (): void => {
        // As fast as the connection takes it, without end.
        while (isOpen && response.write(event)) sent += event.length;
        sent += event.length;
        if (isOpen) response.once('drain', write);
      };
      write();
    });
    const gateway = await startTestGateway({ upstreams: [{ url: `${url}/v1` }] });
    const { hostname, port } = new URL(gateway.url);
    const socket = connect({ host: hostname, port: Number(port) });
    onTestFinished(() => void socket.destroy());
    const body = JSON.stringify(ask);
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await once(socket, 'readable');
    let read = 0;
    const timer = setInterval(() => {
      const bytes = socket.read(Math.min(100, socket.readableLength || 100)) as Buffer | null;
      read += bytes?.length ?? 0;
    }, 100);
    // Several looks, as one is quiet too if the whole process stood still. Between two of them sockets are served.
    for (let quiet = 0; quiet < 10; ) {
      const before = sent;
      await sleep(100);
      quiet = sent === before ? quiet + 1 : 0;
      expect(sent).toBeLessThan(32 * 1024 * 1024);
    }
    const settled = sent;
    const readBefore = read;
    const heap = process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
    await until(() => read - readBefore >= 3000);
    clearInterval(timer);
    const grown = process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers - heap;
    // What the kernel and the streams on the way hold, and not a byte more for time that passes.
    expect(sent - settled).toBeLessThan(256 * 1024);
    expect(grown).toBeLessThan(16 * 1024 * 1024);
    socket.destroy();
    await until(() => !isOpen);
  });
});

test('a client that does not read is cut off, and its slot is free again', async () => {
  const event = `data: {"choices":[{"index":0,"delta":{"content":"${'x'.repeat(4000)}"}}]}\n\n`;
  let open = 0;
  const url = await startServer((_, response) => {
    open++;
    response.setHeader('content-type', 'text/event-stream');
    response.on('close', () => open--);
    const write = (): void => {
      while (!response.destroyed && response.write(event));
      if (!response.destroyed) response.once('drain', write);
    };
    write();
  });
  const gateway = await startTestGateway({
    upstreams: [{ url: `${url}/v1` }],
    limits: { concurrency: 1, queue: 0 },
    timeouts: { idleMs: 500 },
  });
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  const body = JSON.stringify(ask);
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await until(() => gateway.lines.some(({ route }) => route !== undefined));
  expect(gateway.lines.at(-1)).toMatchObject({ status: 499, failure: 'client_idle', msg: 'request failed' });
  await until(() => open === 0);
  expect(await gateway.metric('kimi_tc_requests_running')).toBe(0);
  expect(await gateway.metric('kimi_tc_upstream_errors_total')).toBe(0);
  const next = await post(`${gateway.baseURL}/chat/completions`, ask);
  expect(next.status).toBe(200);
  await next.body?.cancel();
});

describe('closing', () => {
  test('lets streams finish, takes nothing new, and ends', async () => {
    const { chat, gateway, engine } = await start({ delayMs: 5 });
    const response = await post(chat, ask);
    const idle = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    await once(idle, 'connect');
    const closed = gateway.close();
    await expect(post(chat, ask)).rejects.toThrow();
    const text = await response.text();
    expect(text).toContain('word 59');
    expect(text).toContain('[DONE]');
    const ended = performance.now();
    await closed;
    // Sooner than a connection that is kept would end by itself.
    expect(performance.now() - ended).toBeLessThan(2500);
    idle.destroy();
    expect(engine.requests).toHaveLength(1);
  });

  test('tells who asks behind an open reply', async () => {
    const { gateway } = await start({ delayMs: 5 });
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    let answer = '';
    socket.on('data', (data) => (answer += data));
    const body = JSON.stringify(ask);
    const request = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    socket.write(request);
    await until(() => answer.includes('word 3'));
    const closed = gateway.close();
    socket.write(request);
    await closed;
    await until(() => answer.includes('shutting_down'));
    expect(answer).toContain('[DONE]');
    const last = answer.slice(answer.lastIndexOf('HTTP/1.1'));
    expect(last).toMatch(/^HTTP\/1\.1 503/);
    expect(last.toLowerCase()).toContain('connection: close');
  });

  test('waits for no request that has not come as a whole', async () => {
    // Longer than a test may take.
    const { chat, gateway } = await start({ delayMs: 5 }, { timeouts: { shutdownMs: 600_000 } });
    const head = 'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n';
    const sockets = ['', head, `${head}Content-Length: 500\r\n\r\n{"model"`].map((text) => {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1', () => void socket.write(text));
      socket.on('error', () => {});
      onTestFinished(() => void socket.destroy());
      return socket;
    });
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const open = await post(chat, ask);
    const closed = gateway.close();
    await Promise.all(sockets.map((socket) => once(socket, 'close')));
    expect(await open.text()).toContain('[DONE]');
    await closed;
  });

  test('breaks off what does not finish in time', async () => {
    const { chat, gateway, engine } = await start({ delayMs: 50 }, { timeouts: { shutdownMs: 200 } });
    const response = await post(chat, ask);
    const text = response.text().catch(() => 'broken off');
    await gateway.close();
    // It takes three seconds as a whole.
    expect(await text).toBe('broken off');
    await until(() => engine.requests[0]?.aborted === true);
  });
});
