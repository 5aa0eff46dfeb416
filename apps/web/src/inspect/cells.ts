import { heldIn } from './layout-score.ts';
import type { Range } from './trace-reply.ts';
import type { Reading } from './use-reading.ts';
import { type Said, sayDelta, sayEvent, sayHeld, sayLexeme, sayPart, sayPlace, toneOf } from './wording.ts';

/** The stations, in the order of the flow. */
export const ROWS = ['delta', 'lexeme', 'state', 'held', 'event', 'part'] as const;
export type RowName = (typeof ROWS)[number];

export const ROW_TITLES: Readonly<Record<RowName, string>> = {
  delta: 'Delta',
  lexeme: 'Lexeme',
  state: 'State',
  held: 'Held',
  event: 'Event',
  part: 'AI SDK part',
};

/** One thing in a cell, and the text that it came of. */
export interface Item {
  said: Said;
  range: Range;
  /** A lexeme: a problem is about something in it. */
  isWrong?: boolean;
}

/** What one station has at one moment. */
export interface Cell {
  row: RowName;
  /** The first of the columns that it spans. */
  column: number;
  span: number;
  items: Item[];
}

export function cellAt(reading: Reading, row: RowName, column: number): Cell {
  const { trace, score } = reading;
  const moment = score.columns[column] as Reading['score']['columns'][number];
  if (row === 'delta') {
    const first = score.deltaColumns[moment.delta] ?? 0;
    const span = (score.deltaColumns[moment.delta + 1] ?? first + 1) - first;
    return { row, column: first, span, items: deltaItems(reading, moment.delta) };
  }
  const step = moment.step === undefined ? undefined : trace.steps[moment.step];
  const range = rangeOf(reading, column);
  const items: Record<Exclude<RowName, 'delta'>, () => Item[]> = {
    lexeme: () => (step ? [{ said: sayLexeme(step), range, isWrong: hasProblem(reading, range) }] : []),
    state: () =>
      step ? [{ said: { tone: toneOf(step.place), name: sayPlace(step.place), text: '' }, range }] : [],
    held: () =>
      heldIn(trace, score, column).map((held) => ({
        said: { tone: 'marker', name: sayHeld(held), text: '' },
        range: { from: Math.max(0, range.to - held.length), to: range.to },
      })),
    event: () =>
      moment.events.flatMap((index) => {
        const found = trace.events[index];
        return found ? [{ said: sayEvent(found.event), range: found.origin }] : [];
      }),
    part: () =>
      moment.parts.flatMap((index) => {
        const found = reading.parts[index];
        const origin = score.partOrigins[index];
        return found && origin ? [{ said: sayPart(found.part), range: origin }] : [];
      }),
  };
  return { row, column, span: 1, items: items[row]() };
}

function deltaItems({ trace, reply }: Reading, index: number): Item[] {
  const delta = trace.deltas[index];
  if (!delta) return [];
  const said = sayDelta(delta, trace.text, reply.finishReason);
  return [{ said, range: { from: delta.from, to: delta.to } }];
}

/** The text that is read in a column; of a delta of which nothing was read, all of it. */
export function rangeOf({ trace, score }: Reading, column: number): Range {
  const { step, delta } = score.columns[column] ?? { step: undefined, delta: 0 };
  const found = step === undefined ? undefined : trace.steps[step];
  if (!found) return { from: trace.deltas[delta]?.from ?? 0, to: trace.deltas[delta]?.to ?? 0 };
  const { offset, text } = found.lexeme;
  return { from: offset, to: offset + (found.taken || text.length) };
}

/** A problem was reported about a place in this text. */
export function hasProblem({ trace }: Reading, { from, to }: Range): boolean {
  return trace.turn.problems.some(({ offset }) => offset >= from && offset < to);
}

/** Two stretches of text have something in common; an empty one has that only with itself. */
export function overlaps(a: Range, b: Range): boolean {
  return a.from < b.to && b.from < a.to;
}
