import { createChunkShapes } from './chunk-shapes.ts';
import type { ChunkTransform, TransformSettings } from './chunk-transform.ts';
import { isObject, type JsonObject } from './json.ts';
import { isAlike, type TextPiece } from './pieces.ts';
import { createSseSplitter, joinBytes, readSseEvent, toEvent } from './sse.ts';
import { createTextPrinter } from './text-printer.ts';
import { toCompletion } from './to-completion.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** What is to be done with the turns that have ended, before their last chunks leave. */
export type Settle = () => Promise<unknown> | undefined;

/**
 * The body of a stream of chunks, transformed. Reading it reads the server's, as fast as it is read,
 * and cancelling it cancels that.
 */
export function toSseBody(
  body: ReadableStream<Uint8Array>,
  transform: ChunkTransform,
  settle: Settle,
): ReadableStream<Bytes> {
  const reader = body.getReader();
  const writer = createSseWriter(transform);
  return new ReadableStream<Bytes>({
    async pull(controller) {
      for (;;) {
        const { value, done } = await reader.read();
        const out = done ? writer.end() : writer.write(value);
        // To wait for nothing is still to wait, and there is one read for nearly every chunk.
        const settling = settle();
        if (settling) await settling;
        if (out.length > 0) controller.enqueue(out as Bytes);
        if (done) return controller.close();
        if (out.length > 0) return;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

interface SseWriter {
  /** What leaves for the next bytes of the server. */
  write(bytes: Uint8Array): Uint8Array;
  /** What leaves when there are no more. */
  end(): Uint8Array;
}

/** What leaves, in order: bytes as they came, and text that was made here. */
type Output = Uint8Array | string;

/** Events of one read, one behind the other, whose texts are pieces of one: they are read at once. */
interface KnownRun {
  bytes: Uint8Array;
  start: number;
  choice: unknown;
  /** What each of them says, and where it ends. */
  pieces: TextPiece[];
  ends: number[];
}

const encoder = new TextEncoder();

function createSseWriter(transform: ChunkTransform): SseWriter {
  /** The bytes that chunks came in, for those that leave later than they came. */
  const cameIn = new WeakMap<JsonObject, Uint8Array>();
  const shapes = createChunkShapes();
  const printer = createTextPrinter();
  let out: Output[] = [];
  /** The last events, as far as they are known and have not been read. */
  let run: KnownRun | undefined;
  /** A chunk has come, so that this is the stream it is taken for. */
  let begun = false;
  /** `[DONE]` or an error has come; what follows is passed on. */
  let over = false;

  const splitter = createSseSplitter((event) => {
    endRun();
    if (over) out.push(event);
    else writeEvent(event);
  }, takeKnown);

  function takeKnown(bytes: Uint8Array, start: number): number {
    const known = over ? undefined : shapes.find(bytes, start);
    if (!known) return start;
    const { choice, piece, end } = known;
    if (run && !(run.bytes === bytes && run.choice === choice && isAlike(run.pieces[0] as TextPiece, piece)))
      endRun();
    run ??= { bytes, start, choice, pieces: [], ends: [] };
    run.pieces.push(piece);
    run.ends.push(end);
    return end;
  }

  function endRun(): void {
    if (!run) return;
    const { bytes, start, choice, pieces, ends } = run;
    run = undefined;
    const events = () => ends.map((end, at) => bytes.subarray(at === 0 ? start : ends[at - 1], end));
    const result = transform.pushKnown(choice, pieces, () => events().map(toStandIn));
    if (result === 'passes') out.push(bytes.subarray(start, ends.at(-1)));
    else if (result === 'unread') events().forEach(writeEvent);
    else {
      printChunks(result.chunks);
      for (const piece of result.pieces) out.push(printer.print(choice, piece, result.toChunk));
    }
  }

  /** For a chunk that is not parsed, as it passes or makes room for others. */
  function toStandIn(event: Uint8Array): JsonObject {
    const chunk = {};
    cameIn.set(chunk, event);
    return chunk;
  }

  function writeEvent(bytes: Uint8Array): void {
    const { data, type, rest } = readSseEvent(bytes);
    const chunk = data === undefined ? undefined : parseJson(data);
    if (data === '[DONE]') {
      over = true;
      printChunks(transform.end());
      out.push(bytes);
    } else if (data === '' || data?.startsWith(':')) {
      // Not for clients to parse: the comment of a proxy that does not know how to write one.
      out.push(`: ${data}\n\n`);
    } else if (!isObject(chunk)) {
      out.push(bytes);
    } else if (type === 'error' || (chunk.error && !Array.isArray(chunk.choices))) {
      over = true;
      printChunks(transform.fail());
      out.push(bytes);
    } else {
      begun ||= Array.isArray(chunk.choices);
      printer.forget();
      const made = transform.push(chunk);
      if (made.length === 1 && made[0] === chunk) {
        shapes.learn(bytes, chunk);
        out.push(bytes);
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
    if (rest !== '' && !made.includes(chunk) && made.some((one) => !cameIn.has(one))) out.push(`${rest}\n`);
    printChunks(made);
  }

  function printChunks(chunks: readonly JsonObject[]): void {
    for (const chunk of chunks) out.push(cameIn.get(chunk) ?? toEvent(JSON.stringify(chunk)));
  }

  /** An event without its empty line counts if it is whole all the same; clients drop it otherwise. */
  function writeLeft(left: Uint8Array): void {
    const { data } = readSseEvent(left);
    if (data !== undefined && data !== '[DONE]' && parseJson(data) === undefined) return;
    writeEvent(joinBytes([left, encoder.encode('\n\n')]));
  }

  function takeOut(): Uint8Array {
    const taken = joinOutput(out);
    out = [];
    return taken;
  }

  return {
    write(bytes) {
      splitter.push(bytes);
      endRun();
      return takeOut();
    },
    end() {
      const left = splitter.end();
      if (over || !begun) return left ?? new Uint8Array();
      if (left) writeLeft(left);
      if (!over) {
        printChunks(transform.end());
        out.push(toEvent('[DONE]'));
      }
      return takeOut();
    },
  };
}

function joinOutput(out: readonly Output[]): Uint8Array {
  if (out.every((one) => typeof one === 'string')) return encoder.encode(out.join(''));
  return joinBytes(out.map((one) => (typeof one === 'string' ? encoder.encode(one) : one)));
}

/** The body of a completion, transformed once it is asked for. A body that is no completion passes. */
export function toJsonBody(
  body: ReadableStream<Uint8Array>,
  settings: TransformSettings,
  settle: Settle,
): ReadableStream<Bytes> {
  const reader = body.getReader();
  return new ReadableStream<Bytes>({
    async pull(controller) {
      const parts: Uint8Array[] = [];
      for (let read = await reader.read(); !read.done; read = await reader.read()) parts.push(read.value);
      const bytes = joinBytes(parts);
      const completion = parseJson(new TextDecoder().decode(bytes));
      const repaired = isObject(completion) ? toCompletion(completion, settings) : completion;
      const out = repaired === completion ? bytes : encoder.encode(JSON.stringify(repaired));
      await settle();
      if (out.length > 0) controller.enqueue(out as Bytes);
      controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
