import type { KimiTurn } from '@kimi-tc/core';
import { AIMessage, type UsageMetadata } from '@langchain/core/messages';
import { MODEL_PROVIDER, toResponseMetadata } from './kimi-metadata.ts';
import { parseArguments, toToolCalls } from './to-tool-calls.ts';
import { toUsageField } from './to-usage.ts';

/** What a message has besides the turn itself. */
export interface MessageFields {
  id?: string | undefined;
  name?: string | undefined;
  /** In place of the turn's text. */
  content?: AIMessage['content'] | undefined;
  usage_metadata?: UsageMetadata | undefined;
  additional_kwargs?: Record<string, unknown> | undefined;
  response_metadata?: Record<string, unknown> | undefined;
}

/** A whole turn as a message. The raw calls stay in `additional_kwargs.tool_calls`, as LangChain has them. */
export function toAIMessage(turn: KimiTurn, fields: MessageFields = {}): AIMessage {
  const { id, name, content = turn.content, usage_metadata, additional_kwargs, response_metadata } = fields;
  const raw = turn.toolCalls.filter((call) => parseArguments(call.arguments));
  return new AIMessage({
    content,
    ...toToolCalls(turn),
    additional_kwargs: {
      ...additional_kwargs,
      ...(turn.reasoning !== '' && { reasoning_content: turn.reasoning }),
      ...(raw.length > 0 && {
        tool_calls: raw.map((call, index) => ({
          index,
          id: call.id,
          type: 'function' as const,
          function: { name: call.name, arguments: call.arguments },
        })),
      }),
    },
    response_metadata: {
      ...response_metadata,
      model_provider: MODEL_PROVIDER,
      ...toResponseMetadata(turn),
    },
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...toUsageField(usage_metadata),
  });
}
