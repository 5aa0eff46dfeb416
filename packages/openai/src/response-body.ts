import type { ChunkTransform, TransformSettings } from './chunk-transform.ts';
import { isObject, type JsonObject } from './json.ts';
import { createSseSplitter, joinBytes, type SseFrame } from './sse.ts';
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
  const splitter = createSseSplitter();
  const writer = createSseWriter(transform);
  return new ReadableStream<Bytes>({
    async pull(controller) {
      for (;;) {
        const { value, done } = await reader.read();
        const out = done ? writer.end(splitter.end()) : writer.write(splitter.push(value));
        await settle();
        if (out.length > 0) controller.enqueue(out as Bytes);
        if (done) return controller.close();
        if (out.length > 0) return;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

interface SseWriter {
  /** What leaves for these events. */
  write(frames: readonly SseFrame[]): Uint8Array;
  /** @param left what stands behind the last event */
  end(left: SseFrame | undefined): Uint8Array;
}

const encoder = new TextEncoder();

function createSseWriter(transform: ChunkTransform): SseWriter {
  /** The bytes that chunks came in, for those that leave later than they came. */
  const cameIn = new WeakMap<JsonObject, Uint8Array>();
  /** A chunk has come, so that this is the stream it is taken for. */
  let begun = false;
  /** `[DONE]` or an error has come; what follows is passed on. */
  let over = false;

  function toBytes(chunks: readonly JsonObject[]): Uint8Array[] {
    return chunks.map((chunk) => cameIn.get(chunk) ?? encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`));
  }

  function writeFrame(frame: SseFrame): Uint8Array[] {
    const { bytes, data, event } = frame;
    if (over || data === undefined) return [bytes];
    // Not for clients to parse: the comment of a proxy that does not know how to write one.
    if (data === '' || data.startsWith(':')) return [encoder.encode(`: ${data}\n\n`)];
    if (data === '[DONE]') {
      over = true;
      return [...toBytes(transform.end()), bytes];
    }
    const chunk = parseJson(data);
    if (!isObject(chunk)) return [bytes];
    if (event === 'error' || (chunk.error && !Array.isArray(chunk.choices))) {
      over = true;
      return [...toBytes(transform.fail()), bytes];
    }
    begun ||= Array.isArray(chunk.choices);
    const out = transform.push(chunk);
    if (out.length === 1 && out[0] === chunk) return [bytes];
    cameIn.set(chunk, bytes);
    // Comments and ids go with what is made of the event; one that only waits still has them.
    const keeps = frame.rest !== '' && !out.includes(chunk) && out.some((one) => !cameIn.has(one));
    const rest = keeps ? [encoder.encode(`${frame.rest}\n`)] : [];
    return [...rest, ...toBytes(out)];
  }

  /** An event without its empty line counts if it is whole all the same; clients drop it otherwise. */
  function writeLeft(frame: SseFrame): Uint8Array[] {
    const { bytes, data } = frame;
    if (data !== undefined && data !== '[DONE]' && parseJson(data) === undefined) return [];
    return writeFrame({ ...frame, bytes: joinBytes([bytes, encoder.encode('\n\n')]) });
  }

  return {
    write: (frames) => joinBytes(frames.flatMap(writeFrame)),
    end(left) {
      if (over || !begun) return left?.bytes ?? new Uint8Array();
      const last = left ? writeLeft(left) : [];
      const done = over ? [] : [...toBytes(transform.end()), encoder.encode('data: [DONE]\n\n')];
      return joinBytes([...last, ...done]);
    },
  };
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
