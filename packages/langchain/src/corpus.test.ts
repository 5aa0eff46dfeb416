import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { concat } from '@langchain/core/utils/stream';
import type { CaseInput, CorpusCase, JsonObject, TurnOutcome } from '@kimi-tc/testing';
import { describeCorpus } from '@kimi-tc/testing/vitest';
import { expect } from 'vitest';
import { ChatKimi, type KimiMetadata, KimiOutputParser } from './index.ts';

const CANCEL = '\u0018';
const MODELS = { k2: 'kimi-k2-0905-preview', thinking: 'kimi-k2-thinking', 'k2.5': 'kimi-k2.5', k3: 'kimi-k3' };
const FINISH_WORDS: readonly string[] = ['stop', 'length', 'tool_calls', 'content_filter', 'error'];

/** The chunks of an input; text deltas as a server that parses nothing sends them. */
function toChunks(input: CaseInput): readonly JsonObject[] {
  if (input.kind === 'chunks') return input.chunks;
  if (input.kind !== 'deltas') throw new Error(`no chunks in ${input.kind}`);
  const toChunk = (delta: JsonObject, finish_reason: string | null): JsonObject => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'kimi-k2',
    choices: [{ index: 0, delta, finish_reason }],
  });
  return [
    toChunk({ role: 'assistant', content: '' }, null),
    ...input.deltas.map(([channel, text]) =>
      toChunk({ [channel === 'reasoning' ? 'reasoning_content' : channel]: text }, null),
    ),
    ...(input.finishReason === null ? [] : [toChunk({}, input.finishReason)]),
  ];
}

interface Call {
  id: string;
  name: string;
  arguments: string;
}

/** The calls of a message with their exact text, in order, whatever LangChain made of them. */
function readCalls(message: AIMessage | AIMessageChunk): Call[] {
  const { tool_calls = [], invalid_tool_calls = [], additional_kwargs } = message;
  if (AIMessageChunk.isInstance(message) && message.tool_call_chunks?.length) {
    return message.tool_call_chunks.map(({ id = '', name = '', args = '' }) => ({
      id,
      name,
      arguments: args.replace(CANCEL, ''),
    }));
  }
  const raw = new Map(additional_kwargs.tool_calls?.map((call) => [call.id, call.function.arguments]));
  return [
    ...tool_calls.map(({ id = '', name }) => ({ id, name, arguments: raw.get(id) ?? 'not there' })),
    ...invalid_tool_calls.map(({ id = '', name = '', args = '' }) => ({ id, name, arguments: args })),
  ];
}

/** Only what is a JSON object may be run, and all of that. */
function checkRunnable({ tool_calls = [], invalid_tool_calls = [] }: AIMessage, calls: Call[], given: Set<string>): void {
  const parsed = calls.flatMap(({ id, name, arguments: args }) => {
    if (given.has(id) || id === '') return [];
    try {
      const value: unknown = JSON.parse(args);
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
      return isObject ? [{ id, name, args: value }] : [];
    } catch {
      return [];
    }
  });
  expect(tool_calls.map(({ id, name, args }) => ({ id, name, args }))).toEqual(parsed);
  expect(tool_calls.length + invalid_tool_calls.length).toBe(calls.length);
}

function toOutcome(message: AIMessage | AIMessageChunk, parts?: readonly AIMessageChunk[]): TurnOutcome {
  const { additional_kwargs, response_metadata } = message;
  const kimi: KimiMetadata = response_metadata.kimi ?? {};
  const given = (kimi.incompleteToolCalls ?? []).map(({ id }) => id);
  const calls = readCalls(message);
  checkRunnable(message as AIMessage, calls, new Set(given));
  const complete = calls.filter(({ id }) => !given.includes(id));
  const word = String(response_metadata.finish_reason);
  const usage = response_metadata.usage;
  return {
    reasoning: (additional_kwargs.reasoning_content as string | undefined) ?? '',
    content: message.text,
    toolCalls: complete,
    incompleteToolCalls: calls.filter(({ id }) => given.includes(id)),
    finishReason: (FINISH_WORDS.includes(word) ? word : 'other') as TurnOutcome['finishReason'],
    problems: (kimi.problems ?? []).map(({ code }) => code),
    ...(usage !== undefined && { usage }),
    ...(parts && {
      finishEvents: parts.filter((part) => part.response_metadata.finish_reason !== undefined).length,
      argumentDeltas: complete.map(({ id }) => {
        const chunks = parts.flatMap((part) => part.tool_call_chunks ?? []);
        const index = chunks.find((chunk) => chunk.id === id)?.index;
        return chunks
          .filter((chunk) => chunk.index === index && chunk.args !== '' && chunk.args !== CANCEL)
          .map(({ args }) => args as string);
      }),
    }),
  };
}

function fold(parts: readonly AIMessageChunk[]): AIMessageChunk {
  return parts.reduce((whole, part) => concat(whole, part));
}

/** A server that sends what the case says. */
function createServer(input: CaseInput): typeof fetch {
  if (input.kind === 'message') {
    const choices = [{ index: 0, ...input.choice }];
    return async () => Response.json({ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm', choices });
  }
  const events = [...toChunks(input).map((chunk) => JSON.stringify(chunk)), '[DONE]'];
  const body = events.map((event) => `data: ${event}\n\n`).join('');
  return async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

function createModel({ family, options = {}, tools }: CorpusCase, input: CaseInput) {
  const { toolChoice, ...rest } = options;
  const model = new ChatKimi({
    ...rest,
    model: MODELS[family],
    baseURL: 'http://127.0.0.1:1/v1',
    fetch: createServer(input),
    maxRetries: 0,
  });
  return model.bindTools([...(tools ?? [])], toolChoice ? { tool_choice: toolChoice } : {});
}

describeCorpus(
  {
    name: 'ChatKimi',
    async run(of, input) {
      const model = createModel(of, input);
      if (input.kind === 'message') return toOutcome(await model.invoke('Hello.'));
      const parts: AIMessageChunk[] = [];
      for await (const part of await model.stream('Hello.')) parts.push(part);
      return toOutcome(fold(parts), parts);
    },
  },
  { kinds: ['deltas', 'chunks', 'message'], chunkings: ['whole', 'as-given', 'units'] },
);
