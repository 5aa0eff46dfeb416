/** One event of a stream as it came, up to and with its empty line. */
export interface SseFrame {
  bytes: Uint8Array;
  /** The lines of `data`, joined by line feeds; `undefined` if it has none. */
  data: string | undefined;
  /** The value of `event`; empty if it has none. */
  event: string;
  /** Its other lines (comments, ids), each with a line feed. */
  rest: string;
}

export interface SseSplitter {
  /** The events that are complete with these bytes. */
  push(bytes: Uint8Array): SseFrame[];
  /** What is left behind the last event, once there are no more bytes. */
  end(): SseFrame | undefined;
}

const LF = 10;
const CR = 13;

/**
 * Cuts the bytes of a stream of server-sent events into events, without changing a byte: what needs no
 * repair is passed on exactly as it came. Lines end in LF, CR LF or CR, wherever reads are cut.
 */
export function createSseSplitter(): SseSplitter {
  const decoder = new TextDecoder();
  /** Bytes of the event that is not complete; joined once, at its end. */
  let parts: Uint8Array[] = [];
  let lineIsEmpty = true;
  /** The byte before was a CR; an LF behind it belongs to it. */
  let afterCr = false;

  function toFrame(bytes: Uint8Array): SseFrame {
    const text = decoder.decode(bytes);
    const quick = readSingleData(text);
    return quick === undefined ? { bytes, ...readLines(text) } : { bytes, data: quick, event: '', rest: '' };
  }

  return {
    push(bytes) {
      const frames: SseFrame[] = [];
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
        const end = at + 1;
        parts.push(bytes.subarray(start, end));
        frames.push(toFrame(joinBytes(parts)));
        parts = [];
        start = end;
      }
      if (start < bytes.length) parts.push(bytes.subarray(start));
      return frames;
    },
    end() {
      const left = joinBytes(parts);
      parts = [];
      return left.length > 0 ? toFrame(left) : undefined;
    },
  };
}

/** The value of an event that is one line of data, as nearly all are. */
function readSingleData(text: string): string | undefined {
  if (!text.startsWith('data:')) return undefined;
  const end = text.indexOf('\n');
  if (end !== text.length - 2 || text.includes('\r')) return undefined;
  return text.slice(text[5] === ' ' ? 6 : 5, end);
}

function readLines(text: string): Omit<SseFrame, 'bytes'> {
  let data: string | undefined;
  let event = '';
  let rest = '';
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (line === '') continue;
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') data = data === undefined ? value : `${data}\n${value}`;
    else if (field === 'event') event = value;
    else rest += `${line}\n`;
  }
  return { data, event, rest };
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
