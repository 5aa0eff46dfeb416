import type { ToolCallPiece } from '@kimi-tc/core';
import { isObject, type JsonObject, placeInJson, textOf } from '../json.ts';

/** One reply of a model, as a line of a file holds it. */
export interface ReplyRecord {
  /** Number of the choice, where the record has choices. */
  readonly choice: number | undefined;
  /** The id that the record goes by. */
  readonly id: string | undefined;
  readonly reasoning: string;
  readonly content: string;
  /**
   * What the content was: a field of a message, all that a model wrote behind a prompt, or raw text that may have
   * stood in any field.
   */
  readonly form: 'message' | 'completion' | 'raw';
  /** Calls that the server parsed itself. */
  readonly calls: readonly ToolCallPiece[];
  /** The server's word; `null`: it gave none, `undefined`: the record has no such field. */
  readonly finishReason: string | null | undefined;
  readonly model: string | undefined;
  /** The tools of the request, if they stand beside the reply. */
  readonly tools: readonly object[] | undefined;
}

/** A record that is none. The message says what was expected. */
export class RecordError extends Error {
  override readonly name: string = 'RecordError';
}

const EXPECTED =
  'expected a string, {"text": …}, a chat or text completion with "choices", a message with "content", or a line of a batch result with "response"';

/**
 * Reads what one line holds:
 *
 * - `"raw text"`, or `{ "text", "reasoning"?, "finish_reason"?, "tools"?, "model"?, "id"? }`; with its reasoning
 *   beside it the text is content
 * - a chat completion, or a text completion, of the OpenAI API: a reply for each choice
 * - a message: `{ "role"?, "content", "reasoning_content"?, "tool_calls"? }`, also as `{ "message": … }`
 * - a line of a batch result: `{ "custom_id", "response": { "body": … } }` around a completion
 *
 * @throws RecordError for anything else
 */
export function readRecord(line: string): ReplyRecord[] {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new RecordError(`expected JSON${placeInJson(error)}`);
  }
  return readValue(value, {});
}

/** @param outer what stands around the value, for what it does not say itself */
function readValue(value: unknown, outer: Partial<ReplyRecord>): ReplyRecord[] {
  if (typeof value === 'string') return [toReply({ text: value }, outer)];
  if (!isObject(value)) throw new RecordError(EXPECTED);
  const known = { ...outer, ...readCommon(value) };
  if (isObject(value.response)) return readResponse(value.response, { ...known, id: known.id ?? outer.id });
  if (isObject(value.error)) throw new RecordError(`it holds an error: ${textOf(value.error.message)}`);
  if (Array.isArray(value.choices)) {
    if (value.choices.length === 0) throw new RecordError('expected at least one choice');
    return value.choices.map((choice, at) => readChoice(choice, at, known));
  }
  return [toReply(isObject(value.message) ? { ...value, ...value.message } : value, known)];
}

/** Batch results of the OpenAI API and of vLLM: the completion is the body of a response. */
function readResponse(response: JsonObject, known: Partial<ReplyRecord>): ReplyRecord[] {
  const { body, status_code: status = 200 } = response;
  if (status !== 200 || !isObject(body)) throw new RecordError(`the request failed with status ${status}`);
  const { id } = known;
  return readValue(body, known).map((record) => ({ ...record, id: id ?? record.id }));
}

function readChoice(choice: unknown, at: number, known: Partial<ReplyRecord>): ReplyRecord {
  if (!isObject(choice)) throw new RecordError(`choices[${at}]: expected an object`);
  const { index, message, text, finish_reason } = choice;
  if (!isObject(message) && typeof text !== 'string') {
    throw new RecordError(`choices[${at}]: expected a "message" or a "text"`);
  }
  const fields = isObject(message) ? message : { text };
  const number = typeof index === 'number' ? index : at;
  return toReply(
    { ...fields, finish_reason },
    { ...known, choice: number, form: isObject(message) ? 'message' : 'completion' },
  );
}

function toReply(fields: JsonObject, known: Partial<ReplyRecord>): ReplyRecord {
  const { text, content, tool_calls: calls, finish_reason: finish } = fields;
  const reasoning = textOf(fields.reasoning_content) || textOf(fields.reasoning);
  const namesFields =
    [content, fields.reasoning_content, fields.reasoning].some(isText) || Array.isArray(calls);
  if (!isText(text) && !namesFields && content !== null) {
    throw new RecordError(EXPECTED);
  }
  if (finish !== undefined && finish !== null && typeof finish !== 'string') {
    throw new RecordError('finish_reason: expected a string');
  }
  return {
    choice: known.choice,
    id: known.id,
    model: known.model,
    tools: known.tools,
    reasoning,
    form: known.form ?? (isText(text) && !namesFields ? 'raw' : 'message'),
    content: textOf(text) || textOf(content),
    calls: Array.isArray(calls) ? calls.filter(isObject).map(toPiece) : [],
    finishReason: finish,
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Each entry of a message is a call of its own: its place counts, whatever index it says. */
function toPiece(call: JsonObject, index: number): ToolCallPiece {
  const { name, arguments: args } = isObject(call.function) ? call.function : call;
  return { index, id: textOf(call.id), name: textOf(name), arguments: args };
}

/** What a record says about itself, as far as it does. */
function readCommon(fields: JsonObject): Partial<ReplyRecord> {
  const { id, custom_id, model, tools } = fields;
  const own = textOf(custom_id) || textOf(id);
  if (tools !== undefined && tools !== null && !(Array.isArray(tools) && tools.every(isObject))) {
    throw new RecordError('tools: expected an array of tools');
  }
  return {
    ...(own !== '' && { id: own }),
    ...(typeof model === 'string' && { model }),
    ...(Array.isArray(tools) && { tools }),
  };
}
