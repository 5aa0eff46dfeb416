import type { KimiEvent, KimiTurn } from '@kimi-tc/core';
import { createAssembler } from '@kimi-tc/core';
import { contentOf, reasoningOf, usageAside } from './chunk-fields.ts';
import { type TransformSettings, toTurnSettings } from './chunk-transform.ts';
import { isObject, isThere, type JsonObject, listOf, textOf } from './json.ts';
import type { KimiMessage } from './kimi-chunk.ts';
import { createExtraCollector } from './kimi-extra.ts';
import { keepEntry, toEntry } from './to-chunk.ts';
import { renameTools } from './tool-names.ts';
import { createTurnReader, hasCustomCall, hasFunctionCall } from './turn-reader.ts';

/** The completion with its choices repaired; the same object if none needs it. */
export function toCompletion(completion: JsonObject, settings: TransformSettings): JsonObject {
  const choices = listOf(completion.choices);
  const repaired = choices.map((choice) =>
    isObject(choice) ? toChoice(choice, completion, settings) : choice,
  );
  const usage =
    completion.usage ??
    choices.map((choice) => isObject(choice) && usageAside(completion, choice)).find(isObject);
  const isFound = isThere(usage) && usage !== completion.usage;
  const same = repaired.every((choice, at) => choice === choices[at]) && !isFound;
  const whole = same ? completion : { ...completion, choices: repaired, ...(isFound && { usage }) };
  const { toolNames } = settings;
  return toolNames && toolNames.size > 0 ? renameTools(whole, toolNames) : whole;
}

function toChoice(choice: JsonObject, completion: JsonObject, settings: TransformSettings): JsonObject {
  // No message is an empty one: the turn has ended all the same.
  const message = isObject(choice.message) ? choice.message : { content: null };
  if (hasFunctionCall(message) || hasCustomCall(message)) return choice;
  const extras = createExtraCollector(false);
  const assembler = createAssembler();
  const index = typeof choice.index === 'number' ? choice.index : 0;
  const reader = createTurnReader(toTurnSettings(settings, index, completion), (event: KimiEvent) => {
    extras.push(event);
    assembler.push(event);
  });
  reader.readMessage(message);
  const sent = textOf(choice.finish_reason) || undefined;
  reader.end(sent);
  const { word, extra } = extras.finish(sent, choice.x_kimi);
  const { turn } = assembler;
  if (word === sent && !extra && isHealthy(message, turn)) return choice;
  return {
    ...choice,
    message: toMessage(message, turn),
    finish_reason: word,
    ...(extra && { x_kimi: extra }),
  };
}

/** Whether a message says what the turn says, in the fields and shapes that clients read. */
function isHealthy(message: JsonObject, turn: KimiTurn): boolean {
  const { content, reasoning_content, tool_calls } = message;
  const entries = listOf(tool_calls);
  return (
    textOf(message.role) !== '' &&
    (typeof content !== 'string' || content === turn.content) &&
    contentOf(message) === turn.content &&
    reasoningOf(message) === turn.reasoning &&
    (turn.reasoning === '' || reasoning_content === turn.reasoning) &&
    entries.length === turn.toolCalls.length &&
    entries.every((entry, at) => isCall(entry, turn.toolCalls[at]))
  );
}

function isCall(entry: unknown, call: KimiTurn['toolCalls'][number] | undefined): boolean {
  if (!call || !isObject(entry) || !isObject(entry.function)) return false;
  const { name, arguments: args } = entry.function;
  // The API has no index here. Clients that go by it lose calls where it is not the place.
  const isInPlace = entry.index === undefined || entry.index === call.index;
  const isWhole = entry.id === call.id && entry.type === 'function';
  return isInPlace && isWhole && name === call.name && args === call.arguments;
}

function toMessage(message: JsonObject, { reasoning, content, toolCalls }: KimiTurn): JsonObject {
  const { tool_calls: _, reasoning: mirror, reasoning_content: own, ...rest } = message;
  const entries = new Map<string, JsonObject>();
  for (const entry of listOf(message.tool_calls)) if (isObject(entry)) keepEntry(entries, entry);
  const mirrored = textOf(own) === '' || textOf(mirror) !== '';
  const repaired: Partial<KimiMessage> = {
    // As the API has it: a message of nothing but calls has no content.
    ...((typeof message.content === 'string' || contentOf(message) !== '' || content !== '') && {
      content: content === '' && toolCalls.length > 0 ? null : content,
    }),
    ...(reasoning !== '' && { reasoning_content: reasoning, ...(mirrored && { reasoning }) }),
    ...(toolCalls.length > 0 && {
      tool_calls: toolCalls.map((call) => toEntry(call, entries.get(call.rawId))),
    }),
  };
  return { ...rest, role: textOf(message.role) || 'assistant', ...repaired };
}
