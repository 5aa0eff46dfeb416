import { createChunkShapes, type KnownChunk } from './chunk-shapes.ts';
import type { ChunkTransform } from './chunk-transform.ts';
import { isObject, type JsonObject, parseJson } from './json.ts';
import { createOutgoing } from './outgoing.ts';
import { isAlike, type TextPiece } from './pieces.ts';
import { createSseSplitter, joinBytes, readSseEvent, toEvent } from './sse.ts';
import { createTextPrinter } from './text-printer.ts';
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

/** Events of one read, one behind the other, whose texts are pieces of one: they are read at once. */
interface KnownRun {
  bytes: Uint8Array;
  start: number;
  end: number;
  choice: unknown;
  /** What they say together. */
  piece: TextPiece;
}

const encoder = new TextEncoder();

export function createSseWriter(transform: ChunkTransform): SseWriter {
  /** The bytes that chunks came in, for those that leave later than they came. */
  const cameIn = new WeakMap<JsonObject, Uint8Array>();
  const shapes = createChunkShapes();
  const printer = createTextPrinter();
  const out = createOutgoing();
  /** The last events, as far as they are known and have not been read. */
  let run: KnownRun | undefined;
  /** `[DONE]` or an error has come; what follows is passed on. */
  let over = false;

  const splitter = createSseSplitter((event) => {
    endRun();
    if (over) out.pass(event);
    else writeEvent(event);
  }, takeKnown);

  function takeKnown(bytes: Uint8Array, start: number): number {
    const known = over ? undefined : shapes.find(bytes, start);
    if (!known) return start;
    const { choice, piece, end } = known;
    if (run?.bytes === bytes && run.choice === choice && isAlike(run.piece, piece)) {
      run.piece.text += piece.text;
      run.end = end;
    } else {
      endRun();
      run = { bytes, start, end, choice, piece };
    }
    return end;
  }

  function endRun(): void {
    if (!run) return;
    const ended = run;
    run = undefined;
    const { bytes, start, end, choice, piece } = ended;
    const result = transform.pushKnown(choice, piece, () => splitRun(ended));
    if (result === 'passes') out.pass(part(bytes, start, end));
    else if (result === 'unread')
      for (const { chunk } of splitRun(ended)) writeEvent(cameIn.get(chunk) as Uint8Array);
    else {
      printChunks(result.chunks);
      for (const piece of result.pieces) out.print(printer.print(choice, piece, result.toChunk));
    }
  }

  /** Its events, each with an object for the chunk, which is not parsed as it passes or makes room for others. */
  function splitRun({ bytes, start, end }: KnownRun): SayingChunk[] {
    const split: SayingChunk[] = [];
    for (let at = start; at < end; ) {
      const known = shapes.find(bytes, at) as KnownChunk;
      const chunk = {};
      cameIn.set(chunk, part(bytes, at, known.end));
      split.push({ chunk, pieces: [known.piece] });
      at = known.end;
    }
    return split;
  }

  function writeEvent(bytes: Uint8Array): void {
    const { data, type, rest } = readSseEvent(bytes);
    if (data === '[DONE]') {
      over = true;
      printChunks(transform.end());
      out.pass(bytes);
    } else if (data === '' || data?.startsWith(':')) {
      // Not for clients to parse: the comment of a proxy that does not know how to write one.
      out.print(`: ${data}\n\n`);
    } else writeJson(bytes, data === undefined ? undefined : parseJson(data), type, rest);
  }

  function writeJson(bytes: Uint8Array, chunk: unknown, type: string, rest: string): void {
    if (!isObject(chunk)) {
      out.pass(bytes);
    } else if (type === 'error' || (chunk.error && !Array.isArray(chunk.choices))) {
      over = true;
      printChunks(transform.fail());
      out.pass(bytes);
    } else {
      printer.forget();
      const made = transform.push(chunk);
      if (made.length === 1 && made[0] === chunk) {
        shapes.learn(bytes, chunk);
        out.pass(bytes);
      } else writeChunks(bytes, chunk, made, rest);
    }
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
    const { data } = readSseEvent(left);
    if (data !== undefined && data !== '[DONE]' && parseJson(data) === undefined) return;
    writeEvent(joinBytes([left, encoder.encode('\n\n')]));
  }

  return {
    write(bytes) {
      splitter.push(bytes);
      endRun();
      return out.take();
    },
    end() {
      const left = splitter.end();
      if (over) return left ? [left] : [];
      if (left) writeLeft(left);
      if (!over) {
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
