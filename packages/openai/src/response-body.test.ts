import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createChunkTransform } from './chunk-transform.ts';
import type { KimiChunkDelta } from './kimi-chunk.ts';
import { toJsonBody, toSseBody } from './response-body.ts';
import { createSseWriter } from './sse-writer.ts';

const toEvent = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const toText = (...pieces: string[]) => pieces.map((content) => toEvent({ content }));

/** What leaves for these reads of a server's. */
async function readAll(reads: readonly Uint8Array[]): Promise<string> {
  const transformed = toSseBody(
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const bytes of reads) controller.enqueue(bytes);
        controller.close();
      },
    }),
    createSseWriter(createChunkTransform({})),
    () => undefined,
  );
  return new Response(transformed).text();
}

/** The deltas that leave for these reads of a server's. */
async function readDeltas(...reads: string[][]): Promise<KimiChunkDelta[]> {
  const out = await readAll(reads.map((events) => new TextEncoder().encode(events.join(''))));
  return (out.match(/\{.*\}/g) ?? []).map((json) => JSON.parse(json).choices[0].delta);
}

test('what is made of the text of one read leaves in one chunk for each field and call', async () => {
  const role = { role: 'assistant', content: '' };
  const [call, args] = ['<|tool_call_begin|>', '<|tool_call_argument_begin|>'];
  const deltas = await readDeltas(
    [toEvent(role), ...toText('I ', 'will', ' look.')],
    toText(' Now', '.', '<|tool_calls_section_begin|>', call, 'functions.f:0', args, '{"a', '":', ' "'),
    toText('b', '\\n', ' c', '"}', '<|tool_call_end|>', call, 'functions.g:1', args, '{', '}'),
    [...toText('<|tool_call_end|>', '<|tool_calls_section_end|>'), toEvent({}, 'stop'), 'data: [DONE]\n\n'],
  );
  const start = (index: number, name: string) => ({
    tool_calls: [
      { index, id: `functions.${name}:${index}`, type: 'function', function: { name, arguments: '' } },
    ],
  });
  const more = (index: number, text: string) => ({
    tool_calls: [{ index, function: { arguments: text } }],
  });
  expect(deltas).toEqual([
    role,
    ...['I ', 'will', ' look.', ' Now', '.'].map((content) => ({ content })),
    ...[start(0, 'f'), more(0, '{"a": "')],
    ...[more(0, 'b\\n c"}'), start(1, 'g'), more(1, '{}')],
    {},
  ]);
});

test('nothing is read before it is asked for', async () => {
  let pulls = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    pulls++;
    controller.enqueue(new TextEncoder().encode(toEvent({ role: 'assistant', content: 'a' })));
  };
  const lazy = () => new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
  toJsonBody(lazy(), {}, () => undefined);
  const reader = toSseBody(lazy(), createSseWriter(createChunkTransform({})), () => undefined).getReader();
  await setTimeout(0);
  expect(pulls).toBe(0);
  for (let read = 1; read <= 3; read++) {
    await reader.read();
    await setTimeout(0);
    expect(pulls).toBe(read);
  }
});

test('a reader that leaves is told nothing of how the stream ended', async () => {
  const problems: string[] = [];
  const source = new ReadableStream<Uint8Array>({
    start: (controller) =>
      controller.enqueue(new TextEncoder().encode(toEvent({ role: 'assistant', content: 'a' }))),
  });
  const transform = createChunkTransform({ onProblem: ({ code }) => problems.push(code) });
  const reader = toSseBody(source, createSseWriter(transform), () => undefined).getReader();
  await reader.read();
  const waiting = reader.read();
  await setTimeout(0);
  await reader.cancel();
  expect(await waiting).toEqual({ value: undefined, done: true });
  await setTimeout(0);
  expect(problems).toEqual([]);
});

test('what a callback throws breaks the body, and ends the server’s', async () => {
  let cancelled: unknown;
  const cut = '<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a":<|tool_calls_section_end|>';
  const source = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(toEvent({ content: cut }))),
    cancel: (reason) => {
      cancelled = reason;
    },
  });
  const transform = createChunkTransform({
    onProblem: () => {
      throw new Error('mine');
    },
  });
  const body = toSseBody(source, createSseWriter(transform), () => undefined);
  await expect(new Response(body).text()).rejects.toThrow('mine');
  expect(cancelled).toMatchObject({ message: 'mine' });
});

test('so does what it cannot keep', async () => {
  let cancelled: unknown;
  const source = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(toEvent({ content: 'a' }))),
    cancel: (reason) => {
      cancelled = reason;
    },
  });
  const settle = () => Promise.reject(new Error('store down'));
  const body = toSseBody(source, createSseWriter(createChunkTransform({})), settle);
  await expect(new Response(body).text()).rejects.toThrow('store down');
  expect(cancelled).toMatchObject({ message: 'store down' });
});

/** Stand for the bytes of one character, which some servers cut between two texts. */
const [HALF, OTHER_HALF] = ['\ue000', '\ue001'];

function toBytes(event: string): Uint8Array {
  const bytes = Buffer.from(event).toString('latin1');
  const cut = bytes.replaceAll('\xee\x80\x80', '\xe3\x81').replaceAll('\xee\x80\x81', '\x82');
  return Buffer.from(cut, 'latin1');
}

test('what leaves is the same however the bytes are cut into reads', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '',
      'a',
      ' b',
      '.',
      '<',
      '<|',
      '|>',
      '"',
      '\\',
      '\n',
      '日',
      '😀',
      '{',
      '}',
      '{"a":1}',
      '`',
      '\u0001',
      HALF,
      OTHER_HALF,
    ),
    fc.constantFrom(
      '<|tool_call_begin|>',
      '<|tool_call_argument_begin|>',
      '<|tool_call_end|>',
      'functions.f:0',
    ),
    fc.constantFrom('<|tool_calls_section_begin|>', '<|tool_calls_section_end|>', '<think>', '</think>'),
  );
  const text = (field: string) => (piece: string) => ({ [field]: piece });
  const call = (index: number, opens: boolean) => (args: string) => ({
    tool_calls: [
      {
        index,
        ...(opens && { id: `functions.f:${index}`, type: 'function' }),
        function: { ...(opens && { name: 'f' }), arguments: args },
      },
    ],
  });
  const said = fc.record({
    toDelta: fc.oneof(
      fc.constantFrom('content', 'content', 'reasoning_content').map(text),
      fc.tuple(fc.nat(1), fc.boolean()).map((of) => call(...of)),
    ),
    pieces: fc.array(piece, { minLength: 1, maxLength: 6 }),
  });
  const lengths = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.array(said, { maxLength: 12 }), lengths, async (all, cuts) => {
      const events = [
        toEvent({ role: 'assistant', content: '' }),
        ...all.flatMap(({ toDelta, pieces }) => pieces.map((one) => toEvent(toDelta(one)))),
        toEvent({}, 'stop'),
        'data: [DONE]\n\n',
      ];
      const bytes = toBytes(events.join(''));
      const reads: Uint8Array[] = [];
      for (let at = 0, turn = 0; at < bytes.length; at += reads.at(-1)?.length ?? 0)
        reads.push(bytes.slice(at, at + (cuts[turn++ % cuts.length] ?? 1)));
      const alone = events.map(toBytes);
      expect(fold(await readAll(reads))).toEqual(fold(await readAll(alone)));
    }),
  );
});

/** The chunks without the finish, texts that follow one another in one field as one; and how it ended. */
function fold(out: string): unknown[] {
  const chunks = (out.match(/\{.*\}/g) ?? []).map((json) => JSON.parse(json).choices[0]);
  const said: [string, string][] = [];
  for (const { delta } of chunks) {
    const { role: _, reasoning: __, ...fields } = delta as KimiChunkDelta;
    for (const [field, value] of Object.entries(fields)) {
      const [call] = Array.isArray(value) ? value : [];
      if (call?.id) said.push([`${call.index} ${call.id} ${call.function?.name}`, '']);
      const key = call ? String(call.index) : field;
      const text = String(call ? call.function?.arguments : value);
      const last = said.at(-1);
      if (last?.[0] === key) last[1] += text;
      else if (text !== '') said.push([key, text]);
    }
  }
  return [...said, ...chunks.filter((choice) => choice.finish_reason).map(({ x_kimi }) => x_kimi)];
}
