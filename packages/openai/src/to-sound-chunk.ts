import { isObject, isThere, type JsonObject, listOf } from './json.ts';

/**
 * The chunk in the shape that clients read without looking: a list of choices, each with the number of its
 * choice, a delta, and a word for its finish if any. The same object if it is in that shape.
 *
 * @param isNew whether nothing has come of a choice yet: then a whole message may stand in for the delta
 */
export function toSoundChunk(chunk: JsonObject, isNew: (index: unknown) => boolean): JsonObject {
  const { choices } = chunk;
  if (Array.isArray(choices) && choices.every(isSound)) return chunk;
  const sound = listOf(choices)
    .filter(isObject)
    .map((given, place) => {
      const index = toIndex(given.index) ?? place;
      const word = isWord(given.finish_reason) ? {} : { finish_reason: null };
      const choice: JsonObject = { ...given, index, ...word };
      if (isObject(choice.delta)) return choice;
      const { message, ...fields } = choice;
      if (isObject(message) && isNew(index)) return { ...fields, delta: toWholeDelta(message) };
      return { ...choice, delta: {} };
    });
  return { ...chunk, choices: sound };
}

function isSound(choice: unknown): boolean {
  return (
    isObject(choice) &&
    typeof choice.index === 'number' &&
    isObject(choice.delta) &&
    isWord(choice.finish_reason)
  );
}

/** Whether a finish reason is one, or none. */
function isWord(reason: unknown): boolean {
  return typeof reason === 'string' || !isThere(reason);
}

function toIndex(index: unknown): number | undefined {
  if (typeof index === 'number') return index;
  return typeof index === 'string' && /^\d+$/.test(index) ? Number(index) : undefined;
}

/** The calls of a message have no index: their place tells. */
function toWholeDelta(message: JsonObject): JsonObject {
  if (!Array.isArray(message.tool_calls)) return message;
  const calls = message.tool_calls.map((call, index) => (isObject(call) ? { index, ...call } : call));
  return { ...message, tool_calls: calls };
}
