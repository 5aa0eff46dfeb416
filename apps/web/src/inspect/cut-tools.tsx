'use client';

import { useId } from 'react';
import { addCut, type Cut, cutEvery, joinDeltas, moveCut, removeCut } from './cuts.ts';
import styles from './inspector.module.css';
import type { Delta } from './reply.ts';

export interface CutToolsProps {
  deltas: readonly Delta[];
  /** As the reply was given. */
  original: readonly Delta[];
  cuts: readonly Cut[];
  chosen: number | undefined;
  onChoose(index: number): void;
  onCut(deltas: readonly Delta[], chosen?: number): void;
}

const LONGEST_PIECE = 64;

/** Where the deltas end: by number, one by one, or all anew. */
export function CutTools({ deltas, original, cuts, chosen, onChoose, onCut }: CutToolsProps) {
  const id = useId();
  const movable = cuts.filter((cut) => cut.movable);
  const longest = lengthOfLongest(deltas);
  const cut = movable.find(({ index }) => index === chosen) ?? movable[0];
  const place = cut ? movable.indexOf(cut) : -1;

  function addOne(): void {
    let at = 0;
    let middle = 0;
    for (const delta of deltas) {
      const length = 'text' in delta ? delta.text.length : 0;
      if (length === longest) middle = at + (length >> 1);
      at += length;
    }
    const next = addCut(deltas, middle);
    onCut(next, next.length > deltas.length ? cuts.filter((one) => one.at < middle).length : chosen);
  }

  return (
    <div className={styles.tools}>
      <fieldset className={styles.group}>
        <legend>Cut anew</legend>
        <button type="button" onClick={() => onCut(original)} disabled={deltas === original}>
          As given
        </button>
        <button type="button" onClick={() => onCut(joinDeltas(deltas))} disabled={movable.length === 0}>
          In one piece
        </button>
        <label className={styles.slider}>
          <span>Every</span>
          <input
            type="range"
            min={1}
            max={LONGEST_PIECE}
            value={Math.min(longest, LONGEST_PIECE)}
            aria-label="Cut after every so many units"
            onChange={(event) => onCut(cutEvery(deltas, event.currentTarget.valueAsNumber))}
          />
          <output>{longest === 1 ? '1 unit' : `${longest} units`}</output>
        </label>
      </fieldset>
      <fieldset className={styles.group}>
        <legend>One cut</legend>
        <span className={styles.stepper}>
          <button
            type="button"
            aria-label="The cut before"
            disabled={place <= 0}
            onClick={() => onChoose(movable[place - 1]?.index ?? 0)}
          >
            ‹
          </button>
          <label className={styles.slider} htmlFor={id}>
            <span>{cut ? `Cut ${cut.index + 1} of ${cuts.length}` : 'No cut'}</span>
            <input
              id={id}
              type="range"
              min={cut?.min ?? 0}
              max={cut?.max ?? 1}
              value={cut?.at ?? 0}
              disabled={!cut}
              onChange={(event) => {
                if (cut) onCut(moveCut(deltas, cut.index, event.currentTarget.valueAsNumber), cut.index);
              }}
            />
            <output>at {cut?.at ?? '–'}</output>
          </label>
          <button
            type="button"
            aria-label="The next cut"
            disabled={place < 0 || place >= movable.length - 1}
            onClick={() => onChoose(movable[place + 1]?.index ?? 0)}
          >
            ›
          </button>
        </span>
        <button type="button" onClick={addOne}>
          Add
        </button>
        <button
          type="button"
          disabled={!cut}
          onClick={() => cut && onCut(removeCut(deltas, cut.index), movable[place - 1]?.index)}
        >
          Remove
        </button>
      </fieldset>
    </div>
  );
}

function lengthOfLongest(deltas: readonly Delta[]): number {
  return deltas.reduce((most, delta) => Math.max(most, 'text' in delta ? delta.text.length : 0), 1);
}
