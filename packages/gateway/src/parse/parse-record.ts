import { createParser, type KimiEvent, type ParserOptions } from '@kimi-tc/core';
import type { ReplyRecord } from './reply-record.ts';

/**
 * Plays one recorded reply through the parser. What the command line says comes before what the record says.
 *
 * @throws KimiError if the tools of the record are none
 */
export function parseRecord(
  record: ReplyRecord,
  options: ParserOptions & { readonly finishReason?: string | undefined },
  onEvent: (event: KimiEvent) => void,
): void {
  const { finishReason, ...own } = options;
  const { calls, reasoning, content } = record;
  const tools = (own.tools ?? record.tools) as ParserOptions['tools'];
  const parser = createParser({ ...own, model: own.model ?? record.model, tools, onEvent });
  // The calls first: of a whole message they win over the same calls leaked as text.
  for (const call of calls) parser.feedToolCall(call);
  parser.feed(reasoning, 'reasoning');
  parser.feed(content);
  const word = finishReason ?? record.finishReason;
  parser.end(word === undefined ? 'stop' : word);
}
