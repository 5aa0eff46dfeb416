import { describe, test } from 'vitest';
import { type CorpusCase, type Family, familyNames, type InputKind, inputKinds } from './case.ts';
import { checkSelection } from './check-selection.ts';
import { checkSurface, type Surface } from './check-surface.ts';
import { type Chunking, chunkingNames } from './chunkings.ts';
import { loadCases } from './load-cases.ts';
import { checkSkips, type Skips, skipReason } from './skips.ts';

/** Which cases a surface plays, and how. */
export interface DescribeCorpusOptions {
  /**
   * Cases this surface cannot pass, by id, each with the reason. The case is still played: one that
   * passes, an id that is not among the cases of this surface, or a missing reason fails.
   */
  readonly skip?: Skips;
  /** Kinds of input this surface has. Default: all. */
  readonly kinds?: readonly InputKind[];
  /** Model families. Default: all. */
  readonly families?: readonly Family[];
  /** Topics. Default: all but `k3`, whose cases are written in another grammar. */
  readonly topics?: readonly string[];
  /** Ways of cutting. Default: all. */
  readonly chunkings?: readonly Chunking[];
  /** Milliseconds for one case in all its chunkings. Default: 60 000. */
  readonly timeout?: number;
  /** The cases to select from. Default: the corpus of this package. */
  readonly cases?: readonly CorpusCase[];
}

/**
 * Registers one vitest test for each case of the corpus, all chunkings inside, grouped by topic.
 * A failure names the case file, the chunking and each difference.
 *
 * @throws TypeError if the options name a kind, family, topic or chunking that there is not, or select
 *   no case
 */
export function describeCorpus(surface: Surface, options: DescribeCorpusOptions = {}): void {
  const { skip = {}, chunkings, timeout = 60_000 } = options;
  const cases = selectCases(options);
  if (cases.length === 0) throw new TypeError('the options select no case');
  describe(`corpus on ${surface.name}`, () => {
    test('skips name cases of this surface and carry a reason', () => {
      checkSkips(skip, cases);
    });
    for (const [topic, ofTopic] of groupByTopic(cases)) {
      describe(topic, () => {
        for (const of of ofTopic) {
          test(of.id, { timeout }, async (context) => {
            const failure = await checkSurface(surface, of, chunkings);
            const reason = skipReason(skip, of, failure);
            if (reason !== undefined) context.skip(reason);
            if (failure !== undefined) throw new Error(failure);
          });
        }
      });
    }
  });
}

function selectCases(options: DescribeCorpusOptions): CorpusCase[] {
  const { kinds, families, topics, cases = loadCases() } = options;
  const known = { kinds: inputKinds, families: familyNames, chunkings: chunkingNames };
  checkSelection(options, { ...known, topics: [...new Set(cases.map((of) => of.topic))] });
  return cases.filter(
    ({ input, family, topic }) =>
      (kinds?.includes(input.kind) ?? true) &&
      (families?.includes(family) ?? true) &&
      (topics?.includes(topic) ?? topic !== 'k3'),
  );
}

function groupByTopic(cases: readonly CorpusCase[]): Map<string, CorpusCase[]> {
  const topics = new Map<string, CorpusCase[]>();
  for (const of of cases) {
    const group = topics.get(of.topic);
    if (group) group.push(of);
    else topics.set(of.topic, [of]);
  }
  return topics;
}
