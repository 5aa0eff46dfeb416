import { AIMessageChunk, type ContentBlock } from '@langchain/core/messages';
import { isPart, toCallBlocks } from './block-translator.ts';
import { parseArguments } from './to-tool-calls.ts';
import { toUsageField } from './to-usage.ts';

/**
 * A chunk of a reply. Joined up to the last one it holds what the reply has when it is not streamed: with
 * `outputVersion: 'v1'` its content has whole calls, not pieces of them, and what must not run is not
 * among the raw calls of `additional_kwargs`.
 */
export class KimiMessageChunk extends AIMessageChunk {
  /** LangChain's, by which it loads the chunk again. */
  static override readonly name = 'AIMessageChunk';

  override concat(chunk: AIMessageChunk): this {
    const joined = super.concat(chunk);
    return isPart(joined) ? joined : (toWhole(joined) as this);
  }
}

function toWhole(joined: AIMessageChunk): AIMessageChunk {
  const { id, additional_kwargs, response_metadata, tool_call_chunks, usage_metadata } = joined;
  const { tool_calls = [], ...kwargs } = additional_kwargs;
  const raw = tool_calls.filter((call) => parseArguments(call.function.arguments));
  return new KimiMessageChunk({
    content: withCalls(joined),
    additional_kwargs: { ...kwargs, ...(raw.length > 0 && { tool_calls: raw }) },
    response_metadata,
    ...(tool_call_chunks && { tool_call_chunks }),
    ...(id !== undefined && { id }),
    ...toUsageField(usage_metadata),
  });
}

function withCalls(message: AIMessageChunk): AIMessageChunk['content'] {
  const { content } = message;
  if (typeof content === 'string' || !content.some(isCall)) return content;
  const rest = content.filter((block) => !isCall(block));
  return [...rest, ...toCallBlocks(message)] as AIMessageChunk['content'];
}

/** The last part has calls that were given up before they started as a whole. */
function isCall({ type }: ContentBlock): boolean {
  return type === 'tool_call_chunk' || type === 'tool_call' || type === 'invalid_tool_call';
}
