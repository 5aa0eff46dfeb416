import type { BaseMessage, InvalidToolCall } from '@langchain/core/messages';
import type { KimiMetadata } from './kimi-metadata.ts';

const REASONS: Partial<Record<string, string>> = {
  'invalid-arguments': 'its arguments are not a JSON object',
  'truncated-call': 'it broke off before its arguments were complete',
  'unresolved-tool': 'it does not say which tool it is for',
};

/** Why a call of a reply must not run, as the end of a sentence. */
export function whyInvalid({ id, error }: InvalidToolCall, { response_metadata }: BaseMessage): string {
  const { incompleteToolCalls = [] }: KimiMetadata = response_metadata.kimi ?? {};
  const reason = incompleteToolCalls.find((call) => call.id === id)?.reason ?? error;
  return REASONS[reason ?? ''] ?? 'it is not a well-formed tool call';
}
