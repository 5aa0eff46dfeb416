import type { Range, Trace, TracedStep } from './trace-reply.ts';
import { type Tone, toneOfLexeme } from './wording.ts';

/** A piece of the reply's text in one look. */
export interface Segment extends Range {
  tone: Tone;
  /** Position of the delta that it came in. */
  delta: number;
  /** A delta ends behind it. */
  endsDelta: boolean;
}

/** The text of a stretch, cut where a lexeme or a delta ends; each piece as it was read last. */
export function splitText({ steps, deltas }: Trace, within: Range): Segment[] {
  const segments: Segment[] = [];
  let delta = 0;
  const lastAt = new Map<number, TracedStep>();
  for (const step of steps) if (step.taken > 0) lastAt.set(step.lexeme.offset, step);
  for (const step of steps) {
    const { lexeme, seen, taken } = step;
    const from = Math.max(lexeme.offset + seen, within.from);
    const to = Math.min(lexeme.offset + taken, within.to);
    const tone = toneOfLexeme(lastAt.get(lexeme.offset) ?? step);
    for (let at = from; at < to; ) {
      while ((deltas[delta]?.to ?? Infinity) <= at) delta++;
      const end = deltas[delta]?.to ?? to;
      const stop = Math.min(end, to);
      segments.push({ from: at, to: stop, tone, delta, endsDelta: stop === end });
      at = stop;
    }
  }
  return segments;
}

/** Units that are shown at once; a longer reply is shown around one place. */
export const MOST_SHOWN = 6_000;

export function windowAround(length: number, at: number): Range {
  if (length <= MOST_SHOWN) return { from: 0, to: length };
  const from = Math.min(Math.max(0, at - MOST_SHOWN / 2), length - MOST_SHOWN);
  return { from, to: from + MOST_SHOWN };
}
