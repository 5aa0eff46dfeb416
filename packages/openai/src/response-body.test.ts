import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createChunkTransform } from './chunk-transform.ts';
import { toSseBody } from './response-body.ts';

const toEvent = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const toText = (...pieces: string[]) => pieces.map((content) => toEvent({ content }));

/** The deltas that leave for these reads of a server's. */
async function readDeltas(...reads: string[][]): Promise<unknown[]> {
  const body = ReadableStream.from(reads.map((events) => new TextEncoder().encode(events.join(''))));
  const transformed = toSseBody(body, createChunkTransform({}), () => undefined);
  const out: unknown[] = [];
  for await (const bytes of transformed) {
    const events = new TextDecoder().decode(bytes).match(/\{.*\}/g) ?? [];
    out.push(...events.map((json) => JSON.parse(json).choices[0].delta));
  }
  return out;
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

test('a reader that leaves is told nothing of how the stream ended', async () => {
  const problems: string[] = [];
  const source = new ReadableStream<Uint8Array>({
    start: (controller) =>
      controller.enqueue(new TextEncoder().encode(toEvent({ role: 'assistant', content: 'a' }))),
  });
  const transform = createChunkTransform({ onProblem: ({ code }) => problems.push(code) });
  const reader = toSseBody(source, transform, () => undefined).getReader();
  await reader.read();
  // The body reads on by itself, and waits.
  await setTimeout(0);
  await reader.cancel();
  await setTimeout(0);
  expect(problems).toEqual([]);
});
