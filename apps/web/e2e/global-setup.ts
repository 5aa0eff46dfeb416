import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startEngine } from '@kimi-tc/testing';
import type { TestProject } from 'vitest/node';
import { speak } from '../src/agent/pretend-model.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The production build; the pretend engine hardly waits. */
    readonly fast: string;
    /** The same, at a pace that leaves time to look, and with a real endpoint beside the engine. */
    readonly slow: string;
    /** The key of that endpoint, which no browser must see. */
    readonly secret: string;
  }
}

const appFolder = fileURLToPath(new URL('..', import.meta.url));
const secret = 'sk-4c21f09ab7';

/** Starts what the tests talk to, and stops it behind them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const endpoint = await startEngine({
    script: ({ body }) => speak(body),
    behaviour: 'raw-content',
    apiKey: secret,
  });
  const fast = await startNext({ PRETEND_DELAY_MS: '1' });
  const slow = await startNext({
    PRETEND_DELAY_MS: '50',
    KIMI_BASE_URL: endpoint.baseURL,
    KIMI_API_KEY: secret,
    KIMI_MODEL: 'kimi-k2-thinking',
  });
  project.provide('fast', fast.url);
  project.provide('slow', slow.url);
  project.provide('secret', secret);
  return async () => {
    await Promise.all([fast.stop(), slow.stop(), endpoint.stop()]);
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

async function startNext(env: Environment): Promise<Server> {
  const port = await findPort();
  const next = createRequire(import.meta.url).resolve('next/dist/bin/next');
  const child = spawn(process.execPath, [next, 'start', '-H', '127.0.0.1', '-p', String(port)], {
    cwd: appFolder,
    env: { ...withoutKimi(process.env), ...env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await waitForReady(child);
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill();
      await once(child, 'exit');
    },
  };
}

/** What the machine says of real endpoints is not for the tests. */
function withoutKimi(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('KIMI_')));
}

async function waitForReady({ stdout }: ChildProcess): Promise<void> {
  const seen: string[] = [];
  if (!stdout) return;
  const lines = createInterface(stdout);
  for await (const line of lines) {
    seen.push(line);
    if (line.includes('Ready')) {
      stdout.resume();
      return;
    }
  }
  throw new Error(`next start ended: ${seen.join('\n')}`);
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
