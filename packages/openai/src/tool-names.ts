import type { KimiTurn } from '@kimi-tc/core';
import { isObject, type JsonObject, listOf, textOf } from './json.ts';

/** From the names that tools were sent under to those of the caller. */
export type ToolNames = ReadonlyMap<string, string>;

/** A chunk or completion with the caller's names of tools; the same object where none was sent under another. */
export function renameTools(reply: JsonObject, names: ToolNames): JsonObject {
  const choices = mapShared(reply.choices, (choice) => {
    const field = isObject(choice.message) ? 'message' : 'delta';
    const renamed = withMember(choice, field, (said) => withMember(said, 'tool_calls', renameCalls));
    return withMember(renamed, 'x_kimi', (extra) => withMember(extra, 'incomplete_tool_calls', renameEach));
  });
  return choices === reply.choices ? reply : { ...reply, choices };

  function renameCalls(calls: unknown): unknown {
    return mapShared(calls, (call) => withMember(call, 'function', rename));
  }
  function renameEach(calls: unknown): unknown {
    return mapShared(calls, rename);
  }
  function rename(named: unknown): unknown {
    const own = isObject(named) ? names.get(textOf(named.name)) : undefined;
    return own === undefined ? named : { ...(named as JsonObject), name: own };
  }
}

export function renameTurn(turn: KimiTurn, names: ToolNames): KimiTurn {
  if (names.size === 0) return turn;
  return {
    ...turn,
    toolCalls: turn.toolCalls.map((call) => ({ ...call, name: names.get(call.name) ?? call.name })),
  };
}

/** An object with one member mapped; anything else as it is. */
function withMember(value: unknown, field: string, map: (member: JsonObject) => unknown): unknown {
  if (!isObject(value)) return value;
  const member = value[field];
  if (typeof member !== 'object' || member === null) return value;
  const mapped = map(member as JsonObject);
  return mapped === member ? value : { ...value, [field]: mapped };
}

function mapShared(list: unknown, map: (item: JsonObject) => unknown): unknown {
  const items = listOf(list);
  const mapped = items.map((item) => (isObject(item) ? map(item) : item));
  return mapped.some((item, at) => item !== items[at]) ? mapped : list;
}
