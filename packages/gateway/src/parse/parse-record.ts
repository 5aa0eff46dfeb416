import { createParser, type KimiEvent, type ParserOptions, resolveModel } from '@kimi-tc/core';
import type { TextOptions } from './parse-text.ts';
import type { ReplyRecord } from './reply-record.ts';

/**
 * Plays one recorded reply through the parser. What the command line says comes before what the record says, but
 * for the channel: fields that a record names are told apart by it, so that only raw text is read as the other.
 *
 * @throws KimiError if the tools of the record are none
 */
export function parseRecord(
  record: ReplyRecord,
  options: TextOptions,
  onEvent: (event: KimiEvent) => void,
): void {
  const { finishReason, channel, ...own } = options;
  const { calls, reasoning, content, form } = record;
  const tools = (own.tools ?? record.tools) as ParserOptions['tools'];
  const model = own.model ?? record.model;
  const promptOpensThink =
    own.promptOpensThink ?? (form === 'completion' && closesPromptsThought(content, model));
  const parser = createParser({ ...own, model, tools, promptOpensThink, onEvent });
  // The calls first: of a whole message they win over the same calls leaked as text.
  for (const call of calls) parser.feedToolCall(call);
  parser.feed(reasoning, 'reasoning');
  parser.feed(content, form === 'raw' ? channel : 'content');
  const word = finishReason ?? record.finishReason;
  parser.end(word === undefined ? 'stop' : word);
}

/** Whether a text closes a thought that its prompt had opened, as those of K2.5 and K2.6 do unless told otherwise. */
function closesPromptsThought(text: string, model: ParserOptions['model']): boolean {
  if (typeof model !== 'string' || resolveModel(model).thinking !== 'prompt') return false;
  return /<\/?think>/.exec(text)?.[0] === '</think>';
}
