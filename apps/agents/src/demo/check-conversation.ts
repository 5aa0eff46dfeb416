import type { EngineRequest } from '@kimi-tc/testing';
import { isObject } from '../tools/arguments.ts';
import type { ScriptedCall, ScriptedTurn } from './script.ts';

/** How closely a request is looked at. */
export interface Strictness {
  /** The server writes ids of its own, so they cannot be those of the model. */
  readonly anyIds: boolean;
  /** The server garbles text beyond repair, so only calls, results and thoughts count. */
  readonly anyText: boolean;
}

type Message = Readonly<Record<string, unknown>>;

/**
 * Checks what an agent sends back: each reply so far with its reasoning, canonical ids, and results of
 * tools that really ran; and nothing of the call that was cut.
 *
 * @param turns the replies that the request has to hold
 * @throws Error naming the reply and what is wrong with it
 */
export function checkConversation(
  request: EngineRequest,
  turns: readonly ScriptedTurn[],
  strictness: Strictness,
): void {
  const messages = messagesOf(request);
  const starts = messages.flatMap(({ role }, at) => (role === 'assistant' ? [at] : []));
  expect(messages[0]?.role === 'system' && messages[1]?.role === 'user', 'check failed: no question');
  expect(
    starts.length === turns.length,
    `check failed: expected ${turns.length} replies, got ${starts.length}`,
  );
  turns.forEach((turn, number) => {
    const [reply = {}, ...rest] = messages.slice(starts[number], starts[number + 1]);
    try {
      checkReply(reply, turn, strictness);
      checkCalls(callsOf(reply), rest, turn, strictness);
      checkCutCall(rest, turn);
    } catch (error) {
      throw new Error(`check failed: reply ${number + 1} came back wrong: ${(error as Error).message}`);
    }
  });
}

function checkReply(reply: Message, turn: ScriptedTurn, { anyText }: Strictness): void {
  const { reasoning_content: reasoning = '', content } = reply;
  expect(String(reasoning).includes(turn.reasoning), `its reasoning_content is ${show(reasoning)}`);
  if (anyText) return;
  // Where the model had no thought, some servers want a space all the same.
  expect(
    reasoning === turn.reasoning || reasoning === (turn.reasoning || ' '),
    `its reasoning_content is ${show(reasoning)}`,
  );
  expect((content ?? '') === turn.content, `its content is ${show(content)}`);
}

function checkCalls(
  calls: readonly Message[],
  rest: readonly Message[],
  turn: ScriptedTurn,
  strictness: Strictness,
): void {
  const results = rest.filter(({ role }) => role === 'tool');
  expect(calls.length === turn.calls.length, `expected ${turn.calls.length} calls, got ${calls.length}`);
  expect(results.length === calls.length, `${calls.length} calls have ${results.length} results`);
  turn.calls.forEach((expected, at) => {
    checkCall(calls[at] ?? {}, expected, strictness);
    const { tool_call_id: id, content } = results[at] ?? {};
    expect(id === calls[at]?.id, `a result is for ${show(id)}, not for ${show(calls[at]?.id)}`);
    const missing = expected.result.find((part) => !String(content).includes(part));
    expect(missing === undefined, `the result of ${expected.id} lacks ${show(missing)}`);
  });
}

function checkCall(call: Message, expected: ScriptedCall, { anyIds, anyText }: Strictness): void {
  const { name, arguments: json } = isObject(call.function) ? call.function : {};
  const sameId = anyText
    ? new RegExp(`^functions\\.${expected.name}:\\d+$`).test(String(call.id))
    : call.id === expected.id;
  expect(anyIds || sameId, `the id of ${expected.id} is ${show(call.id)}`);
  expect(name === expected.name, `the name of ${expected.id} is ${show(name)}`);
  expect(sameJson(String(json), expected.arguments), `the arguments of ${expected.id} are ${show(json)}`);
}

/** The model is told about the cut call; neither the call nor a result of it is there. */
function checkCutCall(rest: readonly Message[], { cutCall }: ScriptedTurn): void {
  if (cutCall === undefined) return;
  expect(
    rest.every(({ role }) => role !== 'tool'),
    `${cutCall} was cut and has run all the same`,
  );
  const told = rest.some(({ role, content }) => role === 'user' && String(content).includes('did not run'));
  expect(told, `nothing says that ${cutCall} did not run`);
}

function messagesOf({ body }: EngineRequest): Message[] {
  const messages = isObject(body) && Array.isArray(body.messages) ? body.messages : [];
  return messages.filter(isObject);
}

function callsOf({ tool_calls: calls }: Message): Message[] {
  return Array.isArray(calls) ? calls.filter(isObject) : [];
}

function sameJson(a: string, b: string): boolean {
  try {
    return JSON.stringify(JSON.parse(a)) === JSON.stringify(JSON.parse(b));
  } catch {
    return false;
  }
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

function expect(holds: boolean, message: string): void {
  if (!holds) throw new Error(message);
}
