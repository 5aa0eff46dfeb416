import { choiceOf, deltaOf, hasMore } from './chunk-fields.ts';
import { type JsonObject, listOf } from './json.ts';
import { copyString, LONGEST_TEXT, readCopied } from './json-strings.ts';
import { readPieces, type TextPiece, withText } from './pieces.ts';

/** Chunks, one behind the other, that look like an earlier one but for their texts. */
export interface KnownRun {
  /** The one that they look like. */
  like: JsonObject;
  /** What they say together. */
  piece: TextPiece;
  /** Where each of their events begins. */
  starts: number[];
  /** Where the last one ends. */
  end: number;
}

/**
 * The chunks of one stream are alike: all but the text is the same, byte for byte. Of those that look
 * like one that has passed as it is, the text is cut out instead of parsing them, which costs more
 * than all else that is done with a chunk.
 */
export interface ChunkShapes {
  /**
   * The chunk whose event begins at `start` and is there as a whole, if it looks like one that was learned,
   * and those behind it that look the same.
   */
  find(bytes: Uint8Array, start: number): KnownRun | undefined;
  /** Learns what chunks look like that say nothing but one text, from one of them and its event. */
  learn(event: string, chunk: JsonObject): void;
}

interface Shape {
  /** The chunk that was learned. */
  like: JsonObject;
  /** The piece with another text. */
  piece: TextPiece;
  /** What stands between two texts, without their quotes: behind one, then in front of the next. */
  between: DataView;
  /** Where the second begins. */
  cut: number;
}

/** Reasoning, content and arguments take turns; so do the choices of a stream. */
const MAX_SHAPES = 6;

/** A server whose chunks are never alike is not learned from for ever. */
const MAX_LEARNED = 60;

const encoder = new TextEncoder();

export function createChunkShapes(): ChunkShapes {
  /** The one that fitted last comes first. */
  const shapes: Shape[] = [];
  let learned = 0;
  /** The read that events are found in, and the view on it. */
  let seen: Uint8Array = new Uint8Array();
  let view = viewOf(seen);

  function find(bytes: Uint8Array, start: number): KnownRun | undefined {
    if (shapes.length === 0) return undefined;
    if (bytes !== seen) {
      seen = bytes;
      view = viewOf(bytes);
    }
    for (let at = 0; at < shapes.length; at++) {
      const run = findRun(shapes[at] as Shape, start);
      if (!run) continue;
      if (at > 0) shapes.unshift(...shapes.splice(at, 1));
      return run;
    }
    return undefined;
  }

  function findRun(shape: Shape, start: number): KnownRun | undefined {
    const { like, piece, between, cut } = shape;
    const starts: number[] = [];
    let end = start;
    let length = 0;
    let goesOn = hasAt(view, start, between, cut, between.byteLength);
    while (goesOn) {
      const from = end + between.byteLength - cut;
      const to = copyString(seen, from, length);
      if (to < 0) break;
      goesOn = hasAt(view, to, between, 0, between.byteLength);
      if (!goesOn && !hasAt(view, to, between, 0, cut)) break;
      starts.push(end);
      length += to - from - 2;
      end = to + cut;
    }
    return length === 0 ? undefined : { like, piece: withText(piece, readCopied(length)), starts, end };
  }

  return {
    find,
    learn(event, chunk) {
      const shape = learned < MAX_LEARNED ? toShape(event, chunk) : undefined;
      if (!shape || shapes.some((one) => isSame(one, shape))) return;
      learned++;
      shapes.unshift(shape);
      shapes.length = Math.min(shapes.length, MAX_SHAPES);
    },
  };
}

function isSame(one: Shape, { between, cut }: Shape): boolean {
  const { byteLength } = between;
  return (
    one.cut === cut && one.between.byteLength === byteLength && hasAt(one.between, 0, between, 0, byteLength)
  );
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** The bytes that are compared at once. */
const STEP = 8;

/**
 * Compares `STEP` bytes at once, the last of them perhaps for a second time, as this is where most of the time for a
 * chunk goes; as doubles, since no text reads as NaN or as a zero, which alone are not what their bytes are.
 */
function hasAt(view: DataView, start: number, wanted: DataView, from: number, to: number): boolean {
  const offset = start - from;
  if (offset + to > view.byteLength) return false;
  const last = to - STEP;
  let at = from;
  for (; at < last; at += STEP) {
    if (view.getFloat64(offset + at, true) !== wanted.getFloat64(at, true)) return false;
  }
  if (last >= from) return view.getFloat64(offset + last, true) === wanted.getFloat64(last, true);
  for (; at < to; at++) {
    if (view.getUint8(offset + at) !== wanted.getUint8(at)) return false;
  }
  return true;
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
  const key = `"${KEYS[piece.type]}"`;
  const text = JSON.stringify(piece.text);
  const at = event.indexOf(key) + key.length;
  const from = at + (event[at + 1] === ' ' ? 2 : 1);
  const before = event.slice(0, from);
  const behind = event.slice(from + text.length);
  // A key that stands there once, and nothing else that might mean the same, is the one that was read.
  const isPlain = !behind.includes(key) && !before.includes('\\') && !behind.includes('\\');
  if (!isPlain || event[at] !== ':' || !event.startsWith(text, from)) return undefined;
  // Three bytes are the most that a unit takes.
  if (text.length > LONGEST_TEXT / 3) return undefined;
  const between = encoder.encode(behind + before);
  // Only ASCII takes no more than a byte for a unit.
  const isAscii = between.length === behind.length + before.length;
  return {
    like: chunk,
    piece,
    between: viewOf(between),
    cut: isAscii ? behind.length : encoder.encode(behind).length,
  };
}
