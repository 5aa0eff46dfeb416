import { createJsonScanner, type JsonScanner } from './json-scanner.ts';
import type { Lexeme } from './lexer.ts';
import { createTextBuilder, type TextBuilder } from './text-builder.ts';

export interface ArgumentReaderOptions {
  /** Gets the arguments as they leave; all deltas joined are the final text. */
  onDelta(delta: string): void;
  /**
   * The call ends at a marker, so broken JSON is kept raw until one comes, and markers in strings may
   * turn out to be real. Without it the call ends with its JSON, and nothing else.
   */
  markup: boolean;
  /** UTF-16 units to keep; more is not kept and reported as `over`. */
  maxLength?: number | undefined;
}

/** What a lexeme was, seen from inside the arguments. */
export type Taken =
  | 'inside'
  /** A marker outside of strings: the parser decides what it does. */
  | 'marker'
  /** Text behind the whole value, or (without `markup`) from the character that broke it. */
  | { behind: string }
  /** The call ended at an earlier call end inside a string; read these again, behind it. */
  | { again: Lexeme[] };

export interface ReadArguments {
  text: string;
  /** `empty`: nothing but white space. `whole`: one JSON value. `part`: cut or broken. */
  state: 'empty' | 'whole' | 'part';
  /** The text is a JSON object. */
  isObject: boolean;
  /** Control characters were escaped or a string encoding removed. */
  repaired: boolean;
  /** More than `maxLength` came. */
  over: boolean;
}

export interface ArgumentReader {
  take(lexeme: Lexeme): Taken;
  /** The common case of `take`: text in the middle of a string. False, and nothing done, for any other. */
  takePlain(text: string): boolean;
  /** Takes a marker's text, or any text, as part of the arguments. */
  takeText(text: string): Taken;
  /** The stream is over: may end the call at a call end inside a string. */
  takeEnd(): Taken;
  /** One JSON value, as far as it came. */
  isWhole(): boolean;
  /** The value is whole and cannot go on: text from here on stands behind it. */
  isDone(): boolean;
  /** Something other than white space came. */
  hasStarted(): boolean;
  /** The JSON broke. */
  isBroken(): boolean;
  /** What a tracer may see; the fields are described where they stand. */
  look(): {
    scanner: Pick<JsonScanner, 'inString'>;
    kept: Pick<TextBuilder, 'length'>;
    streaming: boolean;
    heldDeltas: readonly string[];
    space: string;
  };
  /** No more text comes; lets go of what was held. */
  finish(): ReadArguments;
}

/** One JSON object, healed; `undefined` if the text is anything else. */
export function readObject(text: string): string | undefined {
  const json = text.trim();
  const scanner = createJsonScanner();
  const whole =
    json.startsWith('{') && scanner.read(json, 0) === json.length && scanner.status() === 'complete';
  return whole ? scanner.output() : undefined;
}

/**
 * Reads the arguments of one call while they pass.
 *
 * Objects and arrays leave at once. White space outside of strings waits for what follows, as it may
 * be outer white space. A value that starts as a string, number or literal waits until it is whole or
 * broken, as `null` and string-encoded objects become something else (ruling 27).
 *
 * Checkpoint (ruling 22): a call end inside a string may be the real one, if the string was never
 * closed. It counts when another marker or the end of the stream follows at once, and then only if
 * the JSON breaks or is cut. Until that is known, what stands behind it is held.
 */
export function createArgumentReader({ onDelta, markup, maxLength }: ArgumentReaderOptions): ArgumentReader {
  const scanner = createJsonScanner();
  const kept = createTextBuilder();
  /** First character of the value; empty before it came. */
  let first = '';
  /** The JSON broke: the rest passes as it is. */
  let raw = false;
  /** Leaves at once; false while the value may still become something else. */
  let streaming = false;
  /** White space outside of strings, until something follows it. */
  let space = '';
  let over = false;
  let done = false;
  /** From an in-string call end on: what to read again should the call have ended there. Empty: no checkpoint. */
  let held: Lexeme[] = [];
  /** Whether control characters had been escaped in front of the checkpoint. */
  let healedBefore = false;
  /** The deltas behind the checkpoint, until it is decided. */
  let heldDeltas: string[] = [];
  /** A marker followed the call end directly, so that it is a possible end of the call. */
  let endsHere = false;
  let endedAtCheckpoint = false;

  function put(piece: string): void {
    if (piece === '') return;
    if (held.length > 0) {
      heldDeltas.push(piece);
      return;
    }
    // As much as fits, so that what is kept does not tell how the text was cut.
    const room = maxLength === undefined ? piece.length : maxLength - kept.length();
    over ||= piece.length > room;
    const fitting = over ? piece.slice(0, room) : piece;
    if (fitting === '') return;
    kept.push(fitting);
    if (streaming) onDelta(fitting);
  }

  function putOutsideString(piece: string): void {
    const end = piece.trimEnd().length;
    if (end > 0) put(space + piece.slice(0, end));
    space = end > 0 ? piece.slice(end) : space + piece;
  }

  function dropCheckpoint(): void {
    const deltas = heldDeltas.join('');
    held = [];
    heldDeltas = [];
    endsHere = false;
    put(deltas);
  }

  /** The call ended at the checkpoint: what came behind it is read again, `last` included. */
  function endAtCheckpoint(...last: Lexeme[]): Taken {
    endedAtCheckpoint = true;
    return { again: [...held.slice(1), ...last] };
  }

  function stream(): void {
    if (streaming) return;
    streaming = true;
    if (kept.length() > 0) onDelta(kept.toString());
  }

  function takeRaw(text: string): Taken {
    raw = true;
    stream();
    putOutsideString(text);
    return 'inside';
  }

  function takeText(text: string): Taken {
    if (raw) return takeRaw(text);
    let from = 0;
    if (first === '') {
      from = text.length - text.trimStart().length;
      if (from === text.length) return 'inside';
      first = text[from] as string;
      streaming = first === '{' || first === '[';
    }
    const end = scanner.read(text, from);
    if (scanner.inString()) {
      put(space === '' ? scanner.output() : space + scanner.output());
      space = '';
      return 'inside';
    }
    if (scanner.status() === 'complete') {
      put(space + scanner.output());
      space = '';
    } else putOutsideString(scanner.output());
    if (scanner.status() === 'complete' && (end < text.length || !/[-\d]/.test(first))) {
      dropCheckpoint();
      done = true;
      return { behind: text.slice(end) };
    }
    if (scanner.status() !== 'broken') return 'inside';
    if (!markup) return { behind: text.slice(end) };
    return endsHere ? endAtCheckpoint() : takeRaw(text.slice(end));
  }

  function takePlain(text: string): boolean {
    if (!streaming || raw || held.length > 0 || !scanner.inPlainString()) return false;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit < 0x20 || unit === 0x22 || unit === 0x5c || unit === 0x3c || unit === 0x5b) return false;
    }
    put(text);
    return true;
  }

  return {
    takePlain,
    take(lexeme) {
      if (lexeme.kind === 'text') {
        if (held.length > 0 && !endsHere && lexeme.text.trim() !== '') dropCheckpoint();
        if (held.length > 0) held.push(lexeme);
        return takeText(lexeme.text);
      }
      // Behind a backslash a marker breaks the string: then it is none of its data.
      if (raw || !scanner.inPlainString()) return endsHere ? endAtCheckpoint(lexeme) : 'marker';
      if (held.length > 0) {
        endsHere = true;
        held.push(lexeme);
      } else if (markup && lexeme.kind === 'call-end') {
        held.push(lexeme);
        healedBefore = scanner.healed();
      }
      return takeText(lexeme.text);
    },
    takeText,
    takeEnd: () => (held.length > 0 ? endAtCheckpoint() : 'inside'),
    isWhole() {
      return scanner.status() === 'complete' && !raw;
    },
    isDone() {
      return done;
    },
    hasStarted() {
      return first !== '';
    },
    isBroken() {
      return raw;
    },
    look: () => ({ scanner, kept, streaming, heldDeltas, space }),
    finish() {
      held = [];
      const whole = scanner.status() === 'complete' && !raw && !over;
      const written = kept.toString();
      const decoded = whole && first === '"' ? readObject(JSON.parse(written)) : undefined;
      // What becomes something else becomes an object.
      const text = decoded ?? (whole && written === 'null' ? '{}' : written);
      if (!streaming && text !== '') onDelta(text);
      return {
        text,
        state: first === '' ? 'empty' : whole ? 'whole' : 'part',
        isObject: whole && (first === '{' || text !== written),
        repaired: (endedAtCheckpoint ? healedBefore : scanner.healed()) || decoded !== undefined,
        over,
      };
    },
  };
}
