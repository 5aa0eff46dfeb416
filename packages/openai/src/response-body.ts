import type { ChunkTransform, TransformSettings } from './chunk-transform.ts';
import { isObject, parseJson } from './json.ts';
import { joinBytes } from './sse.ts';
import { createSseWriter } from './sse-writer.ts';
import { toCompletion } from './to-completion.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();

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
  let cancelled = false;
  return new ReadableStream<Bytes>({
    async pull(controller) {
      for (;;) {
        const { value, done } = await reader.read();
        // It ends a read that waits, and says nothing about the reply.
        if (cancelled) return;
        const out = done ? writer.end() : writer.write(value);
        // To wait for nothing is still to wait, and there is one read for nearly every chunk.
        const settling = settle();
        if (settling) await settling;
        for (const bytes of out) controller.enqueue(bytes as Bytes);
        if (done) return controller.close();
        if (out.length > 0) return;
      }
    },
    cancel(reason) {
      cancelled = true;
      return reader.cancel(reason);
    },
  });
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
