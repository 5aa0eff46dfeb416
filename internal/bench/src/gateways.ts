import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { createSdkClient } from './clients.ts';
import { startLoopback, toWrites } from './loopback.ts';
import { median } from './measure.ts';
import { createWireFixtures, MODEL, type WireFixture } from './wire-fixtures.ts';

export interface GatewayEffort {
  /** Each asks once for the first token, and once for many replies, along every way. */
  rounds: number;
  /** Replies that are read at once. */
  replies: number;
}

export const FULL_GATEWAYS: GatewayEffort = { rounds: 40, replies: 32 };
export const QUICK_GATEWAYS: GatewayEffort = { rounds: 8, replies: 16 };

/** Replies of one kind, along one way. */
export interface GatewayRow {
  reply: string;
  way: string;
  /** Milliseconds from the request to the first bytes of the body, of one reply at a time. */
  firstToken: number;
  /** Milliseconds more than directly, round by round. */
  added: number;
  /** Of all replies that are read at once, over every way's own time. */
  chunksPerSecond: number;
}

/** A way to the server. */
interface Way {
  name: string;
  baseURL: string;
  headers: Record<string, string>;
  /** Whether replies are made right along it. */
  repairs: boolean;
  stop(): void;
}

export const GATEWAY_CHUNKS = 300;

/** Times the way through the gateway, and through one that repairs nothing, each in a process of its own, as is the server. */
export async function measureGateways(
  effort: GatewayEffort,
  fixtures: readonly WireFixture[] = createWireFixtures(GATEWAY_CHUNKS),
): Promise<GatewayRow[]> {
  const rows: GatewayRow[] = [];
  for (const fixture of fixtures) {
    const writes = toWrites(fixture.events, 8);
    const server = await startLoopback({ [fixture.name]: { writes } });
    const ways = await Promise.all([
      { name: 'direct', baseURL: server.baseURL, headers: {}, repairs: false, stop: server.stop },
      startKimi(server.baseURL),
      startPortkey(server.baseURL),
    ]);
    try {
      for (const way of ways) await checkTurn(way, fixture);
      rows.push(...(await measureWays(ways, fixture, effort)));
    } finally {
      for (const { stop } of ways) stop();
    }
  }
  return rows;
}

/** A way that changes what it should not, or repairs nothing, is not worth a time. */
async function checkTurn({ name, baseURL, headers, repairs }: Way, fixture: WireFixture): Promise<void> {
  const send: typeof fetch = (input, init) =>
    fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers } });
  const turn = await createSdkClient(baseURL, send)({ reply: fixture.name, tools: fixture.tools });
  const expected = repairs ? fixture.turn : fixture.said;
  if (!isDeepStrictEqual(turn, expected)) throw new Error(`${name}: reads ${fixture.name} differently`);
}

async function measureWays(
  ways: readonly Way[],
  fixture: WireFixture,
  { rounds, replies }: GatewayEffort,
): Promise<GatewayRow[]> {
  const agents = ways.map(() => new Agent({ keepAlive: true, maxSockets: replies }));
  const firsts = ways.map((): number[] => []);
  const rates = ways.map((): number[] => []);
  for (let round = -2; round < rounds; round++) {
    for (let turn = 0; turn < ways.length; turn++) {
      const at = (round + 2 + turn) % ways.length;
      const ask = () => readReply(ways[at] as Way, fixture, agents[at] as Agent);
      const first = await ask();
      const start = performance.now();
      await Promise.all(Array.from({ length: replies }, ask));
      const seconds = (performance.now() - start) / 1000;
      // The first rounds warm up.
      if (round < 0) continue;
      firsts[at]?.push(first);
      rates[at]?.push((fixture.chunks * replies) / seconds);
    }
  }
  for (const agent of agents) agent.destroy();
  const direct = firsts[0] as number[];
  return ways.map(({ name }, at) => {
    const own = firsts[at] as number[];
    return {
      reply: fixture.name,
      way: name,
      firstToken: median(own),
      added: median(own.map((time, round) => time - (direct[round] as number))),
      chunksPerSecond: median(rates[at] as number[]),
    };
  });
}

/** Reads a reply to its end; the milliseconds until its first bytes. */
function readReply({ baseURL, headers }: Way, { tools }: WireFixture, agent: Agent): Promise<number> {
  const body = JSON.stringify({
    model: MODEL,
    messages: [{ role: 'user', content: 'Write it down.' }],
    tools,
    stream: true,
  });
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const all = { authorization: 'Bearer none', 'content-type': 'application/json', ...headers };
    const sent = request(
      `${baseURL}/chat/completions`,
      { method: 'POST', agent, headers: all },
      (response) => {
        let first = Number.NaN;
        let end = '';
        response.on('data', (bytes: Buffer) => {
          if (Number.isNaN(first)) first = performance.now() - start;
          end = bytes.subarray(-20).toString();
        });
        response.on('error', reject);
        response.on('end', () =>
          end.includes('[DONE]') ? resolve(first) : reject(new Error(`status ${response.statusCode}, cut`)),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

async function startKimi(upstream: string): Promise<Way> {
  const main = new URL('../../../packages/gateway/src/main.ts', import.meta.url);
  const port = await findPort();
  const options = ['--upstream', upstream, '--port', String(port), '--log-level', 'warn'];
  const stop = await startProcess(['--conditions=@kimi-tc/source', main.pathname, ...options], port, {});
  return { name: 'kimi-tc', baseURL: `http://127.0.0.1:${port}/v1`, headers: {}, repairs: true, stop };
}

/** Version 1.15.2 writes into the headers of what `fetch` answers, which Node.js refuses for streams. */
const MUTABLE_HEADERS = `data:text/javascript,${encodeURIComponent(
  'const send = fetch; globalThis.fetch = async (...call) => { const answer = await send(...call); return new Response(answer.body, answer); };',
)}`;

async function startPortkey(upstream: string): Promise<Way> {
  const manifest = createRequire(import.meta.url).resolve('@portkey-ai/gateway/package.json');
  const main = new URL('build/start-server.js', `file://${manifest}`).pathname;
  const port = await findPort();
  const env = { TRUSTED_CUSTOM_HOSTS: '127.0.0.1' };
  const stop = await startProcess(
    ['--import', MUTABLE_HEADERS, main, '--headless', `--port=${port}`],
    port,
    env,
  );
  const headers = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': upstream };
  return {
    name: '@portkey-ai/gateway',
    baseURL: `http://127.0.0.1:${port}/v1`,
    headers,
    repairs: false,
    stop,
  };
}

/** Starts a server, and waits until it takes connections. */
async function startProcess(
  args: readonly string[],
  port: number,
  env: Record<string, string>,
): Promise<() => void> {
  const child = spawn(process.execPath, args, { stdio: 'ignore', env: { ...process.env, ...env } });
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) break;
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    if (answer) return () => void child.kill('SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill('SIGKILL');
  throw new Error(`${args[0]}: does not listen`);
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
