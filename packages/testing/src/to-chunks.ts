import type { CaseInput } from './case.ts';
import type { JsonObject } from './json.ts';

/**
 * The chunks of a case's input, for surfaces that take what a server streams; text deltas become chunks as a
 * server that parses nothing sends them.
 *
 * @throws Error for an input of another kind than `deltas` and `chunks`
 */
export function toChunks(input: CaseInput): readonly JsonObject[] {
  if (input.kind === 'chunks') return input.chunks;
  if (input.kind !== 'deltas') throw new Error(`no chunks in ${input.kind}`);
  const toChunk = (delta: JsonObject, finish_reason: string | null): JsonObject => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'kimi-k2',
    choices: [{ index: 0, delta, finish_reason }],
  });
  return [
    toChunk({ role: 'assistant', content: '' }, null),
    ...input.deltas.map(([channel, text]) =>
      toChunk({ [channel === 'reasoning' ? 'reasoning_content' : channel]: text }, null),
    ),
    ...(input.finishReason === null ? [] : [toChunk({}, input.finishReason)]),
  ];
}
