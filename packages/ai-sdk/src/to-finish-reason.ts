import { InvalidResponseDataError, type LanguageModelV4FinishReason } from '@ai-sdk/provider';
import type { FinishReason } from '@kimi-tc/core';

const WORDS: Partial<Record<LanguageModelV4FinishReason['unified'], string>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
  error: 'error',
};

/** Whether this is how a model says, in a stream, that the server gave no finish reason: the finish follows. */
export function isMissingFinish(error: unknown): boolean {
  return InvalidResponseDataError.isInstance(error) && error.data === undefined;
}

/**
 * The word of an OpenAI-compatible server for what a wrapped model says; `undefined`: it got none. A reply
 * that failed has none either: a call that had no arguments yet was cut, and is not one without any.
 */
export function toFinishWord({ unified, raw }: LanguageModelV4FinishReason): string | undefined {
  const unsaid = unified === 'interrupted' || (unified === 'error' && raw === undefined);
  return unsaid ? undefined : (WORDS[unified] ?? raw);
}

/**
 * The finish reason of a repaired reply: what was found out, with the wrapped model's own raw word. A
 * reply that the wrapped model calls failed stays so, and none of its calls run. A server's word `error`
 * that the model passes on gives way to a complete call, as others do (ruling 35).
 */
export function toFinishReason(
  found: FinishReason,
  said: LanguageModelV4FinishReason,
): LanguageModelV4FinishReason {
  const { raw } = said;
  if (said.unified === 'error') return said;
  const interrupted = said.unified === 'interrupted' && found.unified !== 'tool-calls';
  return { unified: interrupted ? 'interrupted' : found.unified, raw };
}
