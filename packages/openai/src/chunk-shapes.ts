import { choiceOf, deltaOf, hasMore } from './chunk-fields.ts';
import { type JsonObject, listOf } from './json.ts';
import { readPieces, type TextPiece, withText } from './pieces.ts';

/** What a chunk says that looks like an earlier one but for its text. */
export interface KnownChunk {
  /** `index` of the choice. */
  choice: unknown;
  piece: TextPiece;
  /** Where its event ends. */
  end: number;
}

/**
 * The chunks of one stream are alike: all but the text is the same, byte for byte. Of those that look
 * like one that has passed as it is, the text is cut out instead of parsing them, which costs more
 * than all else that is done with a chunk.
 */
export interface ChunkShapes {
  /** The chunk whose event begins at `start` and is there as a whole, if it looks like one that was learned. */
  find(bytes: Uint8Array, start: number): KnownChunk | undefined;
  /** Learns what chunks look like that say nothing but one text, from one of them and its event. */
  learn(event: Uint8Array, chunk: JsonObject): void;
}

interface Shape {
  choice: unknown;
  /** The piece with another text. */
  piece: TextPiece;
  /** What stands in front of the text and behind it, without the quotes. */
  before: DataView;
  behind: DataView;
}

/** Reasoning, content and arguments take turns; so do the choices of a stream. */
const MAX_SHAPES = 6;

/** A server whose chunks are never alike is not learned from for ever. */
const MAX_LEARNED = 60;

/** Any text that no chunk has. */
const PROBE = '\u0018';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What stands behind a backslash, by its byte, and what both mean. */
const ESCAPES = new Map(
  [...'"\\/bfnrt'].map((char) => [char.charCodeAt(0), JSON.parse(`"\\${char}"`) as string]),
);

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function createChunkShapes(): ChunkShapes {
  /** The one that fitted last comes first. */
  const shapes: Shape[] = [];
  let learned = 0;
  /** The read that events are found in, and the view on it. */
  let seen: Uint8Array = new Uint8Array();
  let view = viewOf(seen);

  function find(bytes: Uint8Array, start: number): KnownChunk | undefined {
    if (shapes.length === 0) return undefined;
    if (bytes !== seen) {
      seen = bytes;
      view = viewOf(bytes);
    }
    for (let at = 0; at < shapes.length; at++) {
      const shape = shapes[at] as Shape;
      const { before, behind, choice, piece } = shape;
      if (!hasAt(view, start, before)) continue;
      const from = start + before.byteLength;
      const to = endOfString(bytes, from);
      if (to < 0 || !hasAt(view, to, behind)) continue;
      const text = readString(bytes, from, to);
      if (text === undefined || text === '') return undefined;
      if (at > 0) shapes.unshift(...shapes.splice(at, 1));
      return { choice, piece: withText(piece, text), end: to + behind.byteLength };
    }
    return undefined;
  }

  return {
    find,
    learn(event, chunk) {
      if (learned >= MAX_LEARNED || find(event, 0)) return;
      const shape = toShape(decoder.decode(event), chunk);
      if (!shape) return;
      learned++;
      shapes.unshift(shape);
      shapes.length = Math.min(shapes.length, MAX_SHAPES);
    },
  };
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/**
 * Eight bytes at a time, as this is where most of the time for a chunk goes; as doubles, since no text reads as NaN
 * or as a zero, which alone are not what their bytes are.
 */
function hasAt(view: DataView, start: number, wanted: DataView): boolean {
  const length = wanted.byteLength;
  if (start + length > view.byteLength) return false;
  const rest = length & 7;
  for (let at = 0; at < rest; at++) if (view.getUint8(start + at) !== wanted.getUint8(at)) return false;
  for (let at = rest; at < length; at += 8) {
    if (view.getFloat64(start + at) !== wanted.getFloat64(at)) return false;
  }
  return true;
}

/** Where the JSON string ends that begins at `start`; -1 if none does. */
function endOfString(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== QUOTE) return -1;
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) return at + 1;
    if (byte < 0x20) return -1;
    if (byte === BACKSLASH) at++;
  }
  return -1;
}

/** The JSON string in these bytes, if it is one. */
function readString(bytes: Uint8Array, start: number, end: number): string | undefined {
  if (end - start > 64) return decodeString(bytes.subarray(start, end));
  let text = '';
  for (let at = start + 1; at < end - 1; at++) {
    const byte = bytes[at] as number;
    const char = byte === BACKSLASH ? ESCAPES.get(bytes[++at] as number) : String.fromCharCode(byte);
    if (char === undefined || byte > 0x7e) return decodeString(bytes.subarray(start, end));
    text += char;
  }
  return text;
}

function decodeString(literal: Uint8Array): string | undefined {
  try {
    return JSON.parse(decoder.decode(literal)) as string;
  } catch {
    return undefined;
  }
}

/** The piece of text that a chunk carries, if it carries nothing else. */
function readOnly(chunk: JsonObject): TextPiece | undefined {
  const delta = deltaOf(choiceOf(chunk));
  if (listOf(chunk.choices).length !== 1 || hasMore(chunk, delta)) return undefined;
  const [piece, ...more] = readPieces(delta, () => true) ?? [];
  return piece?.type !== 'tool-call' && more.length === 0 ? piece : undefined;
}

const KEYS: Record<TextPiece['type'], string> = {
  content: 'content',
  reasoning: 'reasoning_content',
  arguments: 'arguments',
};

/** One line of data and an empty line. */
const PLAIN_EVENT = /^data: ?\{.*\r?\n\r?\n$/;

function toShape(event: string, chunk: JsonObject): Shape | undefined {
  const piece = readOnly(chunk);
  if (!piece || !PLAIN_EVENT.test(event)) return undefined;
  const literal = JSON.stringify(piece.text);
  for (const start of [`"${KEYS[piece.type]}":`, `"${KEYS[piece.type]}": `]) {
    const at = event.indexOf(start + literal);
    if (at < 0) continue;
    const before = event.slice(0, at + start.length);
    const behind = event.slice(before.length + literal.length);
    // The same words may stand elsewhere; the text has to be the one between the two.
    const json = `${before}${JSON.stringify(PROBE)}${behind}`.slice(event.indexOf('{'));
    const probed = readOnly(JSON.parse(json) as JsonObject);
    if (probed?.type !== piece.type || probed.text !== PROBE) continue;
    const choice = choiceOf(chunk).index;
    return { choice, piece, before: viewOf(encoder.encode(before)), behind: viewOf(encoder.encode(behind)) };
  }
  return undefined;
}
