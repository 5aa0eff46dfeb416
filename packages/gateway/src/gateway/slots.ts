import { ApiError } from './api-error.ts';

export interface SlotOptions {
  /** Requests at a time. */
  concurrency: number;
  /** Requests that may be here beside them: that wait for a slot, or whose body is on its way. */
  queue: number;
  /** Milliseconds that one may wait. */
  queueMs: number;
}

/** Lets so many requests in, and so many of them run at a time, first come first served. */
export interface Slots {
  /**
   * Lets a request in, before anything of its body is kept.
   *
   * @throws ApiError 429 if as many are in as may run and wait
   */
  enter(): Place;
  readonly waiting: number;
  readonly running: number;
}

/** That of one request. */
export interface Place {
  /**
   * Resolves when the request may run; asked for once, when its body is here: one that comes slowly holds up no other.
   *
   * @throws ApiError 503 if it took too long; the reason of the signal
   */
  takeSlot(signal: AbortSignal): Promise<void>;
  /** The request is over, and its slot free if it had one. Calling it again does nothing. */
  leave(): void;
}

const RETRY = { headers: { 'retry-after': '1' } };

export function createSlots({ concurrency, queue, queueMs }: SlotOptions): Slots {
  /** Starts those that wait. */
  const line: (() => void)[] = [];
  let inside = 0;
  let running = 0;

  function freeSlot(): void {
    const next = line.shift();
    // The slot goes from hand to hand, so that nobody who comes now gets in between.
    if (next) next();
    else running--;
  }

  function wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        leaveLine();
        resolve();
      };
      const timer = setTimeout(() => {
        leaveLine();
        const seconds = queueMs / 1000;
        reject(new ApiError(503, 'queue_timeout', `No slot became free within ${seconds} seconds.`, RETRY));
      }, queueMs);
      const onAbort = () => {
        leaveLine();
        reject(signal.reason);
      };
      function leaveLine(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        const at = line.indexOf(start);
        if (at >= 0) line.splice(at, 1);
      }
      signal.addEventListener('abort', onAbort);
      line.push(start);
    });
  }

  return {
    enter() {
      if (inside >= concurrency + queue)
        throw new ApiError(
          429,
          'queue_full',
          `${inside} requests are here already, of which ${running} run.`,
          RETRY,
        );
      inside++;
      let hasSlot = false;
      let isOver = false;
      return {
        async takeSlot(signal) {
          signal.throwIfAborted();
          if (running < concurrency) running++;
          else await wait(signal);
          hasSlot = true;
        },
        leave() {
          if (isOver) return;
          isOver = true;
          inside--;
          if (hasSlot) freeSlot();
        },
      };
    },
    get waiting() {
      return line.length;
    },
    get running() {
      return running;
    },
  };
}
