import type { CaseInput, CorpusCase } from './case.ts';
import { type Chunked, type Chunking, chunkings } from './chunkings.ts';
import { compareOutcome } from './compare.ts';
import { jsonEquals } from './json.ts';
import { caseFile } from './load-cases.ts';
import type { Outcome } from './outcome.ts';

/** Something that plays cases: a parser, an adapter, a server. */
export interface Surface {
  /** For the names of tests. */
  readonly name: string;
  /**
   * Plays one input and returns what came of it. Called once for each chunking.
   *
   * @param of the case, for its tools, options and family; not to be changed
   * @param input the case's input, cut in one of the ways of {@link chunkings}; the copy is the
   *   surface's own, but a surface that changes it fails
   */
  run(of: CorpusCase, input: CaseInput): Outcome | Promise<Outcome>;
}

/**
 * Plays one case on a surface in all its chunkings.
 *
 * @param only the chunkings to play. Default: all. A chunking that the case's kind does not have is
 *   simply not there; a case that has none of them fails, as nothing was played.
 * @returns what is wrong in the first chunking that fails: case file, chunking, differences;
 *   `undefined` if nothing is. What the surface throws counts as a failure.
 */
export async function checkSurface(
  surface: Surface,
  of: CorpusCase,
  only?: readonly Chunking[],
): Promise<string | undefined> {
  let played = false;
  for (const chunked of chunkings(of.input)) {
    if (only && !only.includes(chunked.chunking)) continue;
    played = true;
    const differences = await play(surface, of, chunked);
    if (differences.length > 0) {
      return [`cases/${caseFile(of)} (${chunked.label})`, ...differences.map((line) => `  ${line}`)].join(
        '\n',
      );
    }
  }
  return played ? undefined : `cases/${caseFile(of)}: has none of the chunkings ${only?.join(', ')}`;
}

async function play(surface: Surface, of: CorpusCase, { chunking, input }: Chunked): Promise<string[]> {
  const given = structuredClone(input);
  let outcome: Outcome;
  try {
    outcome = await surface.run(of, given);
  } catch (error) {
    return [`threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
  }
  const misshapen = checkOutcome(of, outcome);
  if (misshapen !== undefined) return [misshapen];
  const differences = compareOutcome(inChunking(of, chunking), outcome);
  return jsonEquals(given, input) ? differences : [...differences, 'input: was changed in place'];
}

/** What is missing of an outcome, so that a surface that returns something else is told. */
function checkOutcome({ input }: CorpusCase, outcome: unknown): string | undefined {
  const isTurn = ['deltas', 'chunks', 'message'].includes(input.kind);
  const lists = isTurn ? ['toolCalls', 'incompleteToolCalls', 'problems'] : ['problems'];
  const texts = isTurn ? ['reasoning', 'content', 'finishReason'] : [];
  if (typeof outcome !== 'object' || outcome === null)
    return `outcome: expected an object, got ${String(outcome)}`;
  const fields = outcome as Record<string, unknown>;
  const wrong =
    lists.find((name) => !Array.isArray(fields[name])) ??
    texts.find((name) => typeof fields[name] !== 'string');
  return wrong === undefined ? undefined : `${wrong}: missing in the outcome, or of another type`;
}

/** Text that comes in one or two pieces need not leave in several. */
function inChunking(of: CorpusCase, chunking: Chunking): CorpusCase {
  const { checks } = of.expected;
  if (checks === undefined || chunking === 'as-given' || chunking === 'units') return of;
  const applicable = checks.filter((name) => name !== 'argumentDeltasStreamed');
  return { ...of, expected: { ...of.expected, checks: applicable } };
}
