import { isDeepStrictEqual } from 'node:util';
import type { EngineRequest } from '@kimi-tc/testing';
import type { Transport } from '../agent.ts';
import { isObject } from '../tools/arguments.ts';
import type { Tool } from '../tools/tool.ts';
import type { Message } from './message.ts';
import { type ReadPrompt, readPrompt } from './read-prompt.ts';
import type { ScriptedCall, ScriptedTurn } from './script.ts';

/** How closely a request is looked at. */
export interface Strictness {
  /** The server writes ids of its own, so they cannot be those of the model. */
  readonly anyIds: boolean;
  /** The server garbles text beyond repair, so only calls, results and thoughts count. */
  readonly anyText: boolean;
}

/** What a request has to hold. */
export interface Conversation {
  readonly transport: Transport;
  readonly instructions: string;
  readonly question: string;
  readonly tools: readonly Tool[];
  /** The replies so far. */
  readonly turns: readonly ScriptedTurn[];
}

/**
 * Checks what an agent sends back: each reply so far with its reasoning, canonical ids, and results of
 * tools that really ran; and nothing of the call that was cut. A prompt is held to the same, but for
 * the thoughts that the model's template leaves out of it.
 *
 * @throws Error naming the reply and what is wrong with it
 */
export function checkConversation(
  request: EngineRequest,
  { transport, instructions, question, tools, turns }: Conversation,
  strictness: Strictness,
): void {
  const sent = transport === 'chat' ? readChat(request) : readCompletion(request);
  const { messages } = sent;
  const starts = messages.flatMap(({ role }, at) => (role === 'assistant' ? [at] : []));
  expect(
    isMessage(messages[0], 'system', instructions) && isMessage(messages[1], 'user', question),
    'check failed: no question',
  );
  checkTools(sent.tools, tools);
  expect(
    starts.length === turns.length,
    `check failed: expected ${turns.length} replies, got ${starts.length}`,
  );
  let callsBefore = 0;
  /** The template leaves out the thoughts up to the last reply without a call. */
  const firstThought = transport === 'chat' ? 0 : turns.findLastIndex(({ calls }) => calls.length === 0) + 1;
  turns.forEach((turn, number) => {
    const [reply = {}, ...rest] = messages.slice(starts[number], starts[number + 1]);
    try {
      if (number >= firstThought) checkThought(reply, turn, strictness);
      else expect(reply.reasoning_content === '', 'its thought is over and still there');
      checkContent(reply, turn, strictness);
      checkCalls(callsOf(reply), rest, turn, callsBefore, strictness);
      checkCutCall(request, rest, turn);
    } catch (error) {
      throw new Error(`check failed: reply ${number + 1} came back wrong: ${(error as Error).message}`);
    }
    callsBefore += turn.calls.length;
  });
}

function checkThought(reply: Message, { reasoning: expected }: ScriptedTurn, { anyText }: Strictness): void {
  const { reasoning_content: reasoning = '' } = reply;
  const holds = anyText
    ? String(reasoning).includes(expected)
    : // Where the model had no thought, some servers want a space all the same.
      reasoning === expected || reasoning === (expected || ' ');
  expect(holds, `its reasoning_content is ${show(reasoning)}`);
}

function checkContent({ content }: Message, turn: ScriptedTurn, { anyText }: Strictness): void {
  expect(anyText || (content ?? '') === turn.content, `its content is ${show(content)}`);
}

function checkCalls(
  calls: readonly Message[],
  rest: readonly Message[],
  turn: ScriptedTurn,
  /** How many calls the conversation had before. */
  before: number,
  strictness: Strictness,
): void {
  const results = rest.filter(({ role }) => role === 'tool');
  expect(calls.length === turn.calls.length, `expected ${turn.calls.length} calls, got ${calls.length}`);
  expect(results.length === calls.length, `${calls.length} calls have ${results.length} results`);
  turn.calls.forEach((expected, at) => {
    checkCall(calls[at] ?? {}, expected, before + at, strictness);
    const { tool_call_id: id, content } = results[at] ?? {};
    expect(id === calls[at]?.id, `a result is for ${show(id)}, not for ${show(calls[at]?.id)}`);
    const missing = expected.result.find((part) => !String(content).includes(part));
    expect(missing === undefined, `the result of ${expected.id} lacks ${show(missing)}`);
  });
}

/** Models do not count well; the ids that they get back are counted for them. */
function checkCall(call: Message, expected: ScriptedCall, number: number, { anyIds }: Strictness): void {
  const { name, arguments: json } = isObject(call.function) ? call.function : {};
  const sameId = call.id === `functions.${expected.name}:${number}`;
  expect(anyIds || sameId, `the id of ${expected.id} is ${show(call.id)}`);
  expect(name === expected.name, `the name of ${expected.id} is ${show(name)}`);
  expect(sameJson(String(json), expected.arguments), `the arguments of ${expected.id} are ${show(json)}`);
}

/** The model is told about the cut call; neither the call nor a result of it is there. */
function checkCutCall({ body }: EngineRequest, rest: readonly Message[], { cutCall }: ScriptedTurn): void {
  if (cutCall === undefined) return;
  expect(
    rest.every(({ role }) => role !== 'tool'),
    `${cutCall} was cut and has run all the same`,
  );
  const told = rest.some(({ role, content }) => role === 'user' && String(content).includes('did not run'));
  expect(told, `nothing says that ${cutCall} did not run`);
  expect(!JSON.stringify(body).includes(cutCall), `${cutCall} was cut and is there all the same`);
}

function checkTools(declared: readonly unknown[], tools: readonly Tool[]): void {
  const expected = tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));
  expect(isDeepStrictEqual(declared, expected), `check failed: the tools are ${show(declared)}`);
}

function readChat({ body }: EngineRequest): ReadPrompt {
  const { messages, tools } = isObject(body) ? body : {};
  expect(Array.isArray(messages) && Array.isArray(tools), 'check failed: expected messages and tools');
  return { messages: listOf(messages).filter(isObject), tools: listOf(tools) };
}

function readCompletion({ body }: EngineRequest): ReadPrompt {
  const { prompt, stop, messages, tools } = isObject(body) ? body : {};
  expect(
    typeof prompt === 'string' && messages === undefined && tools === undefined,
    'check failed: expected a prompt, and nothing of a chat',
  );
  expect(listOf(stop).includes('<|im_end|>'), `check failed: it stops at ${show(stop)}`);
  try {
    return readPrompt(String(prompt));
  } catch (error) {
    throw new Error(`check failed: ${(error as Error).message}`);
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isMessage(message: Message | undefined, role: string, content: string): boolean {
  return message?.role === role && message.content === content.replaceAll('\u200b', '');
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
