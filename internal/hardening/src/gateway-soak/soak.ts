import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
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
  /** Bytes of memory of the gateway's process, a sample each second. */
  resident: number[];
  heap: number[];
  /** Streams and requests that the gateway still counts as open in the end. */
  left: number;
  exitCode: number | null;
  /** Everything on its standard error output: an unhandled rejection would be there. */
  stderr: string;
}

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
    resident: [],
    heap: [],
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
    while (Date.now() < end) {
      const metrics = await gateway.metrics();
      report.resident.push(metrics('process_resident_memory_bytes'));
      report.heap.push(metrics('nodejs_heap_size_used_bytes'));
      await sleep(1000);
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
  stop(): Promise<Pick<SoakReport, 'exitCode' | 'stderr'>>;
}

async function startGatewayProcess(upstream: string): Promise<GatewayProcess> {
  const args = ['--upstream', upstream, '--port', '0', '--idle-timeout', '5000', '--concurrency', '1000'];
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [
    '--conditions=@kimi-tc/source',
    main,
    ...args,
  ]);
  let stdout = '';
  let stderr = '';
  const exited = once(child, 'exit');
  child.stdout.on('data', (text) => {
    // The log of thousands of requests is not wanted, only its beginning.
    if (stdout.length < 10_000) stdout += text;
  });
  child.stderr.on('data', (text) => (stderr += text));
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
    async stop() {
      child.kill('SIGTERM');
      const [exitCode] = (await exited) as [number | null];
      return { exitCode, stderr };
    },
  };
}
