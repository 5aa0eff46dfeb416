import type { TransformSettings } from './chunk-transform.ts';
import { isObject, parseJson } from './json.ts';
import { joinBytes } from './sse.ts';
import type { SseWriter } from './sse-writer.ts';
import { toCompletion } from './to-completion.ts';

type Bytes = Uint8Array<ArrayBuffer>;
type Controller = ReadableStreamDefaultController<Bytes>;

const encoder = new TextEncoder();

/** What is to be done with the turns that have ended, before their last chunks leave. */
export type Settle = () => Promise<unknown> | undefined;

/**
 * The body of a stream of chunks, transformed. Reading it reads the server's, as fast as it is read,
 * and cancelling it cancels that. Where the server's breaks, it breaks the same way, behind what was held.
 *
 * @param signal once aborted, it is the reader who broke the stream: there is nothing to say about the reply
 */
export function toSseBody(
  body: ReadableStream<Uint8Array>,
  writer: SseWriter,
  settle: Settle,
  signal?: AbortSignal | null,
): ReadableStream<Bytes> {
  const reader = body.getReader();
  let controller: Controller;
  /**
   * Gone once it is cancelled, which the OpenAI SDK does to every stream behind `[DONE]`: `fetch` holds on to what it
   * cancels, and to all that hangs on it, through many a minor garbage collection.
   */
  let reply: { writer: SseWriter; settle: Settle } | undefined = { writer, settle };
  /** What broke the server's, once all that was held has been handed on. */
  let broken: { error: unknown } | undefined;

  /** Reads until something leaves. By hand, as there is one read for nearly every chunk, and each `await` costs. */
  function pull(): Promise<void> {
    return broken ? Promise.reject(broken.error) : reader.read().then(takeRead, takeError);
  }

  function takeRead({ value, done }: ReadableStreamReadResult<Uint8Array>): Promise<void> | undefined {
    // Cancelling ends a read that waits, and says nothing about the reply.
    if (!reply) return undefined;
    try {
      return handOn(done ? reply.writer.end() : reply.writer.write(value), done);
    } catch (error) {
      return giveUp(error);
    }
  }

  /** For what a callback or the memory of the user throws: nobody reads on. */
  function giveUp(error: unknown): never {
    reader.cancel(error).catch(() => {});
    throw error;
  }

  function takeError(error: unknown): Promise<void> | undefined {
    broken = { error };
    return handOn(reply && !signal?.aborted ? reply.writer.fail() : [], false);
  }

  function handOn(out: readonly Uint8Array[], done: boolean): Promise<void> | undefined {
    const settling = reply?.settle();
    return settling ? settling.then(() => enqueue(out, done), giveUp) : enqueue(out, done);
  }

  function enqueue(out: readonly Uint8Array[], done: boolean): Promise<void> | undefined {
    for (const bytes of out) controller.enqueue(bytes as Bytes);
    if (done) controller.close();
    return done || out.length > 0 ? undefined : pull();
  }

  const source: UnderlyingDefaultSource<Bytes> = {
    start(own) {
      controller = own;
    },
    pull,
    cancel(reason) {
      reply = undefined;
      return reader.cancel(reason);
    },
  };
  // Nothing is read ahead: the server's stream does that already.
  return new ReadableStream<Bytes>(source, { highWaterMark: 0 });
}

/** The body of a completion, read and transformed once it is asked for. A body that is no completion passes. */
export function toJsonBody(
  body: ReadableStream<Uint8Array>,
  settings: TransformSettings,
  settle: Settle,
): ReadableStream<Bytes> {
  const reader = body.getReader();
  const source: UnderlyingDefaultSource<Bytes> = {
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
  };
  return new ReadableStream<Bytes>(source, { highWaterMark: 0 });
}
