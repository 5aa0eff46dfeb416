import { isObject, isThere, type JsonObject, listOf, textOf } from './json.ts';

/** What a delta can hold that is read here; all else is passed on. */
const READ_FIELDS = new Set(['role', 'content', 'reasoning_content', 'reasoning', 'tool_calls']);

/** The same for a choice. */
const READ_CHOICE_FIELDS = new Set(['index', 'delta', 'finish_reason', 'usage', 'x_kimi']);

/** What chunks have by the API, besides; whatever is made of one has it too. */
const API_CHUNK_FIELDS = new Set([
  'id',
  'object',
  'created',
  'model',
  'system_fingerprint',
  'service_tier',
  'choices',
  'usage',
]);

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

/** Whether a delta or message holds something to show besides what is read here. */
export function hasOther({ content, refusal, audio, images }: JsonObject): boolean {
  const hasParts = Array.isArray(content) && !isTextList(content);
  return hasParts || textOf(refusal) !== '' || isObject(audio) || listOf(images).length > 0;
}

/** Whether a delta holds none of what is read here but for the role. */
export function saysNothing(delta: JsonObject): boolean {
  return reasoningOf(delta) === '' && contentOf(delta) === '' && listOf(delta.tool_calls).length === 0;
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

/** Whether a chunk has a field of its server's own that the one before it has not, or has with another value. */
export function bringsField(chunk: JsonObject, before: JsonObject): boolean {
  for (const name in chunk) {
    const value = chunk[name];
    if (!API_CHUNK_FIELDS.has(name) && isThere(value) && !isSameValue(value, before[name])) return true;
  }
  return false;
}

function isSameValue(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other));
}

/**
 * The chunk with those fields of its server's own that it lacks and an earlier one has; itself if there are none.
 *
 * @param withDelta whether those of the delta count, too
 */
export function withOwnFieldsOf(earlier: JsonObject, chunk: JsonObject, withDelta: boolean): JsonObject {
  const choice = choiceOf(chunk);
  const before = choiceOf(earlier);
  const delta = fill(deltaOf(choice), withDelta ? deltaOf(before) : {}, READ_FIELDS);
  const filled = fill(choice, before, READ_CHOICE_FIELDS);
  const whole = delta === deltaOf(choice) ? filled : { ...filled, delta };
  const top = fill(chunk, earlier, API_CHUNK_FIELDS);
  return whole === choice ? top : { ...top, choices: [whole] };
}

/** Fields with those of others that they lack, but for some names. */
function fill(fields: JsonObject, from: JsonObject, but: ReadonlySet<string>): JsonObject {
  const lacking = Object.entries(from).filter(
    ([name, value]) => !but.has(name) && isThere(value) && !isThere(fields[name]),
  );
  return lacking.length === 0 ? fields : { ...fields, ...Object.fromEntries(lacking) };
}

/** Token counts where clients do not look for them: on the choice, or among the fields of Groq's own. */
export function usageAside({ x_groq: own }: JsonObject, choice: JsonObject): unknown {
  return choice.usage ?? (isObject(own) ? own.usage : undefined);
}

/** The fields of a delta that are not read here. */
export function restOf(delta: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(delta).filter(([name, value]) => !isRead(name, value)));
}

/** Whether a reply, or a chunk of one, is an error and nothing else. */
export function isError(fields: JsonObject): boolean {
  const { choices, error } = fields;
  return listOf(choices).length === 0 && (Boolean(error) || (choices === undefined && reportsError(fields)));
}

/** How servers write one that they do not call `error`: vLLM and LMDeploy, FastAPI, FastChat, gateways. */
function reportsError({ object, type, detail, message, code, error_code }: JsonObject): boolean {
  if (object === 'error' || type === 'error' || isThere(error_code)) return true;
  if (typeof message !== 'string') return typeof detail === 'string' || Array.isArray(detail);
  return Number(code) >= 400 || /error|exception/i.test(textOf(type));
}

export function choiceOf(chunk: JsonObject): JsonObject {
  const [choice] = listOf(chunk.choices);
  return isObject(choice) ? choice : {};
}

export function deltaOf(choice: JsonObject): JsonObject {
  return isObject(choice.delta) ? choice.delta : {};
}
