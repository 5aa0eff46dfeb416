import { isObject, type JsonObject, listOf } from './json.ts';
import { type Piece, readPieces } from './pieces.ts';

/** What a chunk says that looks like an earlier one but for its text. */
export interface KnownChunk {
  /** `index` of the choice. */
  choice: unknown;
  piece: TextPiece;
}

export type TextPiece = Exclude<Piece, { type: 'tool-call' }>;

/**
 * The chunks of one stream are alike: all but the text is the same, byte for byte. Of those that look
 * like one that has passed as it is, the text is cut out instead of parsing them, which costs more
 * than all else that is done with a chunk.
 */
export interface ChunkShapes {
  /**
   * What a chunk says, by its event, which stands from `start` to `end` in `bytes`; `undefined` if it
   * looks like none that was learned.
   */
  find(bytes: Uint8Array, start: number, end: number): KnownChunk | undefined;
  /**
   * Learns what chunks look like that may pass as they are.
   * @param event one line of data and an empty line
   */
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

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function createChunkShapes(): ChunkShapes {
  /** The one that fitted last comes first. */
  const shapes: Shape[] = [];
  let learned = 0;
  /** The read that events are found in, and the view on it. */
  let seen: Uint8Array = new Uint8Array();
  let view = viewOf(seen);

  return {
    find(bytes, start, end) {
      if (shapes.length === 0) return undefined;
      if (bytes !== seen) {
        seen = bytes;
        view = viewOf(bytes);
      }
      for (let at = 0; at < shapes.length; at++) {
        const shape = shapes[at] as Shape;
        const { before, behind, choice, piece } = shape;
        if (!fits(view, start, end, shape)) continue;
        if (at > 0) shapes.unshift(...shapes.splice(at, 1));
        const text = readString(bytes, start + before.byteLength, end - behind.byteLength);
        return text === undefined ? undefined : { choice, piece: withText(piece, text) };
      }
      return undefined;
    },
    learn(event, chunk) {
      if (learned >= MAX_LEARNED) return;
      const said = readOnly(chunk);
      const shape = said && toShape(decoder.decode(event), said);
      if (!shape) return;
      learned++;
      shapes.unshift(shape);
      shapes.length = Math.min(shapes.length, MAX_SHAPES);
    },
  };
}

/** Written out, as spreading is slower and this is done for each chunk. */
function withText(piece: TextPiece, text: string): TextPiece {
  if (piece.type === 'arguments') return { type: 'arguments', index: piece.index, text };
  return { type: piece.type, text };
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Whether an event has a string between what stands around the text of the shape. */
function fits(view: DataView, start: number, end: number, { before, behind }: Shape): boolean {
  const first = start + before.byteLength;
  const last = end - behind.byteLength - 1;
  if (last - first < 2 || view.getUint8(first) !== QUOTE || view.getUint8(last) !== QUOTE) return false;
  return hasAt(view, start, before) && hasAt(view, last + 1, behind);
}

/** Four bytes at a time: this is where most of the time for a chunk goes. */
function hasAt(view: DataView, start: number, wanted: DataView): boolean {
  const length = wanted.byteLength;
  const rest = length & 3;
  for (let at = 0; at < rest; at++) if (view.getUint8(start + at) !== wanted.getUint8(at)) return false;
  for (let at = rest; at < length; at += 4) {
    if (view.getUint32(start + at) !== wanted.getUint32(at)) return false;
  }
  return true;
}

/** The JSON string in these bytes, if it is one. */
function readString(bytes: Uint8Array, start: number, end: number): string | undefined {
  let text = '';
  for (let at = start + 1; at < end - 1; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) return undefined;
    if (byte === BACKSLASH || byte > 0x7e || at > start + 64) return decodeString(bytes.subarray(start, end));
    text += String.fromCharCode(byte);
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

/** The one piece of text that a chunk carries, if it carries nothing else. */
function readOnly(chunk: JsonObject): KnownChunk | undefined {
  const [choice, ...others] = listOf(chunk.choices);
  if (!isObject(choice) || others.length > 0 || !isObject(choice.delta)) return undefined;
  const [piece, ...more] = readPieces(choice.delta, () => true) ?? [];
  if (!piece || piece.type === 'tool-call' || more.length > 0) return undefined;
  return { choice: choice.index, piece };
}

const KEYS: Record<TextPiece['type'], string> = {
  content: 'content',
  reasoning: 'reasoning_content',
  arguments: 'arguments',
};

function toShape(event: string, { choice, piece }: KnownChunk): Shape | undefined {
  const literal = JSON.stringify(piece.text);
  for (const start of [`"${KEYS[piece.type]}":`, `"${KEYS[piece.type]}": `]) {
    const at = event.indexOf(start + literal);
    if (at < 0) continue;
    const before = event.slice(0, at + start.length);
    const behind = event.slice(before.length + literal.length);
    // The same words may stand elsewhere; the text has to be the one between the two.
    const json = `${before}${JSON.stringify(PROBE)}${behind}`.slice(event.indexOf('{'));
    const probed = readOnly(JSON.parse(json) as JsonObject);
    if (probed?.piece.type !== piece.type || probed.piece.text !== PROBE) continue;
    return { choice, piece, before: viewOf(encoder.encode(before)), behind: viewOf(encoder.encode(behind)) };
  }
  return undefined;
}
