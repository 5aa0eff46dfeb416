// Reads replies as models and servers break them, and checks the laws on every one:
//     pnpm --filter @kimi-tc/hardening fuzz [--deltas 10000000] [--minutes N] [--seed N] [--keep-going]
// Ends at the number of deltas or minutes, whichever comes first, or at the first reply that breaks a law: that one is
// shown as small as it gets, in the form of a corpus case. The same seed makes the same replies.
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { checkLaws } from '../laws/laws.ts';
import { replies, sizes } from '../laws/replies.ts';
import { joinPieces, type Reply } from '../laws/reply.ts';
import { minimize } from './minimize.ts';
import { toCase } from './to-case.ts';

const { values } = parseArgs({
  options: {
    deltas: { type: 'string', default: '10000000' },
    minutes: { type: 'string', default: 'Infinity' },
    seed: { type: 'string' },
    'keep-going': { type: 'boolean', default: false },
  },
});

/** Replies of one seed; the seeds count up. */
const SLICE = 500;
const most = Number(values.deltas);
const until = performance.now() + Number(values.minutes) * 60_000;
const firstSeed = Number(values.seed ?? Date.now() % 2 ** 31);
if (!(most > 0) || !Number.isInteger(firstSeed) || Number.isNaN(until)) {
  throw new TypeError('expected numbers for --deltas, --minutes and --seed');
}

/** The name of the law that a reply breaks. */
function findBroken(reply: Reply, lengths: readonly number[]): string | undefined {
  try {
    checkLaws(reply, lengths);
    return undefined;
  } catch (error) {
    return nameOf(error);
  }
}

function nameOf(error: unknown): string {
  const { message, stack = '' } = error as Error;
  const isLaw = /^[a-z][a-z' ,]+: /.exec(message);
  // What the parser throws has no law's name; the place says what it is.
  return isLaw ? isLaw[0] : `${message} ${/\n\s+at (.*)/.exec(stack)?.[1]}`;
}

function report(reply: Reply, lengths: readonly number[], error: unknown, seed: number): void {
  const name = nameOf(error);
  const joined = { ...reply, pieces: joinPieces(reply.pieces) };
  const small = minimize(joined, (smaller) => findBroken(smaller, lengths) === name);
  process.stderr.write('\n');
  console.log(`BROKEN, seed ${seed}, cut into ${lengths}\n${(error as Error).stack ?? String(error)}`);
  console.log(JSON.stringify({ ...toCase(small), options: small.options }, null, 2));
}

let deltas = 0;
let count = 0;
let calls = 0;
const found = new Set<string>();
const began = performance.now();
console.log(`seed ${firstSeed}`);
for (let seed = firstSeed; deltas < most && performance.now() < until; seed++) {
  for (const [reply, lengths] of fc.sample(fc.tuple(replies, sizes), { seed, numRuns: SLICE })) {
    try {
      const result = checkLaws(reply, lengths);
      deltas += result.deltas;
      calls += result.calls;
      count++;
    } catch (error) {
      if (!found.has(nameOf(error))) report(reply, lengths, error, seed);
      found.add(nameOf(error));
      process.exitCode = 1;
    }
    if (found.size > 0 && !values['keep-going']) break;
  }
  const seconds = (performance.now() - began) / 1000;
  process.stderr.write(
    `\r${(deltas / 1e6).toFixed(2)} of ${most / 1e6} million deltas, ${count} replies, ${Math.round(seconds)} s`,
  );
  if (found.size > 0 && !values['keep-going']) break;
}
process.stderr.write('\n');
console.log(
  `${deltas} deltas in ${count} replies with ${calls} delivered calls, seeds from ${firstSeed}; laws broken: ${found.size}`,
);
