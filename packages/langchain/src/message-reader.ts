import type { KimiParser } from '@kimi-tc/core';
import type { BaseMessage, ContentBlock } from '@langchain/core/messages';
import { reasoningOf } from './kimi-history.ts';
import { MODEL_PROVIDER } from './kimi-metadata.ts';
import { toCallPieces } from './to-call-pieces.ts';

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
