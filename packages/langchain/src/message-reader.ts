import { CUT_ARGUMENTS_SEAL, type KimiParser, type ToolCallPiece } from '@kimi-tc/core';
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  type ContentBlock,
  type InvalidToolCall,
} from '@langchain/core/messages';
import { reasoningOf } from './kimi-history.ts';
import { MODEL_PROVIDER } from './kimi-metadata.ts';
import { parseArguments } from './to-tool-calls.ts';

/** What a message says besides what the parser is for. */
export interface Rest {
  /** Images and the like. */
  blocks: ContentBlock[];
  finishReason: string | undefined;
  additional_kwargs: Record<string, unknown>;
  response_metadata: Record<string, unknown>;
}

/** Reads what is no text and no call of a message, or of a part of one. */
export function readRest(message: BaseMessage): Rest {
  const { content, additional_kwargs, response_metadata } = message;
  const { reasoning_content: _, tool_calls: __, ...kwargs } = additional_kwargs;
  const { finish_reason, output_version: ___, ...metadata } = response_metadata as Record<string, unknown>;
  return {
    blocks: typeof content === 'string' ? [] : content.filter(({ type }) => !READ_BLOCKS.has(type)),
    finishReason: typeof finish_reason === 'string' && finish_reason !== '' ? finish_reason : undefined,
    additional_kwargs: kwargs,
    response_metadata: metadata,
  };
}

const READ_BLOCKS: ReadonlySet<string> = new Set([
  'text',
  'reasoning',
  'thinking',
  'tool_call',
  'tool_call_chunk',
  'invalid_tool_call',
]);

/** A message of this package, or a part of one, needs no reading: what was given up must not come back. */
export function isRead({ response_metadata }: BaseMessage): boolean {
  return response_metadata.model_provider === MODEL_PROVIDER;
}

/** A whole message: the calls that the server parsed itself come first, so that they win. */
export function feedMessage(parser: KimiParser, message: BaseMessage): void {
  for (const piece of toCallPieces(message)) parser.feedToolCall(piece);
  feedTexts(parser, message);
}

/** A part of a message, which may have anything in any order. */
export function feedPart(parser: KimiParser, message: BaseMessage): void {
  feedTexts(parser, message);
  for (const piece of toCallPieces(message)) parser.feedToolCall(piece);
}

function feedTexts(parser: KimiParser, message: BaseMessage): void {
  const reasoning = reasoningOf(message);
  if (reasoning !== '') parser.feed(reasoning, 'reasoning');
  const text = textOf(message);
  if (text !== '') parser.feed(text);
}

function textOf({ content }: BaseMessage): string {
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? String(block.text ?? '') : '')).join('');
}

/** The calls of a message in the most exact form it has: JSON text before parsed arguments. */
function toCallPieces(message: BaseMessage): ToolCallPiece[] {
  if (!AIMessage.isInstance(message)) return [];
  const { tool_calls = [], invalid_tool_calls = [], additional_kwargs } = message;
  const parts = AIMessageChunk.isInstance(message) ? (message.tool_call_chunks ?? []) : [];
  if (parts.length > 0) {
    return parts.map(({ index, id, name, args }) => ({ index, id, name, arguments: args }));
  }
  const raw = additional_kwargs.tool_calls ?? [];
  if (raw.length > 0) {
    return raw.map(({ index: own, id, function: { name, arguments: args } }, at) => ({
      index: own ?? at,
      id,
      name,
      arguments: args,
    }));
  }
  return [...tool_calls, ...invalid_tool_calls.map(toSealed)].map(({ id, name, args }, index) => ({
    index,
    id,
    name,
    arguments: args,
  }));
}

/** Arguments that can be mended are read anew; of a call that is invalid although they are whole, none may run. */
function toSealed(call: InvalidToolCall): InvalidToolCall {
  const { args = '' } = call;
  return parseArguments(args) ? { ...call, args: args + CUT_ARGUMENTS_SEAL } : call;
}
