import type { KimiTurn } from '@kimi-tc/core';
import { collectTurn, type KimiExtra } from '@kimi-tc/openai';
import type { OpenAIClient } from '@langchain/openai';
import type { KimiMetadata } from './kimi-metadata.ts';
import type { WireUsage } from './to-usage.ts';

export type WireCompletion = OpenAIClient.Chat.Completions.ChatCompletion;
export type WireChoice = WireCompletion['choices'][number];
export type WireChunk = OpenAIClient.Chat.Completions.ChatCompletionChunk;
export type WireChunkChoice = WireChunk['choices'][number];

/** Fields that the SDK has no types for. */
interface WireFields {
  reasoning_content?: string | null;
  reasoning?: string | null;
}

export function reasoningOf(delta: object | null | undefined): string {
  const { reasoning_content, reasoning } = (delta ?? {}) as WireFields;
  return reasoning_content || reasoning || '';
}

export function extraOf(choice: object): KimiExtra {
  return (choice as { x_kimi?: KimiExtra }).x_kimi ?? {};
}

/** Some servers put the usage on the choice. */
export function usageOf({ usage, choices }: WireChunk | WireCompletion): WireUsage | undefined {
  const ofChoice = choices?.[0] as { usage?: WireUsage | null } | undefined;
  return usage ?? ofChoice?.usage ?? undefined;
}

/** A choice of a completion as a turn: it is read as the one chunk that it could have come in. */
export async function readChoice(choice: WireChoice): Promise<KimiTurn> {
  const { message, ...rest } = choice;
  // Some servers leave it out.
  const calls = message?.tool_calls ?? [];
  async function* asChunk(): AsyncGenerator<{ choices: [{ index: number; delta: object }] }> {
    const delta = { ...message, tool_calls: calls.map((call, index) => ({ ...call, index })) };
    yield { choices: [{ ...rest, index: 0, delta }] };
  }
  return await collectTurn(asChunk());
}

/** What the last chunk of a choice says about the calls of the whole, in the words of `response_metadata`. */
export function toKimiMetadata(extra: KimiExtra): KimiMetadata | undefined {
  const { problems = [], tool_calls = [], incomplete_tool_calls = [], finish_reason } = extra;
  const incomplete = new Set(incomplete_tool_calls.map(({ index }) => index));
  const rewritten = tool_calls.filter(({ index }) => !incomplete.has(index));
  const metadata: KimiMetadata = {
    ...(problems.length > 0 && { problems }),
    ...(rewritten.length > 0 && {
      toolCallIds: Object.fromEntries(rewritten.map(({ id, raw_id }) => [id, raw_id])),
    }),
    ...(incomplete_tool_calls.length > 0 && {
      incompleteToolCalls: incomplete_tool_calls.map(({ id, name, reason }) => ({ id, name, reason })),
    }),
    ...(finish_reason !== undefined && { finishReason: finish_reason }),
  };
  return Object.keys(metadata).length > 0 ? metadata : undefined;
}
