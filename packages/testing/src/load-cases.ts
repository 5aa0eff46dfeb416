import { readdirSync, readFileSync } from 'node:fs';
import { type CorpusCase, type Family, familyNames, type InputKind, inputKinds } from './case.ts';
import { DataError } from './check.ts';
import { checkCase } from './check-case.ts';
import { checkSelection } from './check-selection.ts';

/** Which cases to read. What is left out is not asked for. */
export interface LoadCasesOptions {
  /** Only these kinds of input. Default: all. */
  readonly kinds?: readonly InputKind[];
  /** Only these topics, the folders below `cases/`. Default: all. */
  readonly topics?: readonly string[];
  /** Only these model families. Default: all. */
  readonly families?: readonly Family[];
  /** Another corpus of the same layout. Default: the one this package brings. */
  readonly folder?: URL;
}

const ownFolder: URL = new URL('../cases/', import.meta.url);

/**
 * Reads the corpus: every `<topic>/<id>.json`, checked, ordered by topic and id.
 *
 * @throws DataError if a file is not JSON or does not fit the schema, lies under another topic or
 *   name than it says, or repeats an id; the message names the file and the field
 * @throws TypeError if a kind, topic or family is named that the corpus does not have
 */
export function loadCases(options: LoadCasesOptions = {}): CorpusCase[] {
  const { kinds, topics, families, folder = ownFolder } = options;
  const corpus = readCorpus(folder);
  checkSelection(options, {
    kinds: inputKinds,
    families: familyNames,
    topics: [...new Set(corpus.map((of) => of.topic))],
  });
  return corpus.filter(
    (found) =>
      (kinds?.includes(found.input.kind) ?? true) &&
      (topics?.includes(found.topic) ?? true) &&
      (families?.includes(found.family) ?? true),
  );
}

/** Where a case lies, below `cases/`. */
export function caseFile(of: Pick<CorpusCase, 'topic' | 'id'>): string {
  return `${of.topic}/${of.id}.json`;
}

function readCorpus(folder: URL): CorpusCase[] {
  const cases = new Map<string, CorpusCase>();
  for (const topic of foldersIn(folder)) {
    for (const name of readdirSync(new URL(`${topic}/`, folder)).sort()) {
      const file = `${topic}/${name}`;
      const found = checkCase(readJson(new URL(file, folder), file), file);
      if (caseFile(found) !== file) throw new DataError(`${file}: says it is ${caseFile(found)}`);
      const twin = cases.get(found.id);
      if (twin) throw new DataError(`${file}: ${caseFile(twin)} has the same id`);
      cases.set(found.id, found);
    }
  }
  return [...cases.values()];
}

function foldersIn(folder: URL): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

function readJson(url: URL, file: string): unknown {
  try {
    return JSON.parse(readFileSync(url, 'utf8'));
  } catch (error) {
    throw new DataError(`${file}: ${(error as Error).message}`);
  }
}
