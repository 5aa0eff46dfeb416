import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';

type Part = LanguageModelV4StreamPart;

/** The parts of one reply, read one after the other. */
export interface PartTransform {
  push(part: Part): void;
  /** The stream is over. */
  end(): void;
  /** The stream broke: what was held, the error as a part, and a finish that says so. */
  fail(error: unknown): void;
}

/**
 * The stream of a model, transformed. A connection that breaks ends it with an `error` part and a
 * finish, as readers of the AI SDK's streams expect, instead of making it throw in the middle. Reading
 * it reads the model's, as fast as it is read; cancelling it cancels that. An abort stays an abort.
 */
export function transformStream(
  source: ReadableStream<Part>,
  createTransform: (enqueue: (part: Part) => void) => PartTransform,
  abortSignal: AbortSignal | undefined,
): ReadableStream<Part> {
  const reader = source.getReader();
  let transform: PartTransform;
  let enqueued = false;

  /** Reads until a part has left. */
  function readOn(controller: ReadableStreamDefaultController<Part>): Promise<void> {
    return reader.read().then(
      (read) => {
        take(read);
        if (read.done) controller.close();
        else if (!enqueued) return readOn(controller);
        return undefined;
      },
      (error: unknown) => {
        if (abortSignal?.aborted) throw error;
        transform.fail(error);
        controller.close();
      },
    );
  }

  function take(read: ReadableStreamReadResult<Part>): void {
    try {
      if (read.done) transform.end();
      else transform.push(read.value);
    } catch (error) {
      // Thrown by a callback of the user.
      reader.cancel(error).catch(() => {});
      throw error;
    }
  }

  return new ReadableStream<Part>(
    {
      start(controller) {
        transform = createTransform((part) => {
          enqueued = true;
          controller.enqueue(part);
        });
      },
      pull(controller) {
        enqueued = false;
        return readOn(controller);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
