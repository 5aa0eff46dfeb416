'use client';

import type { CorpusCase } from '@kimi-tc/testing';
import { useDeferredValue, useEffect, useState } from 'react';
import { Dialog } from './dialog.tsx';
import styles from './inspector.module.css';
import { searchCases } from './search-cases.ts';

export interface CasePickerProps {
  onPick(found: CorpusCase): void;
  onClose(): void;
}

/** All cases of the corpus, by topic. */
export function CasePicker({ onPick, onClose }: CasePickerProps) {
  const [cases, setCases] = useState<readonly CorpusCase[] | Error>();
  const [words, setWords] = useState('');
  const groups = searchCases(cases instanceof Error ? [] : (cases ?? []), useDeferredValue(words));
  const count = groups.reduce((sum, { cases: found }) => sum + found.length, 0);

  useEffect(() => {
    const abort = new AbortController();
    loadCorpus(abort.signal).then(setCases, (error: Error) => abort.signal.aborted || setCases(error));
    return () => abort.abort();
  }, []);

  return (
    <Dialog title="Pick a case" onClose={onClose}>
      <input
        type="search"
        aria-label="Search cases"
        placeholder="Words of the id, topic, note or source"
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
      />
      <p role="status" className={styles.soft}>
        {cases === undefined && 'Loading the corpus …'}
        {cases instanceof Error && `The corpus could not be loaded: ${cases.message}`}
        {Array.isArray(cases) && `${count} of ${cases.length} cases`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section className={styles.results} tabIndex={0} aria-label="Cases">
        {groups.map(({ topic, cases: found }) => (
          <section key={topic} aria-label={topic}>
            <h3>
              {topic} <small>{found.length}</small>
            </h3>
            <ul>
              {found.map((of) => (
                <li key={of.id}>
                  <button type="button" onClick={() => onPick(of)}>
                    <strong>{of.id}</strong>
                    <span>{of.note}</span>
                    {of.source !== 'project case' && <small>{of.source}</small>}
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </section>
    </Dialog>
  );
}

async function loadCorpus(signal: AbortSignal): Promise<CorpusCase[]> {
  const response = await fetch('/inspect/cases', { signal });
  if (!response.ok) throw new Error(`the server says ${response.status}`);
  return (await response.json()) as CorpusCase[];
}
