import type { KimiTurn, Problem, ProblemCode } from '@kimi-tc/core';

/**
 * What stands in `response_metadata.kimi` of a message, and of the last chunk of a stream. Each field is
 * absent when there is nothing to say, and so is the whole.
 */
export interface KimiMetadata {
  /** All that was wrong in the reply, in the order it was found. */
  problems?: Problem[];
  /** From a call's id to the one the model or server wrote, where they differ; empty if it wrote none. */
  toolCallIds?: Record<string, string>;
  /** Calls that were begun and must not run, in order, and why. Their texts are in `invalid_tool_calls`. */
  incompleteToolCalls?: { id: string; name: string; reason: ProblemCode }[];
  /** The server's own finish reason where it is another word than `finish_reason`; `null`: it gave none. */
  finishReason?: string | null;
}

/** How LangChain knows where a message comes from; the key of its content block translator. */
export const MODEL_PROVIDER = 'kimi';

/** The finish reason of a turn in the words of the OpenAI API. */
export function toFinishWord({ finishReason: { unified, raw } }: KimiTurn): string {
  return unified === 'other' ? (raw ?? 'stop') : unified.replace('-', '_');
}

/** What there is to say about a turn, as `response_metadata` has it. */
export function toResponseMetadata(turn: KimiTurn): Record<string, unknown> {
  const finish_reason = toFinishWord(turn);
  const { raw } = turn.finishReason;
  const rewritten = turn.toolCalls.filter(({ id, rawId }) => id !== rawId);
  const kimi: KimiMetadata = {
    ...(turn.problems.length > 0 && { problems: turn.problems }),
    ...(rewritten.length > 0 && {
      toolCallIds: Object.fromEntries(rewritten.map(({ id, rawId }) => [id, rawId])),
    }),
    ...(turn.incompleteToolCalls.length > 0 && {
      incompleteToolCalls: turn.incompleteToolCalls.map(({ id, name, reason }) => ({ id, name, reason })),
    }),
    ...(raw !== finish_reason && { finishReason: raw ?? null }),
  };
  return { finish_reason, ...(Object.keys(kimi).length > 0 && { kimi }) };
}
