import type { BaseMessage, InvalidToolCall } from '@langchain/core/messages';
import type { KimiMetadata } from './kimi-metadata.ts';

const NO_OBJECT = 'its arguments are not a JSON object';

const REASONS: Partial<Record<string, string>> = {
  'invalid-arguments': NO_OBJECT,
  // LangChain's words, where it has put the call together from the parts of a stream.
  'Malformed args.': NO_OBJECT,
  'Failed to parse tool call arguments as JSON': NO_OBJECT,
  'truncated-call': 'it broke off before its arguments were complete',
  'unresolved-tool': 'it does not say which tool it is for',
};

/** Why a call of a reply must not run, as the end of a sentence. */
export function whyInvalid({ id, error }: InvalidToolCall, { response_metadata }: BaseMessage): string {
  const { incompleteToolCalls = [] }: KimiMetadata = response_metadata.kimi ?? {};
  const reason = incompleteToolCalls.find((call) => call.id === id)?.reason ?? error;
  return REASONS[reason ?? ''] ?? 'it is not a well-formed tool call';
}
