import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { checkStream } from './check-stream.ts';
import { type Fault, faults } from './conversation.ts';
import { startFaultyUpstream } from './faulty-upstream.ts';

export interface SoakOptions {
  /** Streams that are open at a time. */
  streams: number;
  seconds: number;
}

export interface SoakReport {
  /** Streams that came as they were sent, and those that failed and said so. */
  whole: number;
  failedOpenly: number;
  /** What was wrong, one line for each stream. */
  wrong: string[];
  /** Bytes that the gateway's process needs, each after a collection of garbage: heap, and buffers beside it. */
  memory: number[];
  /** Streams and requests that the gateway still counts as open in the end. */
  left: number;
  exitCode: number | null;
  /** Everything on its standard error output: an unhandled rejection would be there. */
  stderr: string;
}

const SAMPLES = 4;

/** Collects garbage in the gateway's process when it is told to, and tells what is left on a pipe of its own. */
const PROBE = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs';
  process.on('SIGUSR2', () => {
    gc();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    writeSync(3, heapUsed + arrayBuffers + '\\n');
  });`)}`;

const main = fileURLToPath(new URL('../../../../packages/gateway/src/main.ts', import.meta.url));

/** Keeps so many streams open through a gateway in a process of its own, while the upstream does wrong. */
export async function soakGateway({ streams, seconds }: SoakOptions): Promise<SoakReport> {
  const upstream = await startFaultyUpstream();
  const gateway = await startGatewayProcess(upstream.baseURL);
  const agent = new Agent({ keepAlive: true });
  const report: SoakReport = {
    whole: 0,
    failedOpenly: 0,
    wrong: [],
    memory: [],
    left: Number.NaN,
    exitCode: null,
    stderr: '',
  };
  const end = Date.now() + seconds * 1000;
  let seed = 0;

  async function keepOne(): Promise<void> {
    while (Date.now() < end) {
      seed++;
      const order = { seed, fault: pickFault(seed), pieces: 40 + (seed % 60) };
      const verdict = await checkStream(gateway.baseURL, order, agent).catch(
        (error) => `wrong: ${String(error)}`,
      );
      if (verdict === 'whole') report.whole++;
      else if (verdict === 'failed-openly') report.failedOpenly++;
      else report.wrong.push(verdict);
    }
  }

  async function sample(): Promise<void> {
    for (let at = 1; at <= SAMPLES; at++) {
      await sleep((seconds * 1000) / SAMPLES);
      report.memory.push(await gateway.measure());
    }
  }

  await Promise.all([sample(), ...Array.from({ length: streams }, keepOne)]);
  agent.destroy();
  await sleep(200);
  const metrics = await gateway.metrics();
  report.left = metrics('kimi_tc_streams_open') + metrics('kimi_tc_requests_running');
  const ended = await gateway.stop();
  upstream.stop();
  return { ...report, ...ended };
}

/** Half of the streams have a fault, each fault as often as the others. */
function pickFault(seed: number): Fault {
  return seed % 2 === 0 ? 'none' : (faults[1 + (((seed - 1) / 2) % (faults.length - 1))] as Fault);
}

interface GatewayProcess {
  baseURL: string;
  metrics(): Promise<(name: string) => number>;
  /** Bytes in use after a collection of garbage. */
  measure(): Promise<number>;
  stop(): Promise<Pick<SoakReport, 'exitCode' | 'stderr'>>;
}

async function startGatewayProcess(upstream: string): Promise<GatewayProcess> {
  const args = ['--upstream', upstream, '--port', '0', '--idle-timeout', '5000', '--concurrency', '1000'];
  const nodeArgs = ['--expose-gc', '--import', PROBE, '--conditions=@kimi-tc/source'];
  const child = spawn(process.execPath, [...nodeArgs, main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const [, output, errors, probe] = child.stdio as unknown as [null, Readable, Readable, Readable];
  let stdout = '';
  let stderr = '';
  const exited = once(child, 'exit');
  output.on('data', (text) => {
    // The log of thousands of requests is not wanted, only its beginning.
    if (stdout.length < 10_000) stdout += text;
  });
  errors.on('data', (text) => (stderr += text));
  while (!stdout.includes('the gateway listens')) {
    if (child.exitCode !== null) throw new Error(`the gateway did not start: ${stderr}`);
    await sleep(20);
  }
  const baseURL = /http:\/\/[\d.:]+\/v1/.exec(stdout)?.[0] as string;
  return {
    baseURL,
    async metrics() {
      const text = await (await fetch(new URL('/metrics', baseURL))).text();
      return (name) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
    },
    async measure() {
      child.kill('SIGUSR2');
      const [line] = (await once(probe, 'data')) as [Buffer];
      return Number(String(line));
    },
    async stop() {
      child.kill('SIGTERM');
      const [exitCode] = (await exited) as [number | null];
      return { exitCode, stderr };
    },
  };
}
