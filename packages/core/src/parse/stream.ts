import { expectOption } from '../kimi-error.ts';
import type { KimiEvent } from './events.ts';
import { createParser, type ParserOptions } from './parser.ts';

/** `finishReason`: the server's word, or a function asked for it when the text is over. Default: none. */
export interface StreamOptions extends ParserOptions {
  finishReason?: string | null | (() => string | null | undefined) | undefined;
}

function parserOptions(options: StreamOptions): ParserOptions {
  expectOption(typeof options === 'object' && options !== null, 'options', 'an object', options);
  const { finishReason: _, ...rest } = options;
  return rest;
}

function isSource(source: unknown): boolean {
  return (
    typeof source === 'object' && source !== null && (Symbol.asyncIterator in source || 'getReader' in source)
  );
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
 * Events of one reply, as the text arrives. Leaving the loop cancels the source; an error of the
 * source is thrown from the loop, after the events in front of it.
 * @throws KimiError naming the option that is wrong
 */
export async function* parseStream(
  source: AsyncIterable<string> | ReadableStream<string>,
  options: StreamOptions = {},
): AsyncGenerator<KimiEvent, void, undefined> {
  const rest = parserOptions(options);
  expectOption(isSource(source), 'source', 'an async iterable or a ReadableStream of text', source);
  let events: KimiEvent[] = [];
  const parser = createParser({ ...rest, onEvent: (event) => events.push(event) });
  function* take(): Generator<KimiEvent> {
    const ready = events;
    events = [];
    yield* ready;
  }
  for await (const delta of toIterable(source)) {
    parser.feed(delta);
    yield* take();
  }
  parser.end(finishReasonOf(options));
  yield* take();
}

/** Web streams are not async iterable in every browser. */
async function* toIterable(source: AsyncIterable<string> | ReadableStream<string>): AsyncGenerator<string> {
  if (Symbol.asyncIterator in source) {
    yield* source;
    return;
  }
  const reader = (source as ReadableStream<string>).getReader();
  let done = false;
  try {
    for (let next = await reader.read(); ; next = await reader.read()) {
      done = next.done;
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    done = true;
    throw error;
  } finally {
    if (!done) await reader.cancel();
    reader.releaseLock();
  }
}
