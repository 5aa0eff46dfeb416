import { expect, test } from 'vitest';
import type { KimiEvent } from './events.ts';
import { KimiParserStream, parseStream } from './stream.ts';

const DELTAS = [
  'I look.<|tool_calls_sec',
  'tion_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a"',
  ':1}<|tool_call_end|>',
];
const TYPES = [
  'text-delta',
  'tool-call-start',
  'tool-call-delta',
  'tool-call-delta',
  'tool-call-end',
  'finish',
];

function source(
  deltas: readonly string[],
  onCancel: (reason: unknown) => void = () => {},
): ReadableStream<string> {
  const rest = [...deltas];
  return new ReadableStream<string>({
    pull(controller) {
      const next = rest.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(next);
    },
    cancel: onCancel,
  });
}

async function all<T>(events: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const event of events) list.push(event);
  return list;
}

const typesOf = (events: readonly KimiEvent[]) => events.map(({ type }) => type);

test('a transform stream turns deltas into events', async () => {
  const events = await all(source(DELTAS).pipeThrough(new KimiParserStream({ finishReason: 'stop' })));
  expect(typesOf(events)).toEqual(TYPES);
  expect(events.at(-1)).toEqual({ type: 'finish', finishReason: { unified: 'tool-calls', raw: 'stop' } });
});

test('an iterator does the same from a stream and from an iterable', async () => {
  async function* iterable() {
    yield* DELTAS;
  }
  expect(typesOf(await all(parseStream(source(DELTAS))))).toEqual(TYPES);
  expect(typesOf(await all(parseStream(iterable(), { finishReason: () => 'stop' })))).toEqual(TYPES);
});

test('a stream that is not iterable is read by its reader, and cancelled by leaving the loop', async () => {
  let reason: unknown = 'not cancelled';
  const stream = source([...DELTAS, 'more'], (given) => {
    reason = given;
  });
  const plain = { getReader: () => stream.getReader() } as ReadableStream<string>;
  for await (const event of parseStream(plain)) {
    if (event.type === 'tool-call-start') break;
  }
  expect(reason).toBeUndefined();
  expect(stream.locked).toBe(false);
});

test('a pending read does not keep anyone from leaving', async () => {
  let cancelled = false;
  const silent = new ReadableStream<string>({
    cancel() {
      cancelled = true;
    },
  });
  const events = parseStream(silent);
  const pending = events.next();
  await events.return?.();
  expect(cancelled).toBe(true);
  expect(await pending).toEqual({ done: true, value: undefined });
  expect(await events.next()).toEqual({ done: true, value: undefined });
});

test.each(['a stream', 'an iterable'])('the loop may be left at the last event of %s', async (kind) => {
  async function* iterable() {
    yield* DELTAS;
  }
  const events = parseStream(kind === 'a stream' ? source(DELTAS) : iterable());
  const seen: string[] = [];
  for await (const event of events) {
    seen.push(event.type);
    if (event.type === 'finish') break;
  }
  expect(seen).toEqual(TYPES);
  expect(await events.return?.()).toEqual({ done: true, value: undefined });
  expect(await events.next()).toEqual({ done: true, value: undefined });
});

test('a stream is cancelled once, however often it is left', async () => {
  let cancelled = 0;
  const open = new ReadableStream<string>({
    cancel() {
      cancelled++;
    },
  });
  const events = parseStream(open);
  await events.return?.();
  await events.return?.();
  expect(cancelled).toBe(1);
  expect(open.locked).toBe(false);
});

test('a source that failed is not kept locked', async () => {
  const failing = new ReadableStream<string>({
    pull(controller) {
      controller.error(new Error('connection lost'));
    },
  });
  await expect(all(parseStream(failing))).rejects.toThrow('connection lost');
  expect(failing.locked).toBe(false);
});

test('a source of something else than text is told, and let go of', async () => {
  let cancelled = false;
  const numbers = source([5 as never, 'more'], () => {
    cancelled = true;
  });
  await expect(all(parseStream(numbers))).rejects.toThrow(/delta: expected a string/);
  expect(cancelled).toBe(true);
});

test('events that are asked for all at once come in order', async () => {
  const events = parseStream(source(DELTAS));
  const results = await Promise.all(TYPES.map(() => events.next()));
  expect(results.map(({ value }) => value?.type)).toEqual(TYPES);
});

test('leaving the loop ends the iterable', async () => {
  let closed = false;
  async function* iterable() {
    try {
      yield* DELTAS;
    } finally {
      closed = true;
    }
  }
  for await (const _ of parseStream(iterable())) break;
  expect(closed).toBe(true);
});

test('an error of the source comes through, after the events in front of it', async () => {
  async function* failing() {
    yield 'Hello';
    throw new Error('connection lost');
  }
  const seen: KimiEvent[] = [];
  const reading = (async () => {
    for await (const event of parseStream(failing())) seen.push(event);
  })();
  await expect(reading).rejects.toThrow('connection lost');
  expect(seen).toEqual([{ type: 'text-delta', delta: 'Hello' }]);

  const broken = source(['Hello']).pipeThrough(
    new TransformStream<string, string>({
      flush() {
        throw new Error('connection lost');
      },
    }),
  );
  await expect(all(broken.pipeThrough(new KimiParserStream()))).rejects.toThrow('connection lost');
});

test('cancelling the events cancels the source', async () => {
  let cancelled = false;
  const events = source(DELTAS, () => {
    cancelled = true;
  }).pipeThrough(new KimiParserStream());
  const reader = events.getReader();
  await reader.read();
  await reader.cancel();
  expect(cancelled).toBe(true);
});

test('wrong options are refused at once', () => {
  expect(() => new KimiParserStream({ guidedJson: 'no' as unknown as boolean })).toThrow(/guidedJson/);
  expect(() => parseStream(source([]), { tools: 1 as never })).toThrow(/tools/);
  expect(() => new KimiParserStream(null as never)).toThrow(/options: expected an object/);
  expect(() => parseStream('abc' as never)).toThrow(/source: expected an async iterable/);
});
