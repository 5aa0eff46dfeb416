import { CANCEL } from './to-message-chunk.ts';
import { extraOf, type WireChunk, type WireChunkChoice } from './wire-reply.ts';

type CallDelta = NonNullable<WireChunkChoice['delta']['tool_calls']>[number];

/**
 * Makes sure that a client which puts calls together from the chunks never takes one for complete that
 * must not run: ends arguments that are no JSON object with CANCEL, as those of cut calls are on the wire
 * already, and sends the calls that were given up before they started. All of that is known, and added
 * to, the last chunk. Choices but the first are left out: a stream is one message.
 */
export async function* sealCalls(chunks: AsyncIterable<WireChunk>): AsyncGenerator<WireChunk> {
  let next = 0;
  for await (const chunk of chunks) {
    const [choice] = chunk.choices ?? [];
    if (!choice) {
      yield chunk;
      continue;
    }
    if (choice.index > 0) continue;
    const delta = choice.delta ?? {};
    for (const { index } of delta.tool_calls ?? []) next = Math.max(next, index + 1);
    const seals = toSeals(choice, next);
    yield seals.length === 0
      ? chunk
      : {
          ...chunk,
          choices: [{ ...choice, delta: { ...delta, tool_calls: [...(delta.tool_calls ?? []), ...seals] } }],
        };
  }
}

function toSeals(choice: WireChunkChoice, next: number): CallDelta[] {
  const { problems = [], incomplete_tool_calls: incomplete = [] } = extraOf(choice);
  const started = incomplete.map(({ index }) => index);
  const invalid = new Set(
    problems.flatMap(({ code, index }) =>
      code === 'invalid-arguments' && index !== undefined ? [index] : [],
    ),
  );
  return [
    ...[...invalid]
      .filter((index) => !started.includes(index))
      .map((index) => ({ index, function: { arguments: CANCEL } })),
    ...incomplete
      .filter(({ index }) => index === undefined)
      .map(({ id, name, arguments: args = '' }, at) => ({
        index: next + at,
        id,
        type: 'function' as const,
        function: { name, arguments: args + CANCEL },
      })),
  ];
}
