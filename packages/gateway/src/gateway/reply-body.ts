import { AsyncLocalStorage } from 'node:async_hooks';
import type { ApiError } from './api-error.ts';

/** What is told of a body while it leaves. */
export interface ReplyWatcher {
  /** The first bytes leave. */
  onFirst(): void;
  /** So much of what the upstream gave leaves. */
  onPiece(bytes: Uint8Array): void;
  /** It is over: whole, failed, or the client has left. Called once. */
  onEnd(how: 'finished' | 'failed' | 'left', error?: unknown): void;
}

/**
 * The body of a stream as a client gets it, read as fast as the client reads. If it fails, an event of the API
 * says so, and the connection breaks behind it: whoever passes over the event still sees that the reply is not
 * whole. It is read as part of the exchange that it was made in, whoever asks for it.
 *
 * @param toError what the event says
 * @param breakOff ends the connection without ending the body
 */
export function toReplyBody(
  body: ReadableStream<Uint8Array>,
  { onFirst, onPiece, onEnd }: ReplyWatcher,
  toError: (error: unknown) => ApiError,
  breakOff: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const inExchange = AsyncLocalStorage.snapshot();
  let begun = false;
  let state: 'open' | 'failed' | 'over' = 'open';

  function end(how: 'finished' | 'failed' | 'left', error?: unknown): void {
    if (state === 'over') return;
    state = 'over';
    onEnd(how, error);
  }

  return new ReadableStream(
    {
      async pull(controller) {
        // The event has left by now.
        if (state === 'failed') {
          breakOff();
          return;
        }
        try {
          const { value, done } = await inExchange(() => reader.read());
          if (done) {
            end('finished');
            controller.close();
            return;
          }
          if (!begun) onFirst();
          begun = true;
          onPiece(value);
          controller.enqueue(value);
        } catch (error) {
          if (state === 'over') return;
          end('failed', error);
          state = 'failed';
          controller.enqueue(toEvent(toError(error)));
        }
      },
      cancel(reason) {
        if (state === 'open') end('left');
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

function toEvent(error: ApiError): Uint8Array {
  // The empty line ends what may have come in part.
  return new TextEncoder().encode(`\n\ndata: ${JSON.stringify(error.toBody())}\n\n`);
}
