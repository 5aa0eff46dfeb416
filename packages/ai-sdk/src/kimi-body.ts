import type { JSONObject, SharedV4Warning } from '@ai-sdk/provider';
import { normalizeToolSchema } from '@kimi-tc/core';
import type { KimiLanguageModelOptions } from './kimi-call-options.ts';
import { addWarning } from './request-warnings.ts';

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
 * @param warnings gets what was given up
 */
export function toKimiBody(
  body: Body,
  endpoint: 'moonshot' | 'self-hosted' | 'router',
  prefill: boolean,
  warnings: SharedV4Warning[],
): Body {
  if (endpoint === 'self-hosted') return prefill ? { ...body, ...CONTINUE } : body;
  const written = { ...body, response_format: toResponseFormat(body.response_format, warnings) };
  return endpoint === 'moonshot' ? renameTokenLimit(written) : written;
}

function renameTokenLimit({ max_tokens, ...body }: Body): Body {
  return max_tokens === undefined ? body : { ...body, max_completion_tokens: max_tokens };
}

/** Schemas of answers are checked as those of tools are. */
function toResponseFormat(format: unknown, warnings: SharedV4Warning[]): unknown {
  const { json_schema } = Object(format) as { json_schema?: { schema?: unknown } };
  if (json_schema?.schema === undefined) return format;
  const { schema, problems } = normalizeToolSchema(json_schema.schema);
  for (const { path, ...problem } of problems)
    addWarning(warnings, { ...problem, path: `/response_format${path}` });
  return { ...(format as object), json_schema: { ...json_schema, schema } };
}
