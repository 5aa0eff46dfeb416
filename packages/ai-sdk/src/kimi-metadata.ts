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
  /** The id as the model or server wrote it; empty if it wrote none, or the call was given up before it began. */
  toolCallId: string;
  /** The call was begun and must not run; why. Absent for a complete call. */
  incomplete?: ProblemCode;
}

/**
 * What is known of a call, added to what the wrapped model says of it. One that reads replies itself has an
 * entry already: it saw what the server sent, so its words stay.
 */
export function addToCall(
  metadata: SharedV4ProviderMetadata | undefined,
  call: KimiToolCallMetadata,
): SharedV4ProviderMetadata {
  return { ...metadata, kimi: { ...toJson(call), ...metadata?.kimi } };
}

/** Whether the wrapped model, which then reads replies itself, has given the call up. */
export function isGivenUp(metadata: SharedV4ProviderMetadata | undefined): boolean {
  return (metadata?.kimi as Partial<KimiToolCallMetadata> | undefined)?.incomplete !== undefined;
}

/**
 * The problems of a reply, added to what the wrapped model says of it. One that reads replies itself may have
 * told of some: of those kinds none is added.
 */
export function addProblems(
  metadata: SharedV4ProviderMetadata | undefined,
  found: readonly Problem[],
): SharedV4ProviderMetadata | undefined {
  const { problems } = (metadata?.kimi ?? {}) as KimiMetadata;
  const told = Array.isArray(problems) ? problems : [];
  const more = found.filter(({ code }) => !told.some((problem) => problem.code === code));
  if (more.length === 0) return metadata;
  return { ...metadata, kimi: { ...metadata?.kimi, ...toJson({ problems: [...told, ...more] }) } };
}

/** It is plain JSON; interfaces just have no index signature. */
function toJson(kimi: KimiMetadata | KimiToolCallMetadata): JSONObject {
  return kimi as unknown as JSONObject;
}
