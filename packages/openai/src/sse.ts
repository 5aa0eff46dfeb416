/** What one event of a stream says. */
export interface SseEvent {
  /** The lines of `data`, joined by line feeds; `undefined` if it has none. */
  data: string | undefined;
  /** The value of `event`; empty if it has none. */
  type: string;
  /** Its other lines (comments, ids), each with a line feed. */
  rest: string;
}

export interface SseSplitter {
  /** The next bytes of the stream: tells each event that is complete with them. */
  push(bytes: Uint8Array): void;
  /** What is left behind the last event, once there are no more bytes. */
  end(): Uint8Array | undefined;
}

/** Told an event, with its empty line, by the bytes it stands in: a view for each would cost more than the rest. */
export type OnSseEvent = (bytes: Uint8Array, start: number, end: number) => void;

const LF = 10;
const CR = 13;

/**
 * Cuts the bytes of a stream of server-sent events into events, without changing a byte: what needs no
 * repair is passed on exactly as it came, which a parser that yields values could not give back. Lines end in LF, CR LF or CR, wherever reads are cut.
 */
export function createSseSplitter(onEvent: OnSseEvent): SseSplitter {
  /** Bytes of the event that is not complete; joined once, at its end. */
  let parts: Uint8Array[] = [];
  let lineIsEmpty = true;
  /** The byte before was a CR; an LF behind it belongs to it. */
  let afterCr = false;

  function endEvent(bytes: Uint8Array, start: number, end: number): void {
    if (parts.length === 0) {
      onEvent(bytes, start, end);
      return;
    }
    parts.push(bytes.subarray(start, end));
    const event = joinBytes(parts);
    parts = [];
    onEvent(event, 0, event.length);
  }

  /** The common case: lines end in LF alone, which is found without looking at each byte. */
  function splitAtLf(bytes: Uint8Array): number {
    let start = 0;
    let line = 0;
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, line)) {
      let isEmpty = at === line && lineIsEmpty;
      if (!isEmpty && bytes[at + 1] === LF) {
        isEmpty = true;
        at++;
      }
      lineIsEmpty = true;
      line = at + 1;
      if (!isEmpty) continue;
      endEvent(bytes, start, line);
      start = line;
    }
    if (line < bytes.length) lineIsEmpty = false;
    return start;
  }

  function split(bytes: Uint8Array): number {
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte !== LF && byte !== CR) {
        lineIsEmpty = false;
        afterCr = false;
        continue;
      }
      const continuesCr = byte === LF && afterCr;
      afterCr = byte === CR;
      if (continuesCr) continue;
      if (!lineIsEmpty) {
        lineIsEmpty = true;
        continue;
      }
      if (afterCr && bytes[at + 1] === LF) {
        afterCr = false;
        at++;
      }
      endEvent(bytes, start, at + 1);
      start = at + 1;
    }
    return start;
  }

  return {
    push(bytes) {
      const start = afterCr || bytes.includes(CR) ? split(bytes) : splitAtLf(bytes);
      if (start < bytes.length) parts.push(bytes.subarray(start));
    },
    end() {
      const left = joinBytes(parts);
      parts = [];
      return left.length > 0 ? left : undefined;
    },
  };
}

const decoder = new TextDecoder();

/** Reads an event, whatever its lines end in. */
export function readSseEvent(bytes: Uint8Array): SseEvent {
  const text = decoder.decode(bytes);
  let data: string | undefined;
  let type = '';
  let rest = '';
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (line === '') continue;
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') data = data === undefined ? value : `${data}\n${value}`;
    else if (field === 'event') type = value;
    else rest += `${line}\n`;
  }
  return { data, type, rest };
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
