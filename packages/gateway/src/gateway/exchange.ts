import { AsyncLocalStorage } from 'node:async_hooks';
import type { Recorder } from './recording.ts';

/** One request on its way through, and what is learnt of it. Times are those of `performance.now()`. */
export interface Exchange {
  /** For the log, and for the client as `x-request-id` where the upstream gives none. */
  id: string;
  route: string;
  startedAt: number;
  /** Milliseconds that were spent waiting for a slot. */
  queuedMs: number;
  /** When the request left for the upstream. */
  sentAt?: number;
  /** When the last bytes of the upstream came. */
  heardAt?: number;
  /** When the first bytes left for the client. */
  firstOutAt?: number;
  /** Whether the upstream answers in one piece, as far as the type of its answer tells. */
  isWhole?: boolean;
  /** Name of the upstream; empty if none was asked. */
  upstream: string;
  /**
   * As the upstream is asked for it: any text that a client sends, if no map says otherwise. The log has the first 100
   * units of it, without control characters.
   */
  model?: string;
  /** How often each problem was found. */
  problems: Map<string, number>;
  /** Why it failed, if it did. */
  failure?: string;
  recorder?: Recorder | undefined;
}

/**
 * The exchange that the code at hand belongs to. The fetch of an upstream is one for all requests, so that what
 * it learns stays; this tells its inner parts whose request it is.
 */
export const exchanges = new AsyncLocalStorage<Exchange | undefined>();
