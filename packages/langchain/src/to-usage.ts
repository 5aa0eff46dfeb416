import type { AIMessageFields, UsageMetadata } from '@langchain/core/messages';

/** Token counts of an OpenAI-compatible server, in the places where servers of Kimi put them. */
export interface WireUsage {
  prompt_tokens?: number | null | undefined;
  completion_tokens?: number | null | undefined;
  total_tokens?: number | null | undefined;
  /** Moonshot's own place for them. */
  cached_tokens?: number | null | undefined;
  prompt_tokens_details?: { cached_tokens?: number | null | undefined } | null | undefined;
  completion_tokens_details?: { reasoning_tokens?: number | null | undefined } | null | undefined;
}

export function toUsage(usage: WireUsage): UsageMetadata {
  const input_tokens = usage.prompt_tokens ?? 0;
  const output_tokens = usage.completion_tokens ?? 0;
  const cached = cachedOf(usage);
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? undefined;
  return {
    input_tokens,
    output_tokens,
    total_tokens: usage.total_tokens ?? input_tokens + output_tokens,
    ...(cached !== undefined && { input_token_details: { cache_read: cached } }),
    ...(reasoning !== undefined && { output_token_details: { reasoning } }),
  };
}

/** With the cached tokens where the OpenAI API has them, for readers that know only that. */
export function withStandardDetails<Usage extends WireUsage>(usage: Usage): Usage {
  const cached = cachedOf(usage);
  if (cached === undefined || usage.prompt_tokens_details?.cached_tokens === cached) return usage;
  return { ...usage, prompt_tokens_details: { ...usage.prompt_tokens_details, cached_tokens: cached } };
}

function cachedOf({ prompt_tokens_details, cached_tokens }: WireUsage): number | undefined {
  return prompt_tokens_details?.cached_tokens ?? cached_tokens ?? undefined;
}

/** As a field for the constructors of messages, whose types have no usage when no structure is given. */
export function toUsageField(
  usage_metadata: UsageMetadata | undefined,
): Pick<AIMessageFields, 'usage_metadata'> {
  return usage_metadata ? ({ usage_metadata } as object) : {};
}
