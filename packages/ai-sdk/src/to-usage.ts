import type { JSONObject, LanguageModelV4Usage } from '@ai-sdk/provider';

/** Token counts of an OpenAI-compatible server, in the places where servers of Kimi put them. */
interface KimiUsage {
  prompt_tokens?: number | null | undefined;
  completion_tokens?: number | null | undefined;
  /** Moonshot's own place for them. */
  cached_tokens?: number | null | undefined;
  prompt_tokens_details?: { cached_tokens?: number | null | undefined } | null | undefined;
  completion_tokens_details?: { reasoning_tokens?: number | null | undefined } | null | undefined;
}

/** Counts that a server does not give are `undefined`, and not 0. */
export function toUsage(usage: KimiUsage | null | undefined): LanguageModelV4Usage {
  const { prompt_tokens, completion_tokens, cached_tokens } = usage ?? {};
  const input = prompt_tokens ?? undefined;
  const output = completion_tokens ?? undefined;
  const cached = usage?.prompt_tokens_details?.cached_tokens ?? cached_tokens ?? undefined;
  const reasoning = usage?.completion_tokens_details?.reasoning_tokens ?? undefined;
  return {
    inputTokens: { total: input, noCache: minus(input, cached), cacheRead: cached, cacheWrite: undefined },
    outputTokens: { total: output, text: minus(output, reasoning), reasoning },
    ...(usage && { raw: usage as unknown as JSONObject }),
  };
}

function minus(total: number | undefined, part: number | undefined): number | undefined {
  return total === undefined || part === undefined ? total : Math.max(0, total - part);
}
