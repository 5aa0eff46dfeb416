import {
  type AIMessage,
  AIMessageChunk,
  type ContentBlock,
  type MessageContent,
} from '@langchain/core/messages';
import { MODEL_PROVIDER } from './kimi-metadata.ts';

type Block = ContentBlock | ContentBlock.Standard;

interface Translator {
  translateContent(message: AIMessage): Block[];
  translateContentChunk(message: AIMessageChunk): Block[];
}

/** What LangChain's own providers are registered in; it looks a message's `model_provider` up here. */
interface Registry {
  lc_block_translators_registry?: Map<string, Translator>;
}

/**
 * Lets `contentBlocks` of messages from this package hold their reasoning and their invalid calls.
 * LangChain has no public way in. Called by constructors, so that importing this package does nothing.
 */
export function registerBlockTranslator(): void {
  const registry = (globalThis as Registry).lc_block_translators_registry;
  if (!registry?.has(MODEL_PROVIDER))
    registry?.set(MODEL_PROVIDER, { translateContent: toBlocks, translateContentChunk: toBlocks });
}

/** LangChain calls it for chunks too, and for what chunks were joined to. */
function toBlocks(message: AIMessage | AIMessageChunk): Block[] {
  if (AIMessageChunk.isInstance(message) && isPart(message)) return toParts(message);
  const reasoning = reasoningOf(message);
  return [
    ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, reasoning }]),
    ...toTextBlocks(message.content),
    ...toCallBlocks(message),
  ];
}

/** The calls of a whole message, those that must not run last. */
export function toCallBlocks({
  tool_calls = [],
  invalid_tool_calls = [],
}: AIMessage | AIMessageChunk): Block[] {
  return [
    ...tool_calls.map(({ id, name, args }) => ({
      type: 'tool_call' as const,
      ...(id !== undefined && { id }),
      name,
      args,
    })),
    ...invalid_tool_calls.map((call) => ({ ...call, type: 'invalid_tool_call' as const })),
  ];
}

/**
 * A joined chunk has the finish reason, and all of its calls have names, if empty ones. The last part can have
 * seals, which have none.
 */
export function isPart({ response_metadata, tool_call_chunks = [] }: AIMessageChunk): boolean {
  return (
    response_metadata.finish_reason === undefined || tool_call_chunks.some(({ name }) => name === undefined)
  );
}

/** Parts say by `index` which block they go on with: reasoning 0, text 1, then the calls. */
function toParts(message: AIMessageChunk): Block[] {
  const reasoning = reasoningOf(message);
  return [
    ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, index: 0, reasoning }]),
    ...toTextBlocks(message.content).map((block) => (block.type === 'text' ? { index: 1, ...block } : block)),
    ...(message.tool_call_chunks ?? []).map((part) => ({
      ...part,
      type: 'tool_call_chunk' as const,
      index: 2 + (part.index ?? 0),
    })),
  ];
}

function reasoningOf({ additional_kwargs }: AIMessage | AIMessageChunk): string {
  const { reasoning_content } = additional_kwargs;
  return typeof reasoning_content === 'string' ? reasoning_content : '';
}

function toTextBlocks(content: MessageContent): Block[] {
  if (typeof content !== 'string') return content;
  return content === '' ? [] : [{ type: 'text', text: content }];
}
