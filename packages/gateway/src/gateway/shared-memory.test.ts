import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { startEngine } from '@kimi-tc/testing';
import OpenAI from 'openai';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLog } from './create-log.ts';
import { createMetrics } from './metrics.ts';
import { createSharedMemory } from './shared-memory.ts';
import { createSlots } from './slots.ts';
import { makeFolder, startTestGateway, type TestGateway, until } from './test-gateway.ts';

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis) console.warn('redis-server is not installed: the tests of the shared memory are skipped');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

interface Redis {
  url: string;
  stop(): Promise<void>;
  /** Holds it still, or lets it go on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  start(): Promise<void>;
  keys(): string;
}

async function startRedis(): Promise<Redis> {
  const port = await freePort();
  const folder = makeFolder();
  let process: ChildProcess | undefined;
  const cli = (...args: string[]) =>
    spawnSync('redis-cli', ['-p', String(port), ...args], { encoding: 'utf8' }).stdout.trim();
  const redis: Redis = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
      process = spawn('redis-server', options, { stdio: 'ignore' });
      await until(() => cli('ping') === 'PONG');
    },
    async stop() {
      if (!process || process.exitCode !== null || process.signalCode !== null) return;
      const exited = once(process, 'exit');
      process.kill('SIGKILL');
      await exited;
    },
    signal: (name) => void process?.kill(name),
    keys: () => cli('keys', '*'),
  };
  onTestFinished(() => redis.stop());
  await redis.start();
  return redis;
}

const call = (n: number) =>
  `<|tool_calls_section_begin|><|tool_call_begin|>functions.read:${n}<|tool_call_argument_begin|>{"path":"${n}.md"}<|tool_call_end|><|tool_calls_section_end|>`;
const steps = 6;
const script = [
  ...Array.from({ length: steps }, (_, at) => `<think>Thought ${at}.</think>${call(at)}`),
  '<think>Done.</think>All read.',
];
const tools = [
  {
    type: 'function' as const,
    function: { name: 'read', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
  },
];

async function startPair(redis: string) {
  const engine = await startEngine({ script, behaviour: ['raw-content', 'reasoning-replay-required'] });
  onTestFinished(() => engine.stop());
  // A missing thought is to be refused, not papered over.
  const settings = { upstreams: [{ url: engine.baseURL }], redis, request: { strict: true } };
  const gateways = [await startTestGateway(settings), await startTestGateway(settings)] as const;
  return { engine, gateways };
}

/** A conversation that drops its reasoning, as the OpenAI SDK does, and asks another gateway each time. */
async function converse(
  gateways: readonly TestGateway[],
  between: (step: number) => Promise<void> = async () => {},
) {
  const clients = gateways.map(({ baseURL }) => new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 }));
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Read them all.' }];
  for (let step = 0; step <= steps; step++) {
    await between(step);
    const client = clients[step % clients.length] as OpenAI;
    const request = { model: 'kimi-k2-thinking', messages, tools };
    const { choices } = await client.chat.completions.stream(request).finalChatCompletion();
    const { content, tool_calls: calls = [] } = (choices[0] as (typeof choices)[0]).message;
    if (!calls?.length) return content;
    messages.push({
      role: 'assistant',
      content,
      tool_calls: (calls as { id: string; function: { name: string; arguments: string } }[]).map(
        ({ id, function: { name, arguments: args } }) => ({
          id,
          type: 'function',
          function: { name, arguments: args },
        }),
      ),
    });
    for (const { id } of calls) messages.push({ role: 'tool', tool_call_id: id, content: 'ok' });
  }
  return undefined;
}

function thoughtsOf(body: unknown): unknown[] {
  const { messages } = body as { messages: { tool_calls?: unknown; reasoning_content?: string }[] };
  return messages.filter(({ tool_calls }) => tool_calls).map(({ reasoning_content }) => reasoning_content);
}

const allThoughts = Array.from({ length: steps }, (_, at) => `Thought ${at}.`);

describe.skipIf(!hasRedis)('two gateways with one Redis', () => {
  test('a conversation hops between them and keeps its thoughts', async () => {
    const redis = await startRedis();
    const { engine, gateways } = await startPair(redis.url);
    expect(await converse(gateways)).toBe('All read.');
    expect(thoughtsOf(engine.requests.at(-1)?.body)).toEqual(allThoughts);
    // Keys tell nothing.
    expect(redis.keys().split('\n')).toHaveLength(steps);
    expect(redis.keys()).toMatch(/^(kimi-tc::[0-9a-f]{64}\n?)+$/);
  });

  test('without it they lose them, which is what the test above is worth', async () => {
    const engine = await startEngine({ script, behaviour: ['raw-content', 'reasoning-replay-required'] });
    onTestFinished(() => engine.stop());
    const settings = { upstreams: [{ url: engine.baseURL }], request: { strict: true } };
    const gateways = [await startTestGateway(settings), await startTestGateway(settings)];
    await expect(converse(gateways)).rejects.toThrow(/400/);
  });

  test('Redis dies in the middle: one gateway goes on by itself, is heard of, and shares again later', async () => {
    const redis = await startRedis();
    const { engine, gateways } = await startPair(redis.url);
    const [first, second] = gateways;
    const degraded = (gateway: TestGateway) => gateway.metric('kimi_tc_memory_degraded');
    const answer = await converse([first], async (step) => {
      if (step === 2) await redis.stop();
      if (step !== 4) return;
      await until(async () => (await degraded(first)) === 1);
    });
    expect(answer).toBe('All read.');
    expect(thoughtsOf(engine.requests.at(-1)?.body)).toEqual(allThoughts);
    const warned = first.lines.filter(({ msg }) => String(msg).includes('shared memory is away'));
    expect(warned).toHaveLength(1);
    expect(first.logText()).not.toContain('Thought');
    await redis.start();
    await until(async () => (await degraded(first)) === 0 && (await degraded(second)) === 0);
    await until(() => first.lines.some(({ msg }) => msg === 'the shared memory is back'));
    // What was learnt meanwhile is there now, for the other one too.
    await until(() => redis.keys().split('\n').filter(Boolean).length >= 4);
    expect(await converse(gateways)).toBe('All read.');
    expect(thoughtsOf(engine.requests.at(-1)?.body)).toEqual(allThoughts);
  });

  test('Redis dies between two gateways: no request fails for it', async () => {
    const redis = await startRedis();
    const engine = await startEngine({ script, behaviour: 'raw-content' });
    onTestFinished(() => engine.stop());
    const settings = { upstreams: [{ url: engine.baseURL }], redis: redis.url };
    const gateways = [await startTestGateway(settings), await startTestGateway(settings)];
    expect(await converse(gateways, async (step) => (step === 3 ? redis.stop() : undefined))).toBe(
      'All read.',
    );
    expect(engine.requests.map(({ status }) => status)).toEqual(engine.requests.map(() => 200));
  });

  test('Redis that hangs is left alone for a while', async () => {
    onTestFinished(() => void vi.useRealTimers());
    const redis = await startRedis();
    const { engine, gateways } = await startPair(redis.url);
    const [first] = gateways;
    // By a clock that stands it is left alone for all of the conversation, however long that takes.
    vi.useFakeTimers({ toFake: ['Date'] });
    const answer = await converse([first], async (step) => {
      if (step === 2) redis.signal('SIGSTOP');
    });
    vi.useRealTimers();
    expect(answer).toBe('All read.');
    // The other requests ask 20 times for what they find here.
    expect(await first.metric('kimi_tc_memory_failures_total')).toBeLessThan(8);
    expect(thoughtsOf(engine.requests.at(-1)?.body)).toEqual(allThoughts);
    expect(await first.metric('kimi_tc_memory_degraded')).toBe(1);
    redis.signal('SIGCONT');
  });

  test('Redis that answers while this process is busy is not taken for one that hangs', async () => {
    const redis = await startRedis();
    const metrics = createMetrics(createSlots({ concurrency: 1, queue: 0, queueMs: 1 }));
    const log = createLog({ level: 'silent', format: 'json' }, { write() {} });
    const memory = createSharedMemory(redis.url, log, metrics);
    onTestFinished(() => memory.close());
    await until(async () => {
      await memory.set('key', 'A thought.');
      return redis.keys() !== '';
    });
    const failures = async () => (await metrics.memoryFailures.get()).values;
    const before = await failures();
    const found = memory.get('key');
    // The question leaves.
    await new Promise(setImmediate);
    const busyUntil = performance.now() + 1000;
    while (performance.now() < busyUntil);
    expect(await found).toBe('A thought.');
    expect(await failures()).toEqual(before);
  });

  test('Redis that is not there at the start is waited for', async () => {
    const port = await freePort();
    const engine = await startEngine({ script, behaviour: ['raw-content', 'reasoning-replay-required'] });
    onTestFinished(() => engine.stop());
    const gateway = await startTestGateway({
      upstreams: [{ url: engine.baseURL }],
      redis: `redis://user:hidden@127.0.0.1:${port}`,
    });
    expect(await converse([gateway])).toBe('All read.');
    expect(await gateway.metric('kimi_tc_memory_degraded')).toBe(1);
    expect(gateway.logText()).not.toContain('hidden');
  });
});
