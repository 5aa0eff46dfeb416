import type { Channel, KimiEvent } from './events.ts';
import type { MachineParts, State } from './k2-machine.ts';
import type { Lexeme } from './lexer.ts';
import { checkOptions, createParserOf, type KimiParser, type ParserOptions } from './parser.ts';

/** The states of docs/grammar.md; its trial is two, of calls in an open quote and of guided JSON. */
export type StateName = (typeof STATE_NAMES)[number];

/** In the order of `MachineParts.states`. */
const STATE_NAMES = ['text', 'section', 'header', 'arguments', 'quoted-trial', 'guided-trial'] as const;

/** Where in the grammar the machine stands. */
export interface Place {
  /** The state that reads the next lexeme. */
  state: StateName;
  /**
   * Of `text`: `thought` while what is said is reasoning, `quote` in a fence or code span. Of `arguments`:
   * `string` inside a JSON string, `behind` when the value is whole. Absent: none of these.
   */
  detail?: 'thought' | 'quote' | 'string' | 'behind';
}

/**
 * Why text waits: the rows of the table "Held text" of docs/grammar.md that are about text. `unnamed-call`: the
 * call has not started, as its tool is not known before its end, or as it may be the twin of one that the server
 * parsed itself.
 */
export type HeldReason =
  | 'marker'
  | 'header'
  | 'section-text'
  | 'white-space'
  | 'possible-id'
  | 'text-call'
  | 'argument-space'
  | 'unsettled-value'
  | 'possible-end'
  | 'unnamed-call'
  | 'quoted-calls'
  | 'guided-json';

/** Text that came in and has not left. */
export interface Held {
  /** Why it waits. */
  reason: HeldReason;
  /** UTF-16 units, at least 1. */
  length: number;
}

/** One lexeme, read by one state. */
export interface TraceStep {
  /** What was read: text, a marker, or at the end of the stream `cut-marker` or `end-of-sequence`. */
  lexeme: Pick<Lexeme, 'kind' | 'text' | 'channel' | 'offset'>;
  /** Where the machine stood in front of it. */
  place: Place;
  /** Where it stands behind it. */
  next: Place;
  /** UTF-16 units at its start that had been read before: it is read again, as something else. */
  seen: number;
  /** UTF-16 units of it that were read; the rest, 0 units included, comes again as a later step. */
  taken: number;
  /** The delta took the short way: plain text that goes on where it goes in, without the lexer. */
  short: boolean;
  /** What waits behind it. */
  held: Held[];
}

/** A parser that can be asked what it holds. */
export interface TracedParser extends KimiParser {
  /** What waits now, a beginning of a marker included. */
  held(): Held[];
}

/**
 * A parser that also tells what it does between a delta and its events: the same parser, looked at while
 * it works, for pictures and for finding out why a reply was read as it was. Several times slower, and of no
 * use in production.
 *
 * `onStep` is called behind the events of the lexeme. What `tool_calls` of a server bring is no text and
 * has no steps. The texts of all steps, each without what was seen before and what was not taken, joined
 * are the text of the reply.
 *
 * @throws KimiError naming the option that is wrong
 */
export function createTracedParser(
  options: ParserOptions & { onEvent(event: KimiEvent): void; onStep(step: TraceStep): void },
): TracedParser {
  const settings = checkOptions(options);
  const { onStep } = options;
  let parts: MachineParts;
  /** Units of the reply that were read. */
  let readTo = 0;
  let steps = 0;
  /** A call started whose reader is not known yet, and the reader of the last one that did. */
  let starting = false;
  let startedCall: unknown;
  let lastCall: unknown;
  let ended = false;
  const lengthOf = createLengths();

  const parser = createParserOf({
    ...settings,
    emit(event) {
      if (event.type === 'tool-call-start') starting = true;
      settings.emit(event);
    },
    trace(ofMachine) {
      parts = ofMachine;
      readTo = 0;
      return read;
    },
  });

  function placeOf(state: State, channel: Channel): Place {
    const name = STATE_NAMES[parts.states.indexOf(state)] ?? 'text';
    const detail =
      name === 'text' ? textDetail(channel) : name === 'arguments' ? argumentDetail() : undefined;
    return { state: name, ...(detail && { detail }) };
  }

  function textDetail(channel: Channel): Place['detail'] {
    if (parts.reader.wasQuoted(channel)) return 'quote';
    return parts.thinking[channel] ? 'thought' : undefined;
  }

  function argumentDetail(): Place['detail'] {
    const args = parts.look().open?.args;
    if (args?.isDone()) return 'behind';
    return args?.look().scanner.inString() ? 'string' : undefined;
  }

  function noteCall(): void {
    const { open } = parts.look();
    if (open === lastCall) return;
    lastCall = open;
    startedCall = starting ? open : startedCall;
    starting = false;
  }

  function read(lexeme: Lexeme): void {
    const { kind, text, channel, offset } = lexeme;
    const { state } = parts.look();
    // A run of backticks ends in front of a marker. The machine asks the same, as the first thing it does.
    if (kind !== 'text' && state === parts.states[0]) parts.reader.isQuoted(channel);
    const place = placeOf(state, channel);
    parts.read(lexeme);
    noteCall();
    const end = offset + text.length;
    const resumesAt = Math.min(parts.input.at(-1)?.offset ?? end, end);
    tell({
      lexeme: { kind, text, channel, offset },
      place,
      next: placeOf(parts.look().state, channel),
      seen: Math.min(Math.max(0, readTo - offset), text.length),
      taken: Math.max(0, resumesAt - offset),
      short: false,
      held: heldByMachine(),
    });
    readTo = Math.max(readTo, resumesAt);
  }

  function tell(step: TraceStep): void {
    steps++;
    onStep(step);
  }

  function heldByMachine(): Held[] {
    const { state, header, noise, trial, guided, open } = parts.look();
    const [space, maybeCall] = parts.output.held();
    const found: [HeldReason, number][] = [
      ['white-space', space.length],
      ['text-call', maybeCall.length],
      ['possible-id', parts.reader.held().length],
    ];
    const name = STATE_NAMES[parts.states.indexOf(state)];
    if (name === 'section') found.push(['section-text', lengthOf(noise)]);
    if (name === 'header') found.push(['header', header.length]);
    if (name === 'quoted-trial' && trial) found.push(['quoted-calls', lengthOf(trial.held)]);
    if (name === 'guided-trial' && guided) found.push(['guided-json', lengthOf(guided.held)]);
    if (name === 'arguments' && open) {
      const { kept, streaming, heldDeltas, space: between } = open.args.look();
      const isStarted = open === startedCall || settings.suppress;
      if (!isStarted) found.push(['unnamed-call', kept.length()]);
      else if (!streaming) found.push(['unsettled-value', kept.length()]);
      found.push(['possible-end', heldDeltas.reduce((sum, { length }) => sum + length, 0)]);
      found.push(['argument-space', between.length]);
    }
    return found.flatMap(([reason, length]) => (length > 0 ? [{ reason, length }] : []));
  }

  return {
    ...parser,
    feed(delta, channel = 'content') {
      const before = steps;
      const place = parts.lexer.held() === '' ? placeOf(parts.look().state, channel) : undefined;
      parser.feed(delta, channel);
      // Nothing was read, and nothing waits in the lexer: the machine took the delta itself.
      if (steps > before || !place || delta === '' || parts.lexer.held() !== '') return;
      const offset = parts.lexer.offset() - delta.length;
      readTo = parts.lexer.offset();
      tell({
        lexeme: { kind: 'text', text: delta, channel, offset },
        place,
        next: placeOf(parts.look().state, channel),
        seen: 0,
        taken: delta.length,
        short: true,
        held: heldByMachine(),
      });
    },
    end(finishReason) {
      parser.end(finishReason);
      ended = true;
    },
    reset() {
      ended = false;
      parser.reset();
    },
    held() {
      if (ended) return [];
      const { length } = parts.lexer.held();
      return length > 0 ? [...heldByMachine(), { reason: 'marker', length }] : heldByMachine();
    },
  };
}

/** Lengths of lists that only grow, each lexeme counted once. */
function createLengths(): (lexemes: readonly Lexeme[]) => number {
  const counted = new WeakMap<readonly Lexeme[], { count: number; length: number }>();
  return (lexemes) => {
    const sum = counted.get(lexemes) ?? { count: 0, length: 0 };
    for (; sum.count < lexemes.length; sum.count++) sum.length += (lexemes[sum.count] as Lexeme).text.length;
    counted.set(lexemes, sum);
    return sum.length;
  };
}
