import { isObject } from '../json.ts';
import type { RequestBody } from './behaviour.ts';

/** Why a chat request is refused, or `undefined`. */
export function refuseChat(body: unknown): string | undefined {
  return first([
    () => refuseCommon(body),
    () => refuseMessages((body as RequestBody).messages),
    () => refuseTools((body as RequestBody).tools),
    () => refuseToolChoice((body as RequestBody).tool_choice),
  ]);
}

/** Why a text completion request is refused, or `undefined`. */
export function refuseCompletion(body: unknown): string | undefined {
  return first([
    () => refuseCommon(body),
    () => {
      const { prompt } = body as RequestBody;
      const one = Array.isArray(prompt) && prompt.length === 1 ? prompt[0] : prompt;
      return typeof one === 'string' ? undefined : 'prompt: expected a string';
    },
  ]);
}

function refuseCommon(body: unknown): string | undefined {
  if (!isObject(body)) return 'the body is not a JSON object';
  const { model, stream = false, n = 1, stream_options: streamOptions = {} } = body;
  if (typeof model !== 'string' || model === '') return 'model: expected a string that is not empty';
  if (typeof stream !== 'boolean' && stream !== null) return 'stream: expected true or false';
  if (n !== null && !(Number.isSafeInteger(n) && (n as number) >= 1)) return 'n: expected an integer from 1';
  if (streamOptions !== null && !isObject(streamOptions)) return 'stream_options: expected an object';
  if (isObject(streamOptions) && Object.keys(streamOptions).length > 0 && stream !== true) {
    return 'stream_options: only allowed when stream is true';
  }
  return undefined;
}

const roles: readonly unknown[] = ['system', 'developer', 'user', 'assistant', 'tool'];

function refuseMessages(messages: unknown): string | undefined {
  if (!Array.isArray(messages) || messages.length === 0) return 'messages: expected a list that is not empty';
  return first(
    messages.map((message, at) => () => refuseMessage(message, `messages[${at}]`, messages.slice(0, at))),
  );
}

function refuseMessage(message: unknown, at: string, earlier: readonly unknown[]): string | undefined {
  if (!isObject(message)) return `${at}: expected an object`;
  const { role, content, tool_calls: calls, tool_call_id: id } = message;
  if (!roles.includes(role)) return `${at}.role: expected ${roles.join(', ')}`;
  if (role === 'tool') {
    if (typeof id !== 'string') return `${at}.tool_call_id: expected a string`;
    if (!callIds(earlier).includes(id)) return `${at}.tool_call_id: no earlier call has the id ${id}`;
  }
  if (calls !== undefined && calls !== null) {
    if (role !== 'assistant') return `${at}.tool_calls: only an assistant message has calls`;
    if (!Array.isArray(calls)) return `${at}.tool_calls: expected a list`;
    const wrong = first(calls.map((call, index) => () => refuseCall(call, `${at}.tool_calls[${index}]`)));
    if (wrong !== undefined) return wrong;
  }
  if (typeof content === 'string' || Array.isArray(content)) return undefined;
  if (content !== undefined && content !== null)
    return `${at}.content: expected a string, a list of parts or null`;
  return role === 'assistant' ? undefined : `${at}.content: a message with role ${role} has content`;
}

function refuseCall(call: unknown, at: string): string | undefined {
  if (!isObject(call) || !isObject(call.function)) return `${at}: expected an object with a function`;
  if (typeof call.id !== 'string') return `${at}.id: expected a string`;
  if (typeof call.function.name !== 'string') return `${at}.function.name: expected a string`;
  return typeof call.function.arguments === 'string'
    ? undefined
    : `${at}.function.arguments: expected a string`;
}

function refuseTools(tools: unknown): string | undefined {
  if (tools === undefined || tools === null) return undefined;
  if (!Array.isArray(tools)) return 'tools: expected a list';
  const at = tools.findIndex((tool) => !isObject(tool) || !isObject(tool.function) || !tool.function.name);
  return at === -1 ? undefined : `tools[${at}]: expected an object with a function that has a name`;
}

function refuseToolChoice(choice: unknown): string | undefined {
  const words: readonly unknown[] = [undefined, null, 'auto', 'none', 'required'];
  if (words.includes(choice) || isObject(choice)) return undefined;
  return 'tool_choice: expected auto, none, required or a function';
}

function callIds(messages: readonly unknown[]): unknown[] {
  return messages
    .filter(isObject)
    .flatMap(({ tool_calls: calls }) => (Array.isArray(calls) ? calls.filter(isObject) : []))
    .map(({ id }) => id);
}

/** The first complaint there is. */
function first(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const complaint = check();
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}
