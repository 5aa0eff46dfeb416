import { CUT_ARGUMENTS_SEAL } from '@kimi-tc/core';
import { extraOf, type WireChunk, type WireChunkChoice } from './wire-reply.ts';

type CallDelta = NonNullable<WireChunkChoice['delta']['tool_calls']>[number];

/**
 * Makes sure that a client which puts calls together from the chunks never takes one for complete that
 * must not run: the fetch has sealed the arguments of calls that were given up; here those that are no
 * JSON object are, and the calls that were given up before they started are sent. All of that is known
 * by, and added to, the last chunk.
 * Choices but the first are left out: a stream is one message.
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
    const calls = delta.tool_calls ?? [];
    for (const { index } of calls) next = Math.max(next, index + 1);
    const seals = toSeals(choice, next);
    if (seals.length === 0) yield chunk;
    else yield { ...chunk, choices: [{ ...choice, delta: { ...delta, tool_calls: [...calls, ...seals] } }] };
  }
}

function toSeals(choice: WireChunkChoice, next: number): CallDelta[] {
  const { problems = [], incomplete_tool_calls: incomplete = [] } = extraOf(choice);
  const invalid = problems.flatMap(({ code, index }) => (code === 'invalid-arguments' ? [index] : []));
  return [
    ...[...new Set(invalid)].flatMap((index) =>
      index === undefined ? [] : [{ index, function: { arguments: CUT_ARGUMENTS_SEAL } }],
    ),
    ...incomplete
      .filter(({ index }) => index === undefined)
      .map(({ id, name, arguments: args = '' }, at) => ({
        index: next + at,
        id,
        type: 'function' as const,
        function: { name, arguments: args + CUT_ARGUMENTS_SEAL },
      })),
  ];
}
