import { formatToolCallId, parseToolCallId } from '@kimi-tc/core';

/**
 * Gives each call an id that no call of the conversation has: its own where that is free, else
 * `functions.NAME:NUMBER` with the next free number, from that of a native id or from the number of
 * ids so far. Models count over the conversation; servers that count per reply repeat themselves.
 */
export function createIdGiver(taken: readonly string[]): (id: string, name: string) => string {
  const used = new Set(taken);
  return (id, name) => {
    let unique = id;
    if (used.has(id)) {
      const counter = parseToolCallId(id)?.counter;
      let next = counter === undefined ? BigInt(used.size) : BigInt(counter) + 1n;
      do unique = formatToolCallId(name, next++);
      while (used.has(unique));
    }
    used.add(unique);
    return unique;
  };
}
