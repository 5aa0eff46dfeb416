import { ApiError } from './api-error.ts';

export interface SlotOptions {
  /** Requests at a time. */
  concurrency: number;
  /** Requests that may wait for a slot. */
  queue: number;
  /** Milliseconds that one may wait. */
  queueMs: number;
}

/** Lets so many requests run at a time, and so many wait, first come first served. */
export interface Slots {
  /**
   * Resolves when there is a slot; call what it gives once the request is over. Calling it again does nothing.
   *
   * @throws ApiError 429 if too many wait already, 503 if it took too long; the reason of the signal
   */
  take(signal: AbortSignal): Promise<() => void>;
  readonly waiting: number;
  readonly running: number;
}

interface Waiting {
  start(): void;
}

const RETRY = { headers: { 'retry-after': '1' } };

export function createSlots({ concurrency, queue, queueMs }: SlotOptions): Slots {
  const line: Waiting[] = [];
  let running = 0;

  function toRelease(): () => void {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const next = line.shift();
      // The slot goes from hand to hand, so that nobody who comes now gets in between.
      if (next) next.start();
      else running--;
    };
  }

  function wait(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        start() {
          leave();
          resolve(toRelease());
        },
      };
      const timer = setTimeout(() => {
        leave();
        const seconds = queueMs / 1000;
        reject(new ApiError(503, 'queue_timeout', `No slot became free within ${seconds} seconds.`, RETRY));
      }, queueMs);
      const onAbort = () => {
        leave();
        reject(signal.reason);
      };
      function leave(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        const at = line.indexOf(waiting);
        if (at >= 0) line.splice(at, 1);
      }
      signal.addEventListener('abort', onAbort);
      line.push(waiting);
    });
  }

  return {
    async take(signal) {
      signal.throwIfAborted();
      if (running < concurrency) {
        running++;
        return toRelease();
      }
      if (line.length >= queue)
        throw new ApiError(
          429,
          'queue_full',
          `${concurrency} requests are running and ${line.length} wait already.`,
          RETRY,
        );
      return wait(signal);
    },
    get waiting() {
      return line.length;
    },
    get running() {
      return running;
    },
  };
}
