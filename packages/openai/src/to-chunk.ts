import type { ToolCall } from '@kimi-tc/core';
import { choiceOf, deltaOf } from './chunk-fields.ts';
import { isObject, type JsonObject, textOf } from './json.ts';
import type { KimiChunkDelta, KimiMessage } from './kimi-chunk.ts';
import type { Piece } from './pieces.ts';

/** @param mirrored whether reasoning is to stand in `reasoning` too */
export function toDelta(piece: Piece, mirrored: boolean): KimiChunkDelta {
  switch (piece.type) {
    case 'reasoning':
      return { reasoning_content: piece.text, ...(mirrored && { reasoning: piece.text }) };
    case 'content':
      return { content: piece.text };
    case 'tool-call': {
      const { index, id, name, entry } = piece;
      return { tool_calls: [{ index, ...toEntry({ id, name, arguments: '' }, entry) }] };
    }
    case 'arguments':
      return { tool_calls: [{ index: piece.index, function: { arguments: piece.text } }] };
  }
}

type Entry = NonNullable<KimiMessage['tool_calls']>[number];

/** A call as an entry of `tool_calls`, with what else the server's own entry holds. */
export function toEntry(call: Pick<ToolCall, 'id' | 'name' | 'arguments'>, own: JsonObject = {}): Entry {
  const { index: _, id: __, type: ___, function: fields, ...rest } = own;
  return {
    id: call.id,
    type: 'function',
    function: { ...(isObject(fields) && fields), name: call.name, arguments: call.arguments },
    ...rest,
  };
}

/** Keeps an entry by its id. Of two calls with one id it is not known whose fields they are. */
export function keepEntry(entries: Map<string, JsonObject>, entry: JsonObject): void {
  const id = textOf(entry.id);
  if (id !== '') entries.set(id, entries.has(id) ? {} : entry);
}

/** The chunk with other fields in its choice. */
export function withChoice(chunk: JsonObject, choice: JsonObject, fields: JsonObject): JsonObject {
  return { ...chunk, choices: [{ ...choice, ...fields }] };
}

/** The chunk with the indexes of its calls counted from another number than 0. */
export function withCallsFrom(chunk: JsonObject, first: number): JsonObject {
  const choice = choiceOf(chunk);
  const delta = deltaOf(choice);
  if (first <= 0 || !Array.isArray(delta.tool_calls)) return chunk;
  const tool_calls = delta.tool_calls.map((entry) =>
    isObject(entry) && typeof entry.index === 'number' ? { ...entry, index: entry.index + first } : entry,
  );
  return withChoice(chunk, choice, { delta: { ...delta, tool_calls } });
}

/**
 * A chunk that continues another: shaped like it, but without what must not come twice (usage, an error that
 * ends a stream beside its last choice, fields of the choice).
 */
export function toContinuation(chunk: JsonObject, choice: JsonObject, delta: object): JsonObject {
  const { usage: _, x_groq: __, error: ___, ...rest } = chunk;
  return { ...rest, choices: [{ index: choice.index, delta, finish_reason: null }] };
}
