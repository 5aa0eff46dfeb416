import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { createLog } from './create-log.ts';
import { readSettings } from './read-settings.ts';
import type { FileSettings } from './settings.ts';
import { type Gateway, startGateway } from './start-gateway.ts';

/** Only for tests: a gateway on a free port, what it logs, and servers without manners to put behind it. */
export interface TestGateway extends Gateway {
  baseURL: string;
  /** The lines of its log. */
  lines: Record<string, unknown>[];
  /** Its log as it was written. */
  logText(): string;
  /** The value of a metric with these labels; 0 if it was never touched. */
  metric(name: string, labels?: Record<string, string>): Promise<number>;
}

/** Undoes what a test or a whole file has begun, once it is over. */
export type Undo = (undo: () => void | Promise<void>) => void;

/** Undoes what a file begins in its `beforeAll`, where an `afterAll` comes too late to be run. */
export function undoAfterAll(): Undo {
  const undos: Parameters<Undo>[0][] = [];
  afterAll(async () => {
    for (const undo of undos.reverse()) await undo();
  });
  return (undo) => void undos.push(undo);
}

/** Settings as a configuration file has them, but for the port. */
export async function startTestGateway(
  settings: FileSettings,
  env: Record<string, string> = {},
  undo: Undo = onTestFinished,
): Promise<TestGateway> {
  const folder = makeFolder(undo);
  const file = join(folder, 'gateway.json');
  writeFileSync(file, JSON.stringify({ ...settings, listen: { port: 0, ...settings.listen } }));
  let text = '';
  const log = createLog({ level: 'debug', format: 'json' }, { write: (line) => (text += line) });
  const gateway = await startGateway(readSettings([], file, env), log);
  undo(() => gateway.close());
  return {
    ...gateway,
    baseURL: `${gateway.url}/v1`,
    get lines() {
      const lines = text.split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    logText: () => text,
    async metric(name, labels = {}) {
      const response = await fetch(`${gateway.url}/metrics`);
      const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
      const lines = (await response.text()).split('\n');
      const line = lines.find(
        (one) => /^\w+/.exec(one)?.[0] === name && wanted.every((label) => one.includes(label)),
      );
      return Number(line?.split(' ').at(-1) ?? 0);
    },
  };
}

export function makeFolder(undo: Undo = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'kimi-tc-gateway-'));
  undo(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A server on a free port of this machine. */
export async function startServer(listener: RequestListener, undo: Undo = onTestFinished): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  undo(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Milliseconds. Long, as some machines are slow or busy elsewhere; what comes true is not waited for longer. */
export const PATIENCE = 20_000;

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`did not come true within ${PATIENCE} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A request for a completion, as plain as it can be. */
export async function post(
  url: string,
  body: unknown,
  init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}
