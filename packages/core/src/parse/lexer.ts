import { CUT_MARKER, END_OF_SEQUENCE, MARKERS, type MarkerKind } from '../grammar/special-tokens.ts';
import type { Channel } from './events.ts';

/** A piece of one channel's text: plain text, a whole marker, or at the end only a cut marker or `[EOS]`. */
export interface Lexeme {
  kind: 'text' | 'cut-marker' | 'end-of-sequence' | MarkerKind;
  text: string;
  channel: Channel;
  /** UTF-16 units of the turn in front of it. */
  offset: number;
  /** Already tried as a call in an open quote, or as guided JSON, in vain. */
  tried?: boolean;
}

/** The lexeme from an index of its text on. */
export function tailOf(lexeme: Lexeme, at: number): Lexeme {
  return { ...lexeme, text: lexeme.text.slice(at), offset: lexeme.offset + at };
}

export interface Lexer {
  feed(delta: string, channel: Channel): void;
  /** Nothing is held, so that a delta without `<` and `[` may pass by the lexer, if it is counted. */
  isIdle(): boolean;
  count(delta: string, channel: Channel): void;
  /** Lets go of what is held. */
  end(): void;
  /** UTF-16 units fed so far. */
  offset(): number;
  held(): string;
}

const SPELLINGS = [...MARKERS.keys()];
const LONGEST = Math.max(...SPELLINGS.map((spelling) => spelling.length));
/** Beginnings of all markers that are no marker yet. */
const BEGINNINGS = new Set(
  SPELLINGS.flatMap((spelling) => Array.from(spelling, (_, at) => spelling.slice(0, at))),
);

/** Where a text ends in `[EOS]` or a beginning of it; its length if it does not. */
function endOfSequenceAt(text: string, from: number): number {
  const at = text.lastIndexOf('[');
  return at >= from &&
    at >= text.length - END_OF_SEQUENCE.length &&
    END_OF_SEQUENCE.startsWith(text.slice(at))
    ? at
    : text.length;
}

/** Cuts deltas into text and markers. Text without `<` passes through unsliced. */
export function createLexer(emit: (lexeme: Lexeme) => void): Lexer {
  /** A beginning of a marker, or of `[EOS]`, at the end of `channel`; until the next delta decides. At most 29 units. */
  let held = '';
  let channel: Channel = 'content';
  let offset = 0;

  function release(): void {
    if (held !== '') emit({ kind: 'text', text: held, channel, offset: offset - held.length });
    held = '';
  }

  function feed(delta: string, from: Channel): void {
    if (delta === '') return;
    if (from !== channel) release(); // a marker never spans two fields
    channel = from;
    const text = held === '' ? delta : held + delta;
    const start = offset - held.length;
    offset += delta.length;
    held = '';
    let done = 0;
    for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
      // Most `<` of a text are followed by none of these.
      if (!BEGINNINGS.has(text.slice(at, at + 2))) continue;
      const tail = text.slice(at, at + LONGEST);
      const marker = tail.slice(0, tail.indexOf('>') + 1);
      const kind = MARKERS.get(marker);
      if (kind === undefined) {
        if (!BEGINNINGS.has(tail)) continue;
        held = tail;
        break;
      }
      if (at > done) emit({ kind: 'text', text: text.slice(done, at), channel, offset: start + done });
      emit({ kind, text: marker, channel, offset: start + at });
      done = at + marker.length;
      at = done - 1;
    }
    if (held === '') held = text.slice(endOfSequenceAt(text, done));
    const end = text.length - held.length;
    if (end > done)
      emit({
        kind: 'text',
        text: done === 0 && held === '' ? text : text.slice(done, end),
        channel,
        offset: start + done,
      });
  }

  return {
    feed,
    isIdle() {
      return held === '';
    },
    count(delta, from) {
      channel = from;
      offset += delta.length;
    },
    end() {
      const kind =
        held === END_OF_SEQUENCE ? 'end-of-sequence' : CUT_MARKER.test(held) ? 'cut-marker' : 'text';
      if (held !== '') emit({ kind, text: held, channel, offset: offset - held.length });
      held = '';
    },
    offset() {
      return offset;
    },
    held: () => held,
  };
}
