import type { JSONObject } from '@ai-sdk/provider';
import type { KimiLanguageModelOptions } from './kimi-call-options.ts';

type Body = Record<string, unknown>;

/** The fields of `providerOptions.kimi` as they stand in a body, beside those that the model reads itself. */
export function toBodyFields(asked: KimiLanguageModelOptions): JSONObject {
  const { strictJsonSchema, promptCacheKey, safetyIdentifier, extraBody } = asked;
  return {
    ...extraBody,
    ...(strictJsonSchema !== undefined && { strictJsonSchema }),
    ...(promptCacheKey !== undefined && { prompt_cache_key: promptCacheKey }),
    ...(safetyIdentifier !== undefined && { safety_identifier: safetyIdentifier }),
  };
}

/** What engines take in place of `partial` (vLLM and SGLang). */
const CONTINUE = { continue_final_message: true, add_generation_prompt: false };

/**
 * The body of the OpenAI-compatible model in the words of the endpoint, as far as the fetch does not
 * see to it.
 *
 * @param prefill the last message is to be continued
 */
export function toKimiBody(
  body: Body,
  endpoint: 'moonshot' | 'self-hosted' | 'router',
  prefill: boolean,
): Body {
  if (endpoint === 'self-hosted') return prefill ? { ...body, ...CONTINUE } : body;
  return endpoint === 'moonshot' ? renameTokenLimit(body) : body;
}

function renameTokenLimit({ max_tokens, ...body }: Body): Body {
  return max_tokens === undefined ? body : { ...body, max_completion_tokens: max_tokens };
}
