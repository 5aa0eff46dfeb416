import { Bench } from 'tinybench';
import type { ContenderName, Reading } from './contenders.ts';

export interface Effort {
  rounds: number;
  /** Milliseconds for each contender in each round. */
  time: number;
  /** Milliseconds after which one reading is given up. */
  limit: number;
}

export const FULL: Effort = { rounds: 9, time: 40, limit: 10_000 };
export const QUICK: Effort = { rounds: 3, time: 10, limit: 500 };

/** What one contender needs to read one reply. */
export interface Timing {
  /** Milliseconds for the whole reply; with `gaveUp`, those spent on the part that was read. */
  time: number;
  /** Times of the parser that this takes; with `gaveUp`, at least. */
  ratio: number;
  /** How often the whole reply was read. */
  samples: number;
  /** Part of the deltas that was read before the limit; absent when all were. */
  gaveUp?: number;
}

/** A reading that takes longer than this is not repeated, but for the parser's. Milliseconds. */
const TOO_LONG_TO_REPEAT = 1000;
/** What is over sooner than this is read several times in a row, so that the clock is fine enough. Milliseconds. */
const LONG_ENOUGH = 5;
const DELTAS_PER_SAMPLE = 2000;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** Milliseconds for one reading of `times` in a row: the median over `time` milliseconds. */
export async function sample(
  reading: Reading,
  times: number,
  time: number,
): Promise<{ time: number; samples: number }> {
  const bench = new Bench({ time, iterations: 1, warmup: false, throws: true });
  const readAll = () => {
    for (let left = times; left > 0; left--) reading.read(Infinity);
  };
  const readAllInTurn = async () => {
    for (let left = times; left > 0; left--) await reading.read(Infinity);
  };
  if (reading.async) {
    bench.add('reading', readAllInTurn, { async: true });
    await bench.run();
  } else {
    bench.add('reading', readAll, { async: false });
    bench.runSync();
  }
  const result = bench.tasks[0]?.result;
  if (result?.state !== 'completed') throw new Error(`the benchmark did not complete: ${result?.state}`);
  return { time: result.latency.p50 / times, samples: result.latency.samplesCount * times };
}

/** A contender that is fast enough to be timed in every round. */
interface Repeated {
  name: ContenderName;
  reading: Reading;
  /** Readings per sample. */
  inARow: number;
  /** One for each round. */
  times: number[];
  ratios: number[];
}

/** Reads once, against the clock. */
async function probe(reading: Reading, limit: number): Promise<{ time: number; part: number }> {
  const start = performance.now();
  const read = await reading.read(start + limit);
  return { time: performance.now() - start, part: read / reading.deltas };
}

/**
 * Times all contenders on one reply, in rounds: each round times every one of them, so that what else
 * the machine does falls on all. Ratios are taken within a round; times and ratios are medians over
 * the rounds. What takes long is read once, and what takes longer than the limit is given up.
 */
export async function compare(
  readings: ReadonlyMap<ContenderName, Reading>,
  effort: Effort,
): Promise<Map<ContenderName, Timing>> {
  const timings = new Map<ContenderName, Timing>();
  const repeated: Repeated[] = [];
  for (const [name, reading] of readings) {
    const { time, part } = await probe(reading, effort.limit);
    const timing: Timing = { time, ratio: 0, samples: 1 };
    if (part < 1) timing.gaveUp = part;
    timings.set(name, timing);
    if (name === 'parser' || (part === 1 && time < TOO_LONG_TO_REPEAT)) {
      timing.samples = 0;
      const inARow = time < LONG_ENOUGH ? Math.ceil(DELTAS_PER_SAMPLE / reading.deltas) : 1;
      repeated.push({ name, reading, inARow, times: [], ratios: [] });
    }
  }
  for (let round = 0; round < effort.rounds; round++) {
    repeated.push(repeated.shift() as Repeated);
    const times = new Map<ContenderName, number>();
    for (const { name, reading, inARow } of repeated) {
      const { time, samples } = await sample(reading, inARow, effort.time);
      times.set(name, time);
      (timings.get(name) as Timing).samples += samples;
    }
    for (const entry of repeated) {
      const time = times.get(entry.name) as number;
      entry.times.push(time);
      entry.ratios.push(time / (times.get('parser') as number));
    }
  }
  for (const { name, times, ratios } of repeated) {
    const timing = timings.get(name) as Timing;
    timing.time = median(times);
    timing.ratio = median(ratios);
  }
  const parser = timings.get('parser') as Timing;
  for (const timing of timings.values()) if (timing.ratio === 0) timing.ratio = timing.time / parser.time;
  return timings;
}
