import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Slots } from './slots.ts';

/** What `/metrics` tells. Labels are routes, names of upstreams, statuses and codes: nothing that a client chose. */
export interface Metrics {
  registry: Registry;
  /** Requests that were answered. */
  requests: Counter<'route' | 'upstream' | 'status'>;
  /** What was wrong and repaired, in requests and replies. */
  problems: Counter<'code' | 'of' | 'upstream'>;
  /** Seconds from the arrival of a request to its first byte that were spent here, waiting for a slot left out. */
  addedLatency: Histogram<'route'>;
  /** Seconds from the arrival of a request to the first piece of its reply. */
  timeToFirstToken: Histogram<'upstream'>;
  streamsOpen: Gauge;
  upstreamErrors: Counter<'upstream' | 'code'>;
  /** Times that the shared store failed and the own memory stood in. */
  memoryFailures: Counter;
  /** 1 while the shared store is away. */
  memoryDegraded: Gauge;
  recordings: Counter<'result'>;
}

const LATENCY = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
const FIRST_TOKEN = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** A registry for one gateway: several can run in one process. */
export function createMetrics(slots: Slots): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'kimi_tc_requests_waiting',
    help: 'Requests that wait for a slot.',
    registers,
    collect() {
      this.set(slots.waiting);
    },
  });
  new Gauge({
    name: 'kimi_tc_requests_running',
    help: 'Requests that have a slot.',
    registers,
    collect() {
      this.set(slots.running);
    },
  });
  return {
    registry,
    requests: new Counter({
      name: 'kimi_tc_requests_total',
      help: 'Requests by route, upstream and status; 499 if the client left.',
      labelNames: ['route', 'upstream', 'status'],
      registers,
    }),
    problems: new Counter({
      name: 'kimi_tc_problems_total',
      help: 'What was wrong and repaired, by problem code.',
      labelNames: ['code', 'of', 'upstream'],
      registers,
    }),
    addedLatency: new Histogram({
      name: 'kimi_tc_added_latency_seconds',
      help: 'Time spent in the gateway up to the first byte of a reply, waiting for a slot left out.',
      labelNames: ['route'],
      buckets: LATENCY,
      registers,
    }),
    timeToFirstToken: new Histogram({
      name: 'kimi_tc_time_to_first_token_seconds',
      help: 'Time from a request to the first piece of its reply.',
      labelNames: ['upstream'],
      buckets: FIRST_TOKEN,
      registers,
    }),
    streamsOpen: new Gauge({ name: 'kimi_tc_streams_open', help: 'Streams that are being sent.', registers }),
    upstreamErrors: new Counter({
      name: 'kimi_tc_upstream_errors_total',
      help: 'Requests and replies that failed at an upstream, by code.',
      labelNames: ['upstream', 'code'],
      registers,
    }),
    memoryFailures: new Counter({
      name: 'kimi_tc_memory_failures_total',
      help: 'Times that the shared store of reasoning failed; the own memory stood in.',
      registers,
    }),
    memoryDegraded: new Gauge({
      name: 'kimi_tc_memory_degraded',
      help: '1 while the shared store of reasoning is away.',
      registers,
    }),
    recordings: new Counter({
      name: 'kimi_tc_recordings_total',
      help: 'Replies that were recorded, or could not be.',
      labelNames: ['result'],
      registers,
    }),
  };
}
