/** What one event of a stream says. */
export interface SseEvent {
  /** All of it. */
  text: string;
  /** The lines of `data`, joined by line feeds; `undefined` if it has none. */
  data: string | undefined;
  /** The value of `event`; empty if it has none. */
  type: string;
  /** Its other lines (comments, ids), each with a line feed. */
  rest: string;
  /** Those of them that are of no field, which clients pass over. */
  words: string;
}

export interface SseSplitter {
  /** The next bytes of the stream: tells each event that is complete with them. */
  push(bytes: Uint8Array): void;
  /** What is left behind the last event, once there are no more bytes. */
  end(): Uint8Array | undefined;
}

/**
 * Takes the event that begins at `start`, and more behind it, if it is known what they look like, and returns
 * where the last one ends; else returns `start`.
 */
export type TakeKnown = (bytes: Uint8Array, start: number) => number;

const LF = 10;
const CR = 13;

/**
 * Cuts the bytes of a stream of server-sent events into events, without changing a byte: what needs no
 * repair is passed on exactly as it came, which a parser that yields values could not give back. Lines end
 * in LF, CR LF or CR, wherever reads are cut.
 *
 * @param onEvent told each event that was not taken, with its empty line
 */
export function createSseSplitter(
  onEvent: (event: Uint8Array) => void,
  takeKnown: TakeKnown = (_, start) => start,
): SseSplitter {
  /** Bytes of the event that is not complete; joined once, at its end. */
  let parts: Uint8Array[] = [];
  let lineIsEmpty = true;
  /** The byte before was a CR; an LF behind it belongs to it. */
  let afterCr = false;

  /** Where the event ends whose next byte is at `at`; -1 if not in these bytes. */
  function findEnd(bytes: Uint8Array, at: number): number {
    for (; ; at++) {
      const start = at;
      while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at++;
      if (at > start) lineIsEmpty = afterCr = false;
      if (at === bytes.length) return -1;
      const continuesCr = bytes[at] === LF && afterCr;
      afterCr = bytes[at] === CR;
      if (continuesCr) continue;
      if (!lineIsEmpty) {
        lineIsEmpty = true;
        continue;
      }
      if (afterCr && bytes[at + 1] === LF) {
        afterCr = false;
        at++;
      }
      return at + 1;
    }
  }

  return {
    push(bytes) {
      let read = bytes;
      /** Where the event ends that an earlier read began. */
      let begun = 0;
      if (parts.length > 0) {
        const end = findEnd(bytes, 0);
        parts.push(bytes);
        if (end < 0) return;
        // With all that came with its end: what is taken and passed on is one piece then.
        read = joinBytes(parts);
        begun = read.length - bytes.length + end;
        parts = [];
      }
      for (let start = 0, end = 0; start < read.length; start = end) {
        end = afterCr ? start : takeKnown(read, start);
        if (end > start) continue;
        end = start < begun ? begun : findEnd(read, start);
        if (end < 0) return void parts.push(read.subarray(start));
        onEvent(read.subarray(start, end));
      }
    },
    end() {
      const left = joinBytes(parts);
      parts = [];
      return left.length > 0 ? left : undefined;
    },
  };
}

/** What a line may be besides `data` and `event`; a comment has no name. */
const OTHER_FIELDS = new Set(['', 'id', 'retry']);

const decoder = new TextDecoder();

/** Reads an event, whatever its lines end in. */
export function readSseEvent(bytes: Uint8Array): SseEvent {
  const text = decoder.decode(bytes);
  let data: string | undefined;
  let type = '';
  let rest = '';
  let words = '';
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (line === '') continue;
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') data = data === undefined ? value : `${data}\n${value}`;
    else if (field === 'event') type = value;
    else {
      rest += `${line}\n`;
      if (!OTHER_FIELDS.has(field)) words += `${line}\n`;
    }
  }
  return { text, data, type, rest, words };
}

/** An event with these data, which are one line. */
export function toEvent(data: string): string {
  return `data: ${data}\n\n`;
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (first && parts.length === 1) return first;
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
