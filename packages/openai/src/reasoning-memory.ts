import { KimiError, type KimiTurn } from '@kimi-tc/core';
import { isObject, type JsonObject, listOf, textOf } from './json.ts';
import { checkObject, checkText } from './kimi-options.ts';

/**
 * Keeps the reasoning of turns with tool calls, for clients that do not send it back: servers of
 * thinking models refuse such a history, or the model loses its thread.
 *
 * A shared store may stand in, so that it does not matter which process answers next. Keys are
 * digests that hold nothing readable; values are reasoning texts. What a store throws fails the
 * request or reply at hand.
 */
export interface ReasoningMemory {
  /**
   * The reasoning of a turn; `undefined` or `null` if it is not known. The request waits for it until it is aborted.
   */
  get(key: string): string | null | undefined | Promise<string | null | undefined>;
  /**
   * Keeps the reasoning of a turn, in place of what was kept under the key. The end of the reply waits for it until the
   * request is aborted, and fails as it does.
   */
  set(key: string, reasoning: string): void | Promise<void>;
}

/** Bounds of a memory in this process. */
export interface ReasoningMemoryOptions {
  /** Turns that are kept; the least recently used go first. Default 1000. */
  maxTurns?: number | undefined;
  /** UTF-16 units of reasoning that are kept, over all turns. Default 16 777 216. */
  maxLength?: number | undefined;
}

/**
 * A memory in this process.
 *
 * @throws KimiError naming the option that is wrong
 */
export function createReasoningMemory(options: ReasoningMemoryOptions = {}): ReasoningMemory {
  checkObject('options', options);
  const { maxTurns = 1000, maxLength = 2 ** 24 } = options;
  checkCount('maxTurns', maxTurns);
  checkCount('maxLength', maxLength);
  /** In the order of their last use. */
  const turns = new Map<string, string>();
  let length = 0;

  function remove(key: string): void {
    length -= turns.get(key)?.length ?? 0;
    turns.delete(key);
  }

  return {
    get(key) {
      const reasoning = turns.get(key);
      if (reasoning === undefined) return undefined;
      turns.delete(key);
      turns.set(key, reasoning);
      return reasoning;
    },
    set(key, reasoning) {
      remove(key);
      // It would drive out all others, and then itself.
      if (reasoning.length > maxLength) return;
      turns.set(key, reasoning);
      length += reasoning.length;
      for (const oldest of turns.keys()) {
        if (turns.size <= maxTurns && length <= maxLength) return;
        remove(oldest);
      }
    },
  };
}

function checkCount(option: string, value: number): void {
  if (Number.isInteger(value) && value > 0) return;
  throw new KimiError(option, `${option}: expected a whole number above 0`);
}

/** The calls of one turn, as far as they tell it from others. */
type CallIdentity = readonly [id: string, name: string, args: string];

/** A request, and who makes it. */
export interface AskedBy {
  body: JsonObject;
  headers: Headers;
}

/** Whether there is anything to remember about a turn. */
export function isWorthRecording({ reasoning, toolCalls }: KimiTurn): boolean {
  return reasoning !== '' && toolCalls.length > 0;
}

/** Remembers the reasoning of turns that answer this request. */
export function createReasoningRecorder(
  memory: ReasoningMemory,
  asked: AskedBy,
): (turn: KimiTurn) => Promise<void> {
  return async ({ reasoning, toolCalls }) => {
    const calls = toolCalls.map(({ id, name, arguments: args }) => [id, name, printAnew(args)] as const);
    const place = (await toPlaces(asked)).at(-1);
    await memory.set(await digest([place, calls]), reasoning);
  };
}

/**
 * The messages of a request with the remembered reasoning on those turns with calls that came back
 * without it, or with its last fragment only, which is what the OpenAI SDK keeps of a stream.
 *
 * @returns `undefined` if there is nothing to add; the messages are not changed
 */
export async function attachReasoning(
  memory: ReasoningMemory,
  asked: AskedBy,
): Promise<unknown[] | undefined> {
  const list = listOf(asked.body.messages);
  if (!list.some((message) => callsOf(message).length > 0)) return undefined;
  const places = await toPlaces(asked);
  const attached = await Promise.all(list.map((message, at) => recall(memory, places[at], message)));
  return attached.some((message, at) => message !== list[at]) ? attached : undefined;
}

async function recall(
  memory: ReasoningMemory,
  place: string | undefined,
  message: unknown,
): Promise<unknown> {
  const calls = callsOf(message);
  if (!isObject(message) || calls.length === 0) return message;
  const known = await memory.get(await digest([place, calls]));
  if (known === undefined || known === null) return message;
  checkText('reasoningMemory.get', known);
  const own = textOf(message.reasoning_content).trim();
  if (known.trim() === own || !known.trimEnd().endsWith(own)) return message;
  return { ...message, reasoning_content: known, ...('reasoning' in message && { reasoning: known }) };
}

/** Where servers look for the key of a caller. */
const KEY_HEADERS = ['authorization', 'api-key', 'x-api-key'];

/**
 * Which conversation it is and where in it, as a text for the place in front of each message and for the end.
 *
 * - The conversation: who asks, and what was said by the system and first by the user up to there. Two callers
 *   who both ask to "continue" must not get each other's thoughts, so whatever tells them apart counts, even
 *   where a client that changes it loses what was remembered.
 * - Where in it: what the user said last, and the ids of the calls since. They alone do not tell, as models count
 *   them from 0 in each conversation. The messages between the first of the user and the last do not count, as
 *   clients shorten their histories, and neither do the results of tools.
 *
 * Each digest is made from the one before: a long prompt is read once, not once for each turn.
 */
async function toPlaces({ body, headers }: AskedBy): Promise<string[]> {
  const keys = await Promise.all(KEY_HEADERS.map((name) => digest(headers.get(name))));
  let conversation = await digest([keys, body.user ?? null, body.prompt_cache_key ?? null]);
  let turn = '';
  const places = [conversation + turn];
  let userSpoke = false;
  for (const message of listOf(body.messages)) {
    const { role, content } = isObject(message) ? message : {};
    if (isSystem(role) || (role === 'user' && !userSpoke))
      conversation = await digest([conversation, role, contentText(content)]);
    userSpoke ||= role === 'user';
    if (role === 'user') turn = await digest([content ?? null]);
    for (const [id] of callsOf(message)) turn = await digest([turn, id]);
    places.push(conversation + turn);
  }
  return places;
}

function isSystem(role: unknown): boolean {
  return role === 'system' || role === 'developer';
}

/** Clients send the same text as a string or in parts. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => (isObject(part) ? textOf(part.text) : textOf(part)))
    .join('');
}

function callsOf(message: unknown): CallIdentity[] {
  if (!isObject(message) || message.role !== 'assistant') return [];
  return listOf(message.tool_calls).flatMap((call): CallIdentity[] => {
    if (!isObject(call) || !isObject(call.function)) return [];
    return [[textOf(call.id), textOf(call.function.name), printAnew(textOf(call.function.arguments))]];
  });
}

/** Some clients parse arguments and print them again. */
function printAnew(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    return json;
  }
}

async function digest(value: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
