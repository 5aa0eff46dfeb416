import { choiceOf, isError } from './chunk-fields.ts';
import { createChunkShapes, type KnownRun } from './chunk-shapes.ts';
import type { ChunkTransform } from './chunk-transform.ts';
import { isObject, type JsonObject, parseJson } from './json.ts';
import { createOutgoing } from './outgoing.ts';
import { type TextPiece, withText } from './pieces.ts';
import { createSseSplitter, joinBytes, readSseEvent, type SseEvent, toEvent } from './sse.ts';
import { createTextPrinter } from './text-printer.ts';
import { toError } from './to-error.ts';
import type { SayingChunk } from './waiting-chunks.ts';

/** Repairs a stream of server-sent chunks, bytes to bytes. */
export interface SseWriter {
  /** What leaves for the next bytes of the server. */
  write(bytes: Uint8Array): Uint8Array[];
  /** What leaves when there are no more. */
  end(): Uint8Array[];
  /** What leaves when the connection broke: what was held, and no end. */
  fail(): Uint8Array[];
}

const encoder = new TextEncoder();

export function createSseWriter(transform: ChunkTransform): SseWriter {
  /** The bytes that chunks came in, for those that leave later than they came. */
  const cameIn = new WeakMap<JsonObject, Uint8Array>();
  const shapes = createChunkShapes();
  const printer = createTextPrinter();
  const out = createOutgoing();
  /** The chunk that those look like which were printed last. */
  let printedLike: JsonObject | undefined;
  /** `[DONE]` or an error has come; what follows is passed on. */
  let over = false;
  /** Lines of no field, until a chunk comes: without one they are the answer. */
  let unread: string | undefined = '';

  const splitter = createSseSplitter((event) => {
    if (over) out.pass(event);
    else writeEvent(event);
  }, takeKnown);

  function takeKnown(bytes: Uint8Array, start: number): number {
    const known = over ? undefined : shapes.find(bytes, start);
    if (!known) return start;
    const { like, piece, end } = known;
    const split = (length: number) => splitRun(bytes, known, length);
    const result = transform.pushKnown(like, piece, split);
    if (result === 'passes') out.pass(part(bytes, start, end));
    else if (result === 'unread')
      for (const { chunk } of split(0)) writeEvent(cameIn.get(chunk) as Uint8Array);
    else {
      printChunks(result.chunks);
      if (like !== printedLike) printer.forget();
      printedLike = like;
      const { index } = choiceOf(like);
      for (const piece of result.pieces) out.print(printer.print(index, piece, result.toChunk));
    }
    return end;
  }

  /** From the end on, as it is there that something waits. */
  function splitRun(bytes: Uint8Array, { piece, starts, end }: KnownRun, length: number): SayingChunk[] {
    const split: SayingChunk[] = [];
    let { text } = piece;
    let count = starts.length;
    let to = end;
    for (; count > 0 && text.length > length; count--) {
      const from = starts[count - 1] as number;
      const event = part(bytes, from, to);
      const { piece: last } = shapes.find(event, 0) as KnownRun;
      split.push(standFor(event, last));
      text = text.slice(0, text.length - last.text.length);
      to = from;
    }
    if (count > 0) split.push(standFor(part(bytes, starts[0] as number, to), withText(piece, text)));
    return split.reverse();
  }

  /** A chunk is not parsed that passes as it came, or makes room for others. */
  function standFor(bytes: Uint8Array, piece: TextPiece): SayingChunk {
    const chunk = {};
    cameIn.set(chunk, bytes);
    return { chunk, pieces: [piece] };
  }

  function writeEvent(bytes: Uint8Array): void {
    const event = readSseEvent(bytes);
    const { data, type, words } = event;
    const isDone = data !== undefined && saysDone(data);
    const said = isDone ? undefined : parseJson(data ?? words);
    if (isDone) writeDone(bytes, data);
    else if (type === 'error' || (isObject(said) && isError(said))) writeError(bytes, event, said);
    else if (data === undefined && unread === undefined && words.startsWith('error:'))
      writeError(bytes, event, parseJson(words.slice('error:'.length)));
    else if (data === undefined && type === '') {
      if (unread !== undefined) unread += words;
      out.pass(bytes);
    } else if (data !== undefined && isObject(said)) writeChunk(bytes, event, said);
    else if (said === undefined && /^\s*[^\s:]/.test(data ?? '')) out.pass(bytes);
    else writeComment(event);
  }

  function writeDone(bytes: Uint8Array, data: string): void {
    over = true;
    printChunks(transform.end());
    if (data === '[DONE]') out.pass(bytes);
    else out.print(toEvent('[DONE]'));
  }

  function writeError(bytes: Uint8Array, { data, type, words }: SseEvent, said: unknown): void {
    over = true;
    printChunks(transform.fail());
    const field = type === '' ? '' : `event: ${type}\n`;
    if (data !== undefined && isObject(said) && said.error) out.pass(bytes);
    else out.print(field + toEvent(JSON.stringify(toError(said, data ?? words))));
  }

  /**
   * An event that clients fail to read: the comment of a proxy that does not know how to write one, or JSON
   * that is no object.
   */
  function writeComment({ data, type, rest }: SseEvent): void {
    out.print(`${rest}: ${(data ?? type).replaceAll('\n', '\n: ')}\n\n`);
  }

  function writeChunk(bytes: Uint8Array, { text, rest }: SseEvent, chunk: JsonObject): void {
    unread = undefined;
    printer.forget();
    const made = transform.push(chunk);
    if (made.at(-1) === chunk) shapes.learn(text, chunk);
    if (made.length === 1 && made[0] === chunk) out.pass(bytes);
    else writeChunks(bytes, chunk, made, rest);
  }

  /** @param rest other lines of the event */
  function writeChunks(
    bytes: Uint8Array,
    chunk: JsonObject,
    made: readonly JsonObject[],
    rest: string,
  ): void {
    cameIn.set(chunk, bytes);
    // Comments and ids go with what is made of the event; one that only waits still has them.
    if (rest !== '' && !made.includes(chunk) && made.some((one) => !cameIn.has(one))) out.print(`${rest}\n`);
    printChunks(made);
  }

  function printChunks(chunks: readonly JsonObject[]): void {
    for (const chunk of chunks) {
      const bytes = cameIn.get(chunk);
      if (bytes) out.pass(bytes);
      else out.print(toEvent(JSON.stringify(chunk)));
    }
  }

  /** An event without its empty line counts if it is whole all the same; clients drop it otherwise. */
  function writeLeft(left: Uint8Array): void {
    const { data, type } = readSseEvent(left);
    const isCut = data !== undefined && !saysDone(data) && parseJson(data) === undefined;
    if (isCut && type !== 'error') return;
    writeEvent(joinBytes([left, encoder.encode('\n\n')]));
  }

  return {
    write(bytes) {
      splitter.push(bytes);
      return out.take();
    },
    end() {
      const left = splitter.end();
      if (over) return left ? [left] : [];
      if (left) writeLeft(left);
      if (!over && unread?.trim()) {
        out.print(toEvent(JSON.stringify(toError(parseJson(unread), unread))));
      } else if (!over) {
        printChunks(transform.end());
        out.print(toEvent('[DONE]'));
      }
      return out.take();
    },
    fail() {
      if (!over) printChunks(transform.fail());
      over = true;
      return out.take();
    },
  };
}

/** A view is not made where it would be one of all: it costs more than what is looked up in it. */
function part(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
}

/** Clients end at anything that begins so. */
function saysDone(data: string): boolean {
  return data.trimStart().startsWith('[DONE]');
}
