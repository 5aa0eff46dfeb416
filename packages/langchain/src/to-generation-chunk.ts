import { ChatGenerationChunk } from '@langchain/core/outputs';
import { toMessageChunk } from './to-message-chunk.ts';
import { toUsage, type WireUsage } from './to-usage.ts';
import { extraOf, reasoningOf, toKimiMetadata, type WireChunk, type WireChunkChoice } from './wire-reply.ts';

/** A chunk of the wire as LangChain has it; `undefined` if it has no choice. */
export function toGenerationChunk(chunk: WireChunk, id: string): ChatGenerationChunk | undefined {
  const [choice] = chunk.choices ?? [];
  if (!choice) return undefined;
  const content = choice.delta?.content ?? '';
  const generationInfo = toGenerationInfo(choice);
  return new ChatGenerationChunk({
    text: content,
    message: toMessageChunk({
      id,
      content,
      reasoning: reasoningOf(choice.delta),
      calls: (choice.delta?.tool_calls ?? []).map((call) => ({
        index: call.index,
        id: call.id,
        name: call.function?.name,
        args: call.function?.arguments ?? '',
      })),
      response_metadata: choice.finish_reason ? toFinishMetadata(chunk, choice) : undefined,
    }),
    ...(generationInfo && { generationInfo }),
  });
}

/** The usage comes once and last, as LangChain adds up what it finds. */
export function toUsageChunk(usage: WireUsage, id: string): ChatGenerationChunk {
  const message = toMessageChunk({ id, usage_metadata: toUsage(usage), response_metadata: { usage } });
  return new ChatGenerationChunk({ text: '', message });
}

function toGenerationInfo({ finish_reason, logprobs }: WireChunkChoice): Record<string, unknown> | undefined {
  if (!finish_reason && !logprobs) return undefined;
  return { ...(finish_reason && { finish_reason }), ...(logprobs && { logprobs }) };
}

/** Comes once, as LangChain joins the strings of all chunks. */
export function toFinishMetadata(chunk: WireChunk, choice: WireChunkChoice): Record<string, unknown> {
  const kimi = toKimiMetadata(extraOf(choice));
  return {
    model: chunk.model,
    model_name: chunk.model,
    finish_reason: choice.finish_reason,
    ...(chunk.id && { response_id: chunk.id }),
    ...(chunk.system_fingerprint && { system_fingerprint: chunk.system_fingerprint }),
    ...(kimi && { kimi }),
  };
}
