import { type ChunkTransform, createChunkTransform } from './chunk-transform.ts';
import type { JsonObject } from './json.ts';
import type { ChatChunk } from './kimi-chunk.ts';
import { checkOptions, checkStream, type KimiOptions } from './kimi-options.ts';

/** What is kept of a stream of the OpenAI SDK; known by its methods, as the SDK is not imported. */
export interface SdkStream extends AsyncIterable<ChatChunk> {
  controller: AbortController;
  tee(): unknown;
}

type SdkStreamClass = new (iterator: () => AsyncIterator<unknown>, controller: AbortController) => SdkStream;

/**
 * Makes the chunks of a Kimi model right: tool calls and reasoning that stand in the text become
 * `tool_calls` and `reasoning_content`, and what servers get wrong about chunks is repaired. Chunks
 * that need no repair come out as the same objects.
 *
 * A stream of the OpenAI SDK gives a stream of the OpenAI SDK: `tee()`, `toReadableStream()` and
 * `controller` work, and breaking out of the loop aborts the request. Use it where the client's `fetch` cannot be
 * set; `createKimiFetch` also reaches what the SDK does inside.
 *
 * @throws KimiError naming the option that is wrong
 */
export function transformKimiStream<Stream extends SdkStream>(stream: Stream, options?: KimiOptions): Stream;
export function transformKimiStream<Chunk extends ChatChunk>(
  stream: AsyncIterable<Chunk>,
  options?: KimiOptions,
): AsyncIterable<Chunk>;
export function transformKimiStream(
  stream: AsyncIterable<ChatChunk>,
  options: KimiOptions = {},
): AsyncIterable<unknown> {
  checkOptions(options);
  return wrapStream(stream, () => createChunkTransform(options));
}

type ObjectTransform = Pick<ChunkTransform, 'push' | 'end' | 'fail'>;

/** A stream of the same kind over the transformed chunks. */
export function wrapStream(
  stream: AsyncIterable<object>,
  createTransform: () => ObjectTransform,
): AsyncIterable<unknown> {
  checkStream(stream);
  if (!isSdkStream(stream)) {
    return { [Symbol.asyncIterator]: () => iterate(stream, createTransform()) };
  }
  const { controller } = stream;
  const SameStream = stream.constructor as SdkStreamClass;
  return new SameStream(() => iterate(stream, createTransform(), controller.signal), controller);
}

function isSdkStream(stream: AsyncIterable<object>): stream is SdkStream {
  const { controller, tee } = stream as Partial<SdkStream>;
  return controller instanceof AbortController && typeof tee === 'function';
}

/**
 * Written by hand, as an async generator would let `return()` wait for a chunk that may never come. Where the
 * source breaks, it breaks the same way, behind what was held.
 *
 * @param signal once aborted, a source that ends has been cut off by its reader: nothing is added
 */
function iterate(
  stream: AsyncIterable<object>,
  transform: ObjectTransform,
  signal?: AbortSignal,
): AsyncIterator<unknown> {
  const source = stream[Symbol.asyncIterator]();
  /** Chunks ready to be asked for, in reverse. */
  let ready: JsonObject[] = [];
  let over = false;
  /** What broke the source, until all that was held has been handed on. */
  let broken: { error: unknown } | undefined;
  /** Calls of `next` answer in their order. */
  let last: Promise<unknown> = Promise.resolve();

  async function pull(): Promise<IteratorResult<unknown>> {
    while (ready.length === 0 && !over) {
      const result = await source.next().catch((error: unknown) => {
        broken = { error };
        return undefined;
      });
      if (over) break;
      over = !result || result.done === true;
      ready = [...take(result)].reverse();
    }
    const value = ready.pop();
    if (value === undefined && broken) {
      const { error } = broken;
      broken = undefined;
      throw error;
    }
    return value === undefined ? { value, done: true } : { value, done: false };
  }

  /** @param result `undefined` where the source broke, upon which the SDK aborts by itself */
  function take(result: IteratorResult<object> | undefined): readonly JsonObject[] {
    if (!result) return transform.fail();
    if (!result.done) return transform.push(result.value as JsonObject);
    return signal?.aborted ? [] : transform.end();
  }

  return {
    next() {
      const result = last.then(pull);
      last = result.catch(() => {});
      return result;
    },
    async return() {
      over = true;
      ready = [];
      await source.return?.();
      return { value: undefined, done: true };
    },
  };
}
