import { isObject, isThere, type JsonObject, listOf, textOf } from './json.ts';

/** What a delta can hold that is read here; all else is passed on. */
const READ_FIELDS = new Set(['role', 'content', 'reasoning_content', 'reasoning', 'tool_calls']);

/** The same for a choice. */
const READ_CHOICE_FIELDS = new Set(['index', 'delta', 'finish_reason', 'usage', 'x_kimi']);

/** The reasoning in a delta or message, whatever its server calls it (ruling 11). */
export function reasoningOf(fields: JsonObject): string {
  return textOf(fields.reasoning_content) || textOf(fields.reasoning);
}

/**
 * The visible text in a delta or message. As in requests it may be a list of parts; where those are not all
 * text, the list passes as it is and is not read.
 */
export function contentOf({ content }: JsonObject): string {
  if (!Array.isArray(content)) return textOf(content);
  return isTextList(content) ? content.map(({ text }) => text).join('') : '';
}

function isTextList(parts: readonly unknown[]): parts is { text: string }[] {
  return parts.every((part) => isObject(part) && typeof part.text === 'string');
}

/** Whether a field of a delta is read here, so that what is made of it stands for it. */
function isRead(name: string, value: unknown): boolean {
  return READ_FIELDS.has(name) && !(name === 'content' && Array.isArray(value) && !isTextList(value));
}

/** Whether a chunk says something besides the fields that are read here, so that it must not vanish. */
export function hasMore(chunk: JsonObject, delta: JsonObject): boolean {
  if (isThere(chunk.usage)) return true;
  const choice = choiceOf(chunk);
  for (const name in choice) if (!READ_CHOICE_FIELDS.has(name) && isThere(choice[name])) return true;
  for (const name in delta) if (!isRead(name, delta[name]) && isThere(delta[name])) return true;
  return false;
}

/** The fields of a delta that are not read here. */
export function restOf(delta: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(delta).filter(([name, value]) => !isRead(name, value)));
}

/** Whether a reply, or a chunk of one, is an error and nothing else. */
export function isError({ choices, error }: JsonObject): boolean {
  return Boolean(error) && listOf(choices).length === 0;
}

export function choiceOf(chunk: JsonObject): JsonObject {
  const [choice] = listOf(chunk.choices);
  return isObject(choice) ? choice : {};
}

export function deltaOf(choice: JsonObject): JsonObject {
  return isObject(choice.delta) ? choice.delta : {};
}
