import type { JSONObject, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type { Problem, ProblemCode } from '@kimi-tc/core';

/**
 * What stands in `providerMetadata.kimi` of a reply: of `generateText`'s result, and of a stream's
 * finish. A field is absent when there is nothing to say.
 */
export interface KimiMetadata {
  /** All that was wrong in the reply, in the order it was found. */
  problems?: Problem[];
}

/**
 * What stands in `providerMetadata.kimi` of a tool call. The AI SDK hands it back as
 * `providerOptions.kimi` in later steps, and as `callProviderMetadata.kimi` in UI messages.
 */
export interface KimiToolCallMetadata {
  /** The id as the model or server wrote it; empty if it wrote none. */
  toolCallId: string;
  /** The call was begun and must not run; why. Absent for a complete call. */
  incomplete?: ProblemCode;
}

/** Metadata with a `kimi` entry added to that of the wrapped model, if there is anything to add. */
export function addKimiMetadata(
  metadata: SharedV4ProviderMetadata | undefined,
  kimi: KimiMetadata | KimiToolCallMetadata,
): SharedV4ProviderMetadata | undefined {
  if (Object.keys(kimi).length === 0) return metadata;
  // Both are plain JSON; interfaces just have no index signature.
  return { ...metadata, kimi: { ...metadata?.kimi, ...(kimi as unknown as JSONObject) } };
}

export function toKimiMetadata(problems: readonly Problem[]): KimiMetadata {
  return problems.length > 0 ? { problems: [...problems] } : {};
}
