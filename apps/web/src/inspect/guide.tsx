'use client';

import { ROW_TITLES, type RowName, rangeOf } from './cells.ts';
import styles from './inspector.module.css';
import { heldIn } from './layout-score.ts';
import type { Spot } from './score.tsx';
import type { Reading } from './use-reading.ts';
import { explainHeld, SIGNS, sayPlace, showText, TONE_NAMES, type Tone } from './wording.ts';

interface Station {
  row: RowName;
  text: string;
  /** The first moment that shows it well, and what to see there. */
  find(reading: Reading): { column: number; seen: string } | undefined;
}

const stepAt = ({ trace, score }: Reading, column: number) => {
  const step = score.columns[column]?.step;
  return step === undefined ? undefined : trace.steps[step];
};

function findColumn(reading: Reading, fits: (column: number) => boolean): number | undefined {
  const found = reading.score.columns.findIndex((_, column) => fits(column));
  return found < 0 ? undefined : found;
}

const isMarker = (reading: Reading, column: number) => {
  const kind = stepAt(reading, column)?.lexeme.kind;
  return kind !== undefined && kind !== 'text';
};

const STATIONS: readonly Station[] = [
  {
    row: 'delta',
    text: 'A server sends a reply in pieces, the deltas, and cuts where it likes: also inside of a word or token. The cuts are yours to move; the turn must not change.',
    find({ trace, score }) {
      const delta = trace.deltas.findIndex(({ from, to }) => to > from);
      if (delta < 0) return undefined;
      const of = trace.deltas.filter(({ delta }) => delta).length;
      return {
        column: score.deltaColumns[delta] ?? 0,
        seen: `This reply came in ${of === 1 ? 'one delta' : `${of} deltas`}.`,
      };
    },
  },
  {
    row: 'lexeme',
    text: 'Lexemes are plain text, or a special token: a text such as <|tool_call_begin|> that the model learnt to write as a signal. It is never shown to a user.',
    find(reading) {
      const column = findColumn(reading, (at) => isMarker(reading, at));
      if (column === undefined) return undefined;
      const { from, to } = rangeOf(reading, column);
      return { column, seen: `The first one here: ${reading.trace.text.slice(from, to)}` };
    },
  },
  {
    row: 'state',
    text: 'One state reads each lexeme and names the state that reads the next. The deeper the note, the further inside of a call. The same token means one thing in text and another in arguments.',
    find(reading) {
      const column = findColumn(reading, (at) => {
        const step = stepAt(reading, at);
        return step !== undefined && step.place.state !== step.next.state;
      });
      const step = column === undefined ? undefined : stepAt(reading, column);
      if (column === undefined || !step) return undefined;
      return { column, seen: `Here ${sayPlace(step.place)} hands over to ${sayPlace(step.next)}.` };
    },
  },
  {
    row: 'held',
    text: 'What could still turn out to be something else waits, and nothing more: half a token, the name of a call. Everything else leaves at once.',
    find(reading) {
      const { trace, score } = reading;
      const waits = (at: number) => heldIn(trace, score, at).length > 0;
      const column =
        findColumn(reading, (at) => heldIn(trace, score, at).some(({ reason }) => reason === 'marker')) ??
        findColumn(reading, waits);
      if (column === undefined) return undefined;
      return { column, seen: heldIn(trace, score, column).map(explainHeld).join(' ') };
    },
  },
  {
    row: 'event',
    text: 'Events say what is certain: text, reasoning, calls piece by piece. Whatever is wrong in the input is a problem with its place, never an exception; a call that was cut never ends as one that may run.',
    find(reading) {
      const events = (at: number) =>
        (reading.score.columns[at]?.events ?? []).flatMap(
          (index) => reading.trace.events[index]?.event ?? [],
        );
      const column =
        findColumn(reading, (at) => events(at).some(({ type }) => type === 'problem')) ??
        findColumn(reading, (at) => events(at).length > 0);
      if (column === undefined) return undefined;
      const [first] = events(column).toSorted((a) => (a.type === 'problem' ? -1 : 1));
      const seen =
        first?.type === 'problem'
          ? `A problem here, ${first.code}: ${first.message}`
          : `Here: ${first?.type}.`;
      return { column, seen };
    },
  },
  {
    row: 'part',
    text: 'The AI SDK gets parts: the same events in the order that useChat and streamText expect, blocks opened and closed.',
    find(reading) {
      const column = findColumn(reading, (at) => (reading.score.columns[at]?.parts.length ?? 0) > 1);
      if (column === undefined) return undefined;
      const types = (reading.score.columns[column]?.parts ?? []).map(
        (index) => reading.parts[index]?.part.type,
      );
      return { column, seen: `Here ${types.join(', ')}.` };
    },
  },
];

export interface GuideProps {
  reading: Reading;
  spot: Spot;
  onMove(spot: Spot): void;
}

/** What the rows are, each with a place in this very reply to see it at. */
export function Guide({ reading, spot, onMove }: GuideProps) {
  return (
    <section className={styles.guide} aria-labelledby="guide">
      <h2 id="guide" className="visually-hidden">
        How to read the picture
      </h2>
      <ol>
        {STATIONS.map((station) => {
          const found = station.find(reading);
          const isHere = found !== undefined && spot.row === station.row && spot.column === found.column;
          return (
            <li key={station.row} data-here={isHere ? '' : undefined}>
              <h3>{ROW_TITLES[station.row]}</h3>
              <p>{station.text}</p>
              {found ? (
                <button
                  type="button"
                  aria-pressed={isHere}
                  onClick={() => onMove({ row: station.row, column: found.column })}
                >
                  {isHere ? showText(found.seen) : 'Show me'}
                </button>
              ) : (
                <p className={styles.soft}>Nothing of the kind in this reply.</p>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

const TONES = Object.keys(TONE_NAMES) as Tone[];

/** What the colours and signs mean. */
export function Legend() {
  return (
    <ul className={styles.legend} aria-label="Signs">
      {TONES.map((tone) => (
        <li key={tone} data-tone={tone}>
          <span aria-hidden="true">{SIGNS[tone]}</span> {TONE_NAMES[tone]}
        </li>
      ))}
      <li className={styles.keyHeld}>Hatched: held back</li>
      <li className={styles.keyLater}>Dotted: still to come</li>
    </ul>
  );
}
