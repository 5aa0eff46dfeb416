import type { CorpusCase } from '@kimi-tc/testing';

export interface CaseGroup {
  topic: string;
  cases: CorpusCase[];
}

/** The cases in which all the words occur, by topic; without words all of them. */
export function searchCases(cases: readonly CorpusCase[], words: string): CaseGroup[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, CorpusCase[]>();
  for (const of of cases) {
    const text = [of.id, of.topic, of.note, of.source, of.family, of.input.kind].join(' ').toLowerCase();
    if (!wanted.every((word) => text.includes(word))) continue;
    const group = groups.get(of.topic);
    if (group) group.push(of);
    else groups.set(of.topic, [of]);
  }
  return [...groups].map(([topic, found]) => ({ topic, cases: found }));
}
