import { isObject, type JsonObject, listOf } from './json.ts';

/**
 * The chunk in the shape that clients read without looking: a list of choices, each with the number of its
 * choice and a delta. The same object if it is in that shape.
 *
 * @param isNew whether nothing has come of a choice yet: then a whole message may stand in for the delta
 */
export function toSoundChunk(chunk: JsonObject, isNew: (index: unknown) => boolean): JsonObject {
  const { choices } = chunk;
  if (Array.isArray(choices) && choices.every(isSound)) return chunk;
  const sound = listOf(choices)
    .filter(isObject)
    .map((choice, place) => {
      const index = toIndex(choice.index) ?? place;
      const { message, ...fields } = choice;
      if (isObject(choice.delta)) return { ...choice, index };
      if (isObject(message) && isNew(index)) return { ...fields, index, delta: toWholeDelta(message) };
      return { ...choice, index, delta: {} };
    });
  return { ...chunk, choices: sound };
}

function isSound(choice: unknown): boolean {
  return isObject(choice) && typeof choice.index === 'number' && isObject(choice.delta);
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
