import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createKimiFetch } from '@kimi-tc/openai';
import type { Cost } from './client-times.ts';
import { type Client, createPassThroughFetch, createSdkClient } from './clients.ts';
import { offeredTools } from './fixtures.ts';
import { GO_ON, REPLY_HEADER, type Reply, startLoopback } from './loopback.ts';
import {
  cutEvenly,
  toCallDeltas,
  toEvents,
  toTextDeltas,
  type WireFixture,
  type WireTurn,
} from './wire-fixtures.ts';

export const STREAMS = 500;

/** How often all streams are read. */
const RUNS = 5;

/** What all streams at once took, several times in a row. */
export interface ManyStreams {
  streams: number;
  chunks: number;
  /** The most streams that had begun and were not over, at any time. */
  atOnce: number;
  /** Streams that were read as anything but their own turn. */
  wrong: number;
  /** The last run. */
  cost: Cost;
  /** Bytes in use after a collection: before, and after each run. */
  heap: number[];
}

const DELTAS = 60;

/** A reply that no other stream has: native calls, raw tokens and prose in turn, all with the stream's number. */
export function createOwnFixture(stream: number): WireFixture {
  const content = `Stream ${stream} writes. `.repeat(4);
  const args = JSON.stringify({ station: stream, rows: Array.from({ length: 20 }, () => `row ${stream}`) });
  const name = 'record_0';
  const id = `functions.${name}:0`;
  const calling: WireTurn = { content, calls: [{ id, name, arguments: args }], finish: 'tool_calls' };
  const raw = `${content}<|tool_calls_section_begin|><|tool_call_begin|>${id}<|tool_call_argument_begin|>${args}<|tool_call_end|><|tool_calls_section_end|>`;
  const prose: WireTurn = { content: `${content}It is done.`, calls: [], finish: 'stop' };
  const common = { name: `stream ${stream}`, chunks: DELTAS + 2, tools: offeredTools() };
  if (stream % 3 === 0) {
    const deltas = [
      ...toTextDeltas(cutEvenly(content, DELTAS / 2)),
      ...toCallDeltas(calling.calls, DELTAS / 2, cutEvenly),
    ];
    return { ...common, events: toEvents(deltas, 'tool_calls'), said: calling, turn: calling };
  }
  if (stream % 3 === 1) {
    const said: WireTurn = { content: raw, calls: [], finish: 'stop' };
    return { ...common, events: toEvents(toTextDeltas(cutEvenly(raw, DELTAS)), 'stop'), said, turn: calling };
  }
  return {
    ...common,
    events: toEvents(toTextDeltas(cutEvenly(prose.content, DELTAS)), 'stop'),
    said: prose,
    turn: prose,
  };
}

/** What is in use once all that is garbage is gone. Bytes. */
async function settleHeap(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let times = 0; times < 5; times++) {
    collect();
    await setTimeout(20);
  }
  collect();
  return process.memoryUsage().heapUsed;
}

/** Counts the streams that have begun and are not over, and lets the server go on once all have begun. */
function createGauge(streams: number, baseURL: string) {
  let open = 0;
  const gauge = {
    most: 0,
    begin() {
      gauge.most = Math.max(gauge.most, ++open);
      if (open === streams) void fetch(baseURL, { headers: { [REPLY_HEADER]: GO_ON } });
    },
    end() {
      open--;
    },
  };
  return gauge;
}

/** @param check given the turns, which are let go of before the heap is looked at */
async function runAll(
  client: Client,
  fixtures: readonly WireFixture[],
  check: (turns: readonly WireTurn[]) => void,
): Promise<Cost> {
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  const turns = await Promise.all(
    fixtures.map(({ name, tools }) => client({ reply: name, tools, prompt: `I am ${name}.` })),
  );
  const wall = performance.now() - start;
  const { user, system } = process.cpuUsage(cpuBefore);
  check(turns);
  return { cpu: (user + system) / 1000, wall };
}

/** Reads so many streams at once through one `createKimiFetch`, `RUNS` times. */
export async function measureManyStreams(streams: number): Promise<ManyStreams> {
  const fixtures = Array.from({ length: streams }, (_, stream) => createOwnFixture(stream));
  const replies = fixtures.map(({ name, events }): [string, Reply] => [
    name,
    { writes: events, together: streams },
  ]);
  const server = await startLoopback(Object.fromEntries(replies));
  try {
    const gauge = createGauge(streams, server.baseURL);
    const client = createSdkClient(server.baseURL, createKimiFetch({ fetch: createPassThroughFetch(gauge) }));
    const countWrong = (turns: readonly WireTurn[]) =>
      turns.filter((turn, at) => !isDeepStrictEqual(turn, fixtures[at]?.turn)).length;
    const heap = [await settleHeap()];
    let wrong = 0;
    let cost: Cost = { cpu: 0, wall: 0 };
    for (let run = 0; run < RUNS; run++) {
      cost = await runAll(client, fixtures, (turns) => (wrong += countWrong(turns)));
      heap.push(await settleHeap());
    }
    const chunks = fixtures.reduce((sum, fixture) => sum + fixture.chunks, 0);
    return { streams, chunks, atOnce: gauge.most, wrong, cost, heap };
  } finally {
    server.stop();
  }
}
