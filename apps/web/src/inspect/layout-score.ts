import type { Score } from './to-score.ts';
import type { Trace } from './trace-reply.ts';
import type { TracedPart } from './traced-part.ts';
import { type Said, sayEvent, sayHeld, sayLexeme, sayPart, sayPlace } from './wording.ts';

/** Pixels: of a character of a name and of text, of what stands around it, and of a column. */
const OF_NAME = 7.3;
const OF_TEXT = 6.7;
const PADDING = 26;
const NARROWEST = 84;
const WIDEST = 248;

/** More events or parts than this in one column are counted, not shown; the details have them all. */
export const MOST_STACKED = 4;

export interface Layout {
  /** Where each column begins, and behind the last where the score ends, in pixels. */
  edges: Float64Array;
  /** The highest stacks. */
  held: number;
  events: number;
  parts: number;
}

function widthOf({ name, text }: Said): number {
  return Math.max((name.length + 2) * OF_NAME, text.length * OF_TEXT);
}

export function layOutScore(trace: Trace, score: Score, parts: readonly TracedPart[]): Layout {
  const edges = new Float64Array(score.columns.length + 1);
  const highest = { held: 1, events: 1, parts: 1 };
  for (const [index, column] of score.columns.entries()) {
    const step = column.step === undefined ? undefined : trace.steps[column.step];
    const events = column.events.slice(0, MOST_STACKED);
    const own = column.parts.slice(0, MOST_STACKED);
    const waiting = heldIn(trace, score, index);
    const widest = Math.max(
      0,
      step ? widthOf(sayLexeme(step)) : 0,
      step ? sayPlace(step.place).length * OF_NAME : 0,
      ...waiting.map((held) => sayHeld(held).length * OF_NAME),
      ...events.map((event) => widthOf(sayEvent((trace.events[event] as Trace['events'][number]).event))),
      ...own.map((part) => widthOf(sayPart((parts[part] as TracedPart).part))),
    );
    const width = Math.min(Math.max(widest + PADDING, NARROWEST), WIDEST);
    edges[index + 1] = (edges[index] ?? 0) + Math.round(width);
    highest.held = Math.max(highest.held, waiting.length);
    highest.events = Math.max(highest.events, stackOf(column.events.length));
    highest.parts = Math.max(highest.parts, stackOf(column.parts.length));
  }
  return { edges, ...highest };
}

function stackOf(items: number): number {
  return items > MOST_STACKED ? MOST_STACKED + 1 : items;
}

/** What is held behind a column: of the last one of a delta, with what waits in the lexer. */
export function heldIn({ deltas, steps }: Trace, { columns }: Score, index: number) {
  const column = columns[index];
  if (!column) return [];
  const isLast = columns[index + 1]?.delta !== column.delta;
  const step = column.step === undefined ? undefined : steps[column.step];
  return isLast || !step ? (deltas[column.delta]?.held ?? []) : step.held;
}

/** The column at a place of the score, in pixels. */
export function columnAt({ edges }: Layout, x: number): number {
  let low = 0;
  let high = edges.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((edges[middle] ?? 0) <= x) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}
