import type { AIMessageChunk, UsageMetadata } from '@langchain/core/messages';
import type { ToolCallChunk } from '@langchain/core/messages/tool';
import { KimiMessageChunk } from './kimi-message-chunk.ts';
import { MODEL_PROVIDER } from './kimi-metadata.ts';
import { toUsageField } from './to-usage.ts';

/** A piece of a call; the first one of a call has `id` and the whole `name`. */
export interface ToolCallPart {
  /** Position among the calls that were begun. */
  index: number;
  id?: string | undefined;
  name?: string | undefined;
  args: string;
}

/** What is new in a chunk. */
export interface ChunkFields {
  id?: string | undefined;
  name?: string | undefined;
  content?: AIMessageChunk['content'] | undefined;
  reasoning?: string | undefined;
  calls?: readonly ToolCallPart[] | undefined;
  usage_metadata?: UsageMetadata | undefined;
  additional_kwargs?: Record<string, unknown> | undefined;
  /** LangChain joins the strings and adds the numbers in it: everything but the provider comes once. */
  response_metadata?: Record<string, unknown> | undefined;
}

export function toMessageChunk(fields: ChunkFields): AIMessageChunk {
  const { id, name, content = '', reasoning = '', calls = [], usage_metadata } = fields;
  return new KimiMessageChunk({
    content,
    additional_kwargs: {
      ...fields.additional_kwargs,
      ...(reasoning !== '' && { reasoning_content: reasoning }),
      ...(calls.length > 0 && { tool_calls: calls.map(toRawCall) }),
    },
    tool_call_chunks: calls.map(toToolCallChunk),
    response_metadata: { ...fields.response_metadata, model_provider: MODEL_PROVIDER },
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...toUsageField(usage_metadata),
  });
}

function toToolCallChunk({ index, id, name, args }: ToolCallPart): ToolCallChunk {
  return {
    type: 'tool_call_chunk',
    index,
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    args,
  };
}

interface RawCall {
  index: number;
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** LangChain merges these by `index`, field by field; the type wants what only the first piece has. */
function toRawCall({ index, id, name, args }: ToolCallPart): RawCall {
  return {
    index,
    ...(id !== undefined && { id, type: 'function' }),
    function: { ...(name !== undefined && { name }), arguments: args },
  } as RawCall;
}
