import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkSurface, loadCases } from '@kimi-tc/testing';
import fc from 'fast-check';

// Stryker's own runners start a test runner anew for every mutant, seconds each. This one plays the corpus and the
// laws in its own process, a few milliseconds a mutant. The shapes are those of `@stryker-mutator/api/test-runner`.

interface RunOptions {
  testFilter?: readonly string[];
  activeMutant?: { id: string };
  hitLimit?: number;
  mutantActivation?: 'runtime' | 'static';
}

/** What instrumented code reads and writes, under the name that it expects. */
interface InstrumenterContext {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  mutantCoverage?: unknown;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
}

type Test = readonly [name: string, run: () => Promise<string | undefined>];

const CHUNKINGS = ['whole', 'as-given', 'units'] as const;
/** Replies of one seed, all of which keep the laws. */
const LAW_REPLIES = 120;
const ARGUMENT_TEXTS = 100;

const context: InstrumenterContext = {};
(globalThis as { __stryker__?: InstrumenterContext }).__stryker__ = context;

/** A law as a test: it throws where it is broken. */
function holding(law: () => unknown): Test[1] {
  return async () => {
    law();
    return undefined;
  };
}

/** The tests, reading the copy of the parser that Stryker instrumented. */
async function loadTests(): Promise<Test[]> {
  const core = pathToFileURL(join(process.cwd(), 'packages/core/src/index.ts')).href;
  registerHooks({
    resolve: (name, from, next) =>
      name === '@kimi-tc/core'
        ? { url: core, format: 'module-typescript', shortCircuit: true }
        : next(name, from),
  });
  const { parserSurface, toReply } = await import('../laws/corpus-replies.ts');
  const { checkLaws } = await import('../laws/laws.ts');
  const { ARGUMENT_LAWS, argumentTexts } = await import('../laws/argument-laws.ts');
  const { replies, sizes } = await import('../laws/replies.ts');
  const corpus = loadCases({ kinds: ['deltas', 'chunks', 'message'] }).filter(
    ({ topic, input }) => topic !== 'k3' && JSON.stringify(input).length < 5000,
  );
  const cases = corpus.flatMap((of): Test[] => {
    // When argument deltas leave is watched by the laws of arguments.
    const checks = of.expected.checks?.filter((name) => name !== 'argumentDeltasStreamed');
    const expected = { ...of.expected, ...(checks && { checks }) };
    const reply = toReply(of);
    return [
      [`${of.topic}/${of.id}`, () => checkSurface(parserSurface, { ...of, expected }, CHUNKINGS)],
      [`laws, ${of.topic}/${of.id}`, holding(() => reply && checkLaws(reply, [3, 1, 7]))],
    ];
  });
  const drawn = fc.sample(fc.tuple(replies, sizes), { seed: 1, numRuns: LAW_REPLIES });
  const laws = drawn.map(
    ([reply, lengths], at): Test => [`laws, reply ${at}`, holding(() => checkLaws(reply, lengths))],
  );
  const texts = fc.sample(argumentTexts, { seed: 1, numRuns: ARGUMENT_TEXTS });
  const argumentLaws = Object.entries(ARGUMENT_LAWS).flatMap(([name, law]) =>
    texts.map((text, at): Test => [`${name}, text ${at}`, holding(() => law(text))]),
  );
  return [...cases, ...laws, ...argumentLaws];
}

let tests: Promise<Test[]> | undefined;

function getTests(): Promise<Test[]> {
  tests ??= loadTests();
  return tests;
}

async function run(filter: readonly string[] | undefined, bail: boolean) {
  const chosen = filter && new Set(filter);
  const results = [];
  for (const [name, runTest] of await getTests()) {
    if (chosen && !chosen.has(name)) continue;
    context.currentTestId = name;
    const began = performance.now();
    const failureMessage = await runTest().catch((error: unknown) => String(error));
    const about = { id: name, name, timeSpentMs: performance.now() - began };
    // 0 and 1 are Stryker's numbers for success and failure.
    results.push(
      failureMessage === undefined ? { ...about, status: 0 } : { ...about, status: 1, failureMessage },
    );
    if (bail && failureMessage !== undefined) break;
  }
  context.currentTestId = undefined;
  return results;
}

class CorpusRunner {
  capabilities() {
    return { reloadEnvironment: false };
  }

  async dryRun() {
    const results = await run(undefined, false);
    return { status: 'complete', tests: results, mutantCoverage: context.mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit, mutantActivation }: RunOptions) {
    // Outside of runs nothing is active, unless the mutant is there while the code is loaded.
    if (mutantActivation !== 'static') await getTests();
    context.hitCount = hitLimit === undefined ? undefined : 0;
    context.hitLimit = hitLimit;
    context.activeMutant = activeMutant?.id;
    const results = await run(testFilter, true);
    context.activeMutant = undefined;
    if (hitLimit !== undefined && (context.hitCount ?? 0) > hitLimit) {
      return { status: 'timeout', reason: `more than ${hitLimit} hits` };
    }
    const killer = results.find((result) => 'failureMessage' in result);
    return killer && 'failureMessage' in killer
      ? {
          status: 'killed',
          killedBy: [killer.id],
          failureMessage: killer.failureMessage,
          nrOfTests: results.length,
        }
      : { status: 'survived', nrOfTests: results.length };
  }
}

export const strykerPlugins = [{ kind: 'TestRunner', name: 'corpus', injectableClass: CorpusRunner }];
