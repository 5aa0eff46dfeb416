import { createAssembler, type KimiEvent, type KimiTurn, parse } from '@kimi-tc/core';
import { createTracedParser, type Held, type TraceStep } from '@kimi-tc/core/trace';
import { joinDeltas } from './cuts.ts';
import { type Delta, type Reply, textOf, toParserOptions } from './reply.ts';

/** A stretch of the reply's text, in UTF-16 units; `to` is behind it. */
export interface Range {
  from: number;
  to: number;
}

/** What came in at one moment. */
export interface TracedDelta extends Range {
  /** Absent: the end of the stream. */
  delta?: Delta;
  /** What was still held when it had been read. */
  held: readonly Held[];
}

export interface TracedStep extends TraceStep {
  /** The delta that it was read in. */
  delta: number;
}

export interface TracedEvent {
  event: KimiEvent;
  /** The delta that it came out at; the one behind the last is the end of the stream. */
  delta: number;
  /** The lexeme that let it out; absent where none did. */
  step: number | undefined;
  /** The text that it came of; of a problem, the place it is about. */
  origin: Range;
}

/** Everything that happened while a reply was read. */
export interface Trace {
  text: string;
  deltas: TracedDelta[];
  steps: TracedStep[];
  events: TracedEvent[];
  turn: KimiTurn;
}

/**
 * Reads a reply and keeps what happened, and when.
 * @throws KimiError naming the option that is wrong
 */
export function traceReply(reply: Reply): Trace {
  const text = textOf(reply.deltas);
  const deltas: TracedDelta[] = [];
  const steps: TracedStep[] = [];
  const events: TracedEvent[] = [];
  const assembler = createAssembler();
  const origins = createOrigins(text);
  /** Events that no step has claimed yet. */
  let unclaimed = 0;

  const parser = createTracedParser({
    ...toParserOptions(reply),
    onEvent(event) {
      assembler.push(event);
      events.push({ event, delta: deltas.length, step: undefined, origin: { from: 0, to: 0 } });
    },
    onStep(step) {
      const own = events.slice(unclaimed);
      for (const event of own) event.step = steps.length;
      unclaimed = events.length;
      origins.take(own, step);
      steps.push({ ...step, delta: deltas.length });
    },
  });

  function close(delta: Delta | undefined, from: number, to: number): void {
    origins.take(events.slice(unclaimed), undefined);
    unclaimed = events.length;
    deltas.push({ ...(delta && { delta }), from, to, held: parser.held() });
  }

  let at = 0;
  for (const delta of reply.deltas) {
    const from = at;
    if ('text' in delta) {
      parser.feed(delta.text, delta.channel);
      at += delta.text.length;
    } else parser.feedToolCall(delta.piece);
    close(delta, from, at);
  }
  parser.end(reply.finishReason);
  close(undefined, at, at);
  return { text, deltas, steps, events, turn: assembler.turn };
}

/** The turn that the reply gives when each field comes in as few pieces as can be. */
export function readUncut(reply: Reply): KimiTurn {
  const [only, ...others] = joinDeltas(reply.deltas);
  const isWhole = others.length === 0 && only !== undefined && 'text' in only && only.channel === 'content';
  if (isWhole) return parse(only.text, { ...toParserOptions(reply), finishReason: reply.finishReason });
  return traceReply({ ...reply, deltas: joinDeltas(reply.deltas) }).turn;
}

/** The same turn; the order in which problems were found counts for nothing, as cuts may change it. */
export function isSameTurn(a: KimiTurn, b: KimiTurn): boolean {
  const normal = ({ problems, ...turn }: KimiTurn) =>
    JSON.stringify([turn, problems.map((problem) => JSON.stringify(problem)).sort()]);
  return normal(a) === normal(b);
}

/** Finds the text that events came of, from what was read before them and what is still held. */
function createOrigins(text: string) {
  /** What stands in front of it has become events, or nothing. */
  let done = 0;
  /** How far was read. */
  let readTo = 0;
  const callStarts = new Map<number, number>();

  function take(own: readonly TracedEvent[], step: TraceStep | undefined): void {
    const offset = step ? step.lexeme.offset : done;
    const end = step ? offset + step.taken : readTo;
    const waiting = step ? step.held.reduce((sum, { length }) => sum + length, 0) : 0;
    const from = Math.min(done, offset);
    const to = Math.max(from, end - waiting);
    let at = from;
    for (const { event, origin } of own) {
      if (event.type === 'problem') Object.assign(origin, placeOf(event.offset, end));
      else if (event.type === 'finish') Object.assign(origin, { from: text.length, to: text.length });
      else {
        const { from: start, to: stop } = rangeOf(event, at, to, Math.max(to, end));
        Object.assign(origin, { from: start, to: stop });
        if (isPiece(event)) at = stop;
      }
    }
    if (own.some(({ event }) => event.type !== 'problem')) done = to;
    readTo = Math.max(readTo, end);
  }

  function rangeOf(event: KimiEvent, at: number, to: number, end: number): Range {
    if (isPiece(event)) {
      const { delta } = event;
      return text.startsWith(delta, at) && at + delta.length <= end
        ? { from: at, to: at + delta.length }
        : { from: at, to: Math.max(at, to) };
    }
    if (event.type === 'tool-call-start') callStarts.set(event.index, at);
    const start = 'index' in event ? callStarts.get(event.index ?? -1) : undefined;
    return { from: start ?? at, to: end };
  }

  /** The lexeme at a place is not known here any more; one unit is enough to find it. */
  function placeOf(offset: number, end: number): Range {
    return { from: offset, to: Math.max(offset, Math.min(end, offset + 1)) };
  }

  return { take };
}

function isPiece(event: KimiEvent): event is Extract<KimiEvent, { delta: string }> {
  return 'delta' in event;
}
