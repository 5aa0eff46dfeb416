import { isObject, isThere, type JsonObject, listOf, textOf } from './json.ts';

/** What a delta can hold that is read here; all else is passed on. */
const READ_FIELDS = new Set(['role', 'content', 'reasoning_content', 'reasoning', 'tool_calls']);

/** The reasoning in a delta or message, whatever its server calls it (ruling 11). */
export function reasoningOf(fields: JsonObject): string {
  return textOf(fields.reasoning_content) || textOf(fields.reasoning);
}

/** Whether a chunk says something besides the fields that are read here, so that it must not vanish. */
export function hasMore(chunk: JsonObject, delta: JsonObject): boolean {
  const choice = choiceOf(chunk);
  return (
    isThere(chunk.usage) ||
    isThere(choice.logprobs) ||
    Object.keys(delta).some((name) => !READ_FIELDS.has(name) && isThere(delta[name]))
  );
}

/** The fields of a delta that are not read here. */
export function restOf(delta: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(delta).filter(([name]) => !READ_FIELDS.has(name)));
}

export function choiceOf(chunk: JsonObject): JsonObject {
  const [choice] = listOf(chunk.choices);
  return isObject(choice) ? choice : {};
}

export function deltaOf(choice: JsonObject): JsonObject {
  return isObject(choice.delta) ? choice.delta : {};
}
