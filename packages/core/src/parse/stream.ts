import { expectObject, expectOption } from '../kimi-error.ts';
import type { KimiEvent } from './events.ts';
import { createParser, type ParserOptions } from './parser.ts';

/** What is known about the reply that is streamed. */
export interface StreamOptions extends ParserOptions {
  /** The server's word, or a function asked for it when the text is over. Default: none. */
  finishReason?: string | null | (() => string | null | undefined) | undefined;
}

function parserOptions(options: StreamOptions): ParserOptions {
  expectObject('options', options);
  const { finishReason: _, ...rest } = options;
  return rest;
}

function finishReasonOf({ finishReason }: StreamOptions): string | null | undefined {
  return typeof finishReason === 'function' ? finishReason() : finishReason;
}

/**
 * Text deltas of one reply in, events out. Errors and cancellation pass through as with any
 * `TransformStream`; back pressure holds the text, not the events of a delta already read.
 * @throws KimiError naming the option that is wrong
 */
export class KimiParserStream extends TransformStream<string, KimiEvent> {
  constructor(options: StreamOptions = {}) {
    const rest = parserOptions(options);
    let events: KimiEvent[] = [];
    const parser = createParser({ ...rest, onEvent: (event) => events.push(event) });
    const flush = (controller: TransformStreamDefaultController<KimiEvent>) => {
      for (const event of events) controller.enqueue(event);
      events = [];
    };
    super({
      transform(delta, controller) {
        parser.feed(delta);
        flush(controller);
      },
      flush(controller) {
        parser.end(finishReasonOf(options));
        flush(controller);
      },
    });
  }
}

/**
 * Events of one reply, as the text arrives. Leaving the loop, or calling `return()` while a read is
 * pending, cancels the source; an error of the source is thrown from the loop, after the events in
 * front of it.
 * @throws KimiError at once, naming the option that is wrong
 */
export function parseStream(
  source: AsyncIterable<string> | ReadableStream<string>,
  options: StreamOptions = {},
): AsyncIterableIterator<KimiEvent> {
  let ready: KimiEvent[] = [];
  let taken = 0;
  const parser = createParser({ ...parserOptions(options), onEvent: (event) => ready.push(event) });
  const input = openSource(source);
  /** The source has nothing more to give, or was let go of. */
  let over = false;

  async function step(): Promise<IteratorResult<KimiEvent>> {
    while (taken === ready.length && !over) {
      ready = [];
      taken = 0;
      try {
        const { done, value } = await input.next();
        if (over) break; // left while the read was pending
        over = done === true;
        if (done) parser.end(finishReasonOf(options));
        else parser.feed(value);
      } catch (error) {
        over = true;
        await input.cancel().catch(() => {}); // the first error is the one to tell
        throw error;
      }
    }
    const value = ready[taken++];
    return value === undefined ? { done: true, value } : { done: false, value };
  }

  /** Steps are taken one after the other, also when they are asked for all at once. */
  let last: Promise<unknown> = Promise.resolve();
  return {
    next() {
      const result = last.then(step, step);
      last = result;
      return result;
    },
    async return() {
      const isOpen = !over;
      over = true;
      ready = [];
      if (isOpen) await input.cancel();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

interface Source {
  next(): Promise<IteratorResult<string>>;
  cancel(): Promise<unknown>;
}

/** A stream is read by its reader: that can be cancelled while a read is pending, and is in every browser. */
function openSource(source: AsyncIterable<string> | ReadableStream<string>): Source {
  if (typeof source === 'object' && source !== null && 'getReader' in source) {
    const reader = source.getReader();
    return {
      async next() {
        const { done, value } = await reader.read();
        if (done) reader.releaseLock();
        return done ? { done, value: undefined } : { done, value };
      },
      cancel: () => reader.cancel().finally(() => reader.releaseLock()),
    };
  }
  const isIterable = typeof source === 'object' && source !== null && Symbol.asyncIterator in source;
  expectOption(isIterable, 'source', 'an async iterable or a ReadableStream of text', source);
  const iterator = source[Symbol.asyncIterator]();
  return { next: () => iterator.next(), cancel: async () => iterator.return?.() };
}
