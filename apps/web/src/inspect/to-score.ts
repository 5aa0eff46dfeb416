import type { Place } from '@kimi-tc/core/trace';
import type { Range, Trace, TracedEvent } from './trace-reply.ts';
import type { StreamPart, TracedPart } from './traced-part.ts';

/** One moment: a lexeme that is read, or a delta or end of the stream in which none is. */
export interface Column {
  delta: number;
  /** Positions in the trace. */
  step: number | undefined;
  /** Where the machine stands in front of it. */
  place: Place;
  events: number[];
  parts: number[];
}

/** The moments of a reply, and what stands in each. */
export interface Score {
  columns: Column[];
  /** The first column of each delta; one more than there are deltas is the number of columns. */
  deltaColumns: number[];
  /** The text that each part came of. */
  partOrigins: Range[];
}

/** The part that an event of a type becomes; all other parts only open or close one. */
const PART_OF_EVENT: Record<TracedEvent['event']['type'], StreamPart['type'] | undefined> = {
  'reasoning-delta': 'reasoning-delta',
  'text-delta': 'text-delta',
  'tool-call-start': 'tool-input-start',
  'tool-call-delta': 'tool-input-delta',
  'tool-call-end': 'tool-call',
  'tool-call-error': 'tool-call',
  finish: 'finish',
  problem: undefined,
};

/** Puts lexemes, events and parts under each other. */
export function toScore(trace: Trace, parts: readonly TracedPart[]): Score {
  const { columns, deltaColumns, columnOfEvent } = placeEvents(trace);
  const events = matchParts(trace, parts);
  const partOrigins = parts.map(({ delta }, part) => {
    const event = events[part];
    const column = event === undefined ? (deltaColumns[delta] ?? 0) : (columnOfEvent[event] ?? 0);
    columns[column]?.parts.push(part);
    const whole = trace.deltas[delta] ?? { from: 0, to: 0 };
    const { from, to } = event === undefined ? whole : (trace.events[event]?.origin ?? whole);
    return { from, to };
  });
  return { columns, deltaColumns, partOrigins };
}

function placeEvents({ deltas, steps, events }: Trace) {
  const columns: Column[] = [];
  const deltaColumns: number[] = [];
  const columnOfEvent: number[] = [];
  let step = 0;
  let event = 0;
  let place: Place = { state: 'text' };
  for (let delta = 0; delta < deltas.length; delta++) {
    deltaColumns.push(columns.length);
    const add = (of: number | undefined) => {
      const own: number[] = [];
      for (; events[event]?.delta === delta && events[event]?.step === of; event++) {
        own.push(event);
        columnOfEvent.push(columns.length);
      }
      const found = of === undefined ? undefined : steps[of];
      columns.push({ delta, step: of, place: found?.place ?? place, events: own, parts: [] });
      place = found?.next ?? place;
    };
    for (; steps[step]?.delta === delta; step++) add(step);
    const isEmpty = deltaColumns.at(-1) === columns.length;
    if (isEmpty || events[event]?.delta === delta) add(undefined);
  }
  deltaColumns.push(columns.length);
  return { columns, deltaColumns, columnOfEvent };
}

/**
 * The event that each part came of. Within a delta the n-th part of a type is the n-th event of the type
 * that becomes it; a part that opens or closes something goes with the next such part, or the last one.
 */
function matchParts({ events, deltas }: Trace, parts: readonly TracedPart[]): (number | undefined)[] {
  const waiting = deltas.map(() => new Map<string, number[]>());
  for (const [index, { event, delta }] of events.entries()) {
    const type = PART_OF_EVENT[event.type];
    if (type === undefined) continue;
    const queue = waiting[delta]?.get(type);
    if (queue) queue.push(index);
    else waiting[delta]?.set(type, [index]);
  }
  const found = parts.map(({ part, delta }) => {
    const queue = waiting[delta]?.get(part.type);
    const next = queue?.[0] === undefined ? undefined : events[queue[0]]?.event;
    // A call that was cut gets a piece of input that no event has.
    if (next && 'delta' in next && 'delta' in part && next.delta !== part.delta) return undefined;
    return queue?.shift();
  });
  for (let part = found.length - 2; part >= 0; part--) {
    if (parts[part]?.delta === parts[part + 1]?.delta) found[part] ??= found[part + 1];
  }
  for (let part = 1; part < found.length; part++) {
    if (parts[part]?.delta === parts[part - 1]?.delta) found[part] ??= found[part - 1];
  }
  return found;
}
