import type { UsageMetadata } from '@langchain/core/messages';
import type { ChatGeneration, ChatResult } from '@langchain/core/outputs';
import { createMessageId } from './message-id.ts';
import { toAIMessage } from './to-ai-message.ts';
import { toUsage } from './to-usage.ts';
import { toWireError } from './wire-error.ts';
import { readChoice, usageOf, type WireChoice, type WireCompletion } from './wire-reply.ts';

/** A completion as LangChain has it: one generation for each choice. */
export async function toChatResult(completion: WireCompletion): Promise<ChatResult> {
  if (!completion?.choices?.length) throw toWireError(completion);
  const usage = usageOf(completion);
  const usage_metadata = usage && toUsage(usage);
  const generations = await Promise.all(
    completion.choices.map((choice) => toGeneration(choice, completion, usage_metadata)),
  );
  if (!usage_metadata) return { generations };
  const { input_tokens, output_tokens, total_tokens } = usage_metadata;
  return {
    generations,
    llmOutput: {
      tokenUsage: { promptTokens: input_tokens, completionTokens: output_tokens, totalTokens: total_tokens },
    },
  };
}

async function toGeneration(
  choice: WireChoice,
  { id, model, system_fingerprint, usage }: WireCompletion,
  usage_metadata: UsageMetadata | undefined,
): Promise<ChatGeneration> {
  const { finish_reason, logprobs, message } = choice;
  const { content, parsed } = (message ?? {}) as { content?: string | null; parsed?: unknown };
  return {
    text: content ?? '',
    message: toAIMessage(await readChoice(choice), {
      id: createMessageId(),
      usage_metadata,
      // Where a reply is asked for by schema the SDK has parsed it.
      additional_kwargs: parsed === undefined || parsed === null ? {} : { parsed },
      response_metadata: {
        model,
        model_name: model,
        ...(id && { response_id: id }),
        ...(system_fingerprint && { system_fingerprint }),
        ...(usage && { usage }),
      },
    }),
    generationInfo: { finish_reason, ...(logprobs && { logprobs }) },
  };
}
