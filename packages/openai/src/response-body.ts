import { createChunkShapes } from './chunk-shapes.ts';
import type { ChunkTransform, TransformSettings } from './chunk-transform.ts';
import { isObject, type JsonObject } from './json.ts';
import { createSseSplitter, joinBytes, readSseEvent } from './sse.ts';
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

const encoder = new TextEncoder();

function createSseWriter(transform: ChunkTransform): SseWriter {
  /** The bytes that chunks came in, for those that leave later than they came. */
  const cameIn = new WeakMap<JsonObject, Uint8Array>();
  const shapes = createChunkShapes();
  const printer = createTextPrinter();
  let out: Output[] = [];
  /** The last events that pass as they are, and have not been put out. */
  let run: { bytes: Uint8Array; start: number; end: number } | undefined;
  /** A chunk has come, so that this is the stream it is taken for. */
  let begun = false;
  /** `[DONE]` or an error has come; what follows is passed on. */
  let over = false;

  const splitter = createSseSplitter((bytes, start, end) => {
    if (over) return pass(bytes, start, end);
    const known = shapes.find(bytes, start, end);
    if (!known) return writeEvent(bytes.subarray(start, end));
    let chunk: JsonObject = {};
    const result = transform.pushKnown(known, () => {
      printer.forget();
      chunk = JSON.parse(readSseEvent(bytes.subarray(start, end)).data ?? '') as JsonObject;
      return chunk;
    });
    if (result === undefined) pass(bytes, start, end);
    else if ('pieces' in result) {
      for (const piece of result.pieces) put(printer.print(known.choice, piece, result.toChunk));
    } else writeChunks(bytes.subarray(start, end), chunk, result, '');
  });

  /** Events that pass one after the other leave as one, without a view for each. */
  function pass(bytes: Uint8Array, start: number, end: number): void {
    if (run?.bytes === bytes && run.end === start) {
      run.end = end;
      return;
    }
    endRun();
    run = { bytes, start, end };
  }

  function endRun(): void {
    if (run) out.push(run.bytes.subarray(run.start, run.end));
    run = undefined;
  }

  function put(output: Output): void {
    endRun();
    out.push(output);
  }

  function writeEvent(bytes: Uint8Array): void {
    const { data, type, rest } = readSseEvent(bytes);
    const chunk = data === undefined ? undefined : parseJson(data);
    if (data === '[DONE]') {
      over = true;
      printChunks(transform.end());
      put(bytes);
    } else if (data === '' || data?.startsWith(':')) {
      // Not for clients to parse: the comment of a proxy that does not know how to write one.
      put(`: ${data}\n\n`);
    } else if (!isObject(chunk)) {
      put(bytes);
    } else if (type === 'error' || (chunk.error && !Array.isArray(chunk.choices))) {
      over = true;
      printChunks(transform.fail());
      put(bytes);
    } else {
      begun ||= Array.isArray(chunk.choices);
      printer.forget();
      const made = transform.push(chunk);
      if (made.length > 1 || made[0] !== chunk) {
        writeChunks(bytes, chunk, made, rest);
        return;
      }
      if (type === '' && rest === '') shapes.learn(bytes, chunk);
      put(bytes);
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
    if (rest !== '' && !made.includes(chunk) && made.some((one) => !cameIn.has(one))) put(`${rest}\n`);
    printChunks(made);
  }

  function printChunks(chunks: readonly JsonObject[]): void {
    for (const chunk of chunks) put(cameIn.get(chunk) ?? toEvent(JSON.stringify(chunk)));
  }

  /** An event without its empty line counts if it is whole all the same; clients drop it otherwise. */
  function writeLeft(left: Uint8Array): void {
    const { data } = readSseEvent(left);
    if (data !== undefined && data !== '[DONE]' && parseJson(data) === undefined) return;
    writeEvent(joinBytes([left, encoder.encode('\n\n')]));
  }

  function takeOut(): Uint8Array {
    endRun();
    const taken = joinOutput(out);
    out = [];
    return taken;
  }

  return {
    write(bytes) {
      splitter.push(bytes);
      return takeOut();
    },
    end() {
      const left = splitter.end();
      if (over || !begun) return left ?? new Uint8Array();
      if (left) writeLeft(left);
      if (!over) {
        printChunks(transform.end());
        put(toEvent('[DONE]'));
      }
      return takeOut();
    },
  };
}

function toEvent(data: string): string {
  return `data: ${data}\n\n`;
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
