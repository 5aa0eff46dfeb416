import { type ModelFamily, resolveModel } from '@kimi-tc/core';
import {
  type ChatChunk,
  collectTurn,
  completionStreamToChat,
  type KimiOptions,
  type KimiTurn,
  type TextChunk,
  transformKimiCompletion,
  transformKimiStream,
} from '@kimi-tc/openai';
import { readObject } from '../json.ts';
import { redactChoice, redactChunks, redactDeltas } from './redact-reply.ts';
import { createRedaction, type Redact } from './redact-text.ts';
import { createSseCutter, dataOf } from './sse-events.ts';

/** A reply of an upstream: the request as it was sent, and the text that came back. */
export interface RecordedReply {
  request: string;
  text: string;
}

type Json = Record<string, unknown>;

/** What of a request a case holds, and what its redaction goes by. */
interface Asked {
  body: Json;
  tools: Json[];
  redact: Redact;
}

const FAMILIES: Record<ModelFamily, string> = {
  'k2-instruct': 'k2',
  'k2-thinking': 'thinking',
  'k2.5': 'k2.5',
  'k2.6': 'k2.5',
  'k2.7-code': 'k2.5',
  k3: 'k3',
  unknown: 'k2',
};

/**
 * A case of the corpus from one reply. What is expected is what comes of the redacted reply, so that the case
 * holds together by itself.
 *
 * @returns `undefined` if the reply holds nothing that a case could
 */
export async function toCase(
  { request, text }: RecordedReply,
  place: { id: string; topic: string },
): Promise<Json | undefined> {
  const asked = readAsked(request);
  const played = text.trimStart().startsWith('{')
    ? await playMessage(text, asked)
    : await playStream(text, asked);
  if (!played) return undefined;
  const { input, turn, usage, options = {} } = played;
  const model = String(asked.body.model ?? '');
  const all = { ...options, ...(asked.body.tool_choice === 'none' && { toolChoice: 'none' }) };
  return {
    ...place,
    source: 'recorded with kimi-tc --record',
    family: FAMILIES[resolveModel(model).family],
    note: `Recorded by kimi-tc from a reply of ${model || 'a model'}; letters and digits of texts are replaced.`,
    ...(asked.tools.length > 0 && { tools: asked.tools }),
    ...(Object.keys(all).length > 0 && { options: all }),
    input,
    expected: { ...toExpected(turn), ...(usage !== undefined && { usage }) },
  };
}

interface Played {
  input: Json;
  turn: KimiTurn;
  usage?: unknown;
  options?: Json;
}

function readAsked(request: string): Asked {
  const body = JSON.parse(request) as Json;
  const tools = listOf(body.tools).flatMap((tool) => {
    const { name, parameters } = Object(Object(tool).function) as Json;
    return typeof name === 'string' && name !== ''
      ? [{ type: 'function', function: { name, parameters: toShape(parameters) } }]
      : [];
  });
  const names = tools.map((tool) => tool.function.name);
  return { body, tools, redact: createRedaction(names, keysOf(tools)) };
}

async function playStream(text: string, asked: Asked): Promise<Played | undefined> {
  const chunks = readEvents(text);
  if (chunks.length === 0) return undefined;
  if (chunks.some(({ object }) => object === 'text_completion')) return playText(chunks, asked);
  const redacted = redactChunks(chunks, asked.redact);
  const turn = await collectTurn(transformKimiStream(toStream(redacted), toOptions(asked)));
  return { input: { kind: 'chunks', chunks: redacted }, turn, ...usageOf(redacted) };
}

/** Of a prompt rendered here: raw text, behind a thought that the prompt may have opened. */
async function playText(chunks: readonly Json[], asked: Asked): Promise<Played> {
  const choices = chunks.flatMap(({ choices }) => listOf(choices).slice(0, 1) as Json[]);
  const texts = choices
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .filter((text) => text !== '');
  const deltas = redactDeltas(texts, asked.redact);
  const finishReason = choices.map(({ finish_reason }) => finish_reason ?? null).findLast(Boolean) ?? null;
  const promptOpensThink = String(asked.body.prompt ?? '').endsWith('<think>');
  const options = { ...toOptions(asked), promptOpensThink };
  const again = [
    ...deltas.map((text) => ({ choices: [{ index: 0, text, finish_reason: null }] })),
    { choices: [{ index: 0, text: '', finish_reason: finishReason }] },
  ];
  const turn = await collectTurn(completionStreamToChat(toStream<TextChunk>(again), options));
  return {
    input: { kind: 'deltas', deltas: deltas.map((delta) => ['content', delta]), finishReason },
    turn,
    ...(promptOpensThink && { options: { promptOpensThink } }),
  };
}

async function playMessage(text: string, asked: Asked): Promise<Played | undefined> {
  const completion = JSON.parse(text) as Json;
  const [first] = listOf(completion.choices) as Json[];
  if (!first) return undefined;
  if (!first.message) return playText([completion], asked);
  const choice = redactChoice(first, asked.redact);
  const { choices } = transformKimiCompletion(
    { choices: [{ index: 0, ...choice }] } as unknown as Parameters<typeof transformKimiCompletion>[0],
    toOptions(asked),
  );
  const [{ message, ...rest } = { message: {} }] = choices as unknown as [Json & { message: Json }];
  const calls = listOf(message.tool_calls).map((call, index) => ({ ...(call as Json), index }));
  const turn = await collectTurn(
    toStream([{ choices: [{ ...rest, delta: { ...message, tool_calls: calls } }] }]),
  );
  const { index: _, ...kept } = choice;
  return { input: { kind: 'message', choice: kept }, turn };
}

function toOptions({ tools, body }: Asked): KimiOptions {
  return {
    tools: tools as unknown as NonNullable<KimiOptions['tools']>,
    ...(body.tool_choice === 'none' && { toolChoice: 'none' }),
  };
}

function toExpected({
  reasoning,
  content,
  toolCalls,
  incompleteToolCalls,
  finishReason,
  problems,
}: KimiTurn): Json {
  return {
    reasoning,
    content,
    toolCalls: toolCalls.map(({ id, name, arguments: args }, index) => ({
      index,
      id,
      name,
      arguments: args,
    })),
    ...(incompleteToolCalls.length > 0 && {
      incompleteToolCalls: incompleteToolCalls.map(({ name, arguments: args }) => ({
        name,
        arguments: args.trim(),
      })),
    }),
    finishReason: finishReason.unified.replace('-', '_'),
    // None at all is a statement of its own in a case; some of them may be of this reply alone.
    problems: [...new Set(problems.map(({ code }) => code))],
  };
}

/** The JSON of the events of a stream; what is none is left out. */
function readEvents(text: string): Json[] {
  const cutter = createSseCutter();
  return [...cutter.push(text), cutter.end()].flatMap((event) => {
    const value = readObject(dataOf(event));
    return value && Array.isArray(value.choices) ? [value] : [];
  });
}

function usageOf(chunks: readonly Json[]): { usage?: unknown } {
  const told = chunks.flatMap(({ usage, choices }) => [Object(listOf(choices)[0]).usage as unknown, usage]);
  const usage = told.findLast((one) => one !== undefined && one !== null);
  return usage === undefined ? {} : { usage };
}

/** Keywords of a schema that say something about its shape, and nothing that was written by people. */
const SCHEMA_KEYS = [
  'type',
  'required',
  'properties',
  'items',
  'anyOf',
  'oneOf',
  'allOf',
  'additionalProperties',
];

function toShape(schema: unknown): Json {
  const shape = Object.fromEntries(
    Object.entries(Object(schema) as Json).flatMap(([key, value]): [string, unknown][] => {
      if (!SCHEMA_KEYS.includes(key)) return [];
      if (key === 'properties')
        return [
          [key, Object.fromEntries(Object.entries(Object(value)).map(([name, one]) => [name, toShape(one)]))],
        ];
      if (key === 'type' || key === 'required') return [[key, value]];
      if (Array.isArray(value)) return [[key, value.map(toShape)]];
      return [[key, typeof value === 'boolean' ? value : toShape(value)]];
    }),
  );
  return shape;
}

function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => [
    ...(key === 'properties' ? Object.keys(Object(one)) : []),
    ...keysOf(one),
  ]);
}

/** @param items that are read field by field, whatever their type promises */
async function* toStream<Item = ChatChunk>(items: readonly Json[]): AsyncGenerator<Item> {
  for (const item of items) yield item as Item;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
