import { isDeepStrictEqual } from 'node:util';
import { CUT_ARGUMENTS_SEAL } from '@kimi-tc/core';
import {
  type CaseInput,
  type CorpusCase,
  type JsonObject,
  type TurnOutcome,
  toChunks,
} from '@kimi-tc/testing';
import { describeCorpus } from '@kimi-tc/testing/vitest';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk, type BaseMessage, defaultToolCallParser } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { concat } from '@langchain/core/utils/stream';
import { createAgent, createMiddleware } from 'langchain';
import { ChatKimi, type KimiMetadata, KimiOutputParser, type KimiReplyOptions } from './index.ts';
import { kimiAgentMiddleware } from './kimi-agent-middleware.ts';

const MODELS = {
  k2: 'kimi-k2-0905-preview',
  thinking: 'kimi-k2-thinking',
  'k2.5': 'kimi-k2.5',
  k3: 'kimi-k3',
};
const FINISH_WORDS: readonly string[] = ['stop', 'length', 'tool_calls', 'content_filter', 'error'];

interface Call {
  id: string;
  name: string;
  arguments: string;
}

/** Without what ends calls that must not run, on the wire and here. */
function unsealed(args: string): string {
  return args.split(CUT_ARGUMENTS_SEAL)[0] ?? '';
}

/** The calls of a message with their exact text, in order, whatever LangChain made of them. */
function readCalls(message: AIMessage | AIMessageChunk): Call[] {
  const { tool_calls = [], invalid_tool_calls = [], additional_kwargs } = message;
  if (AIMessageChunk.isInstance(message) && message.tool_call_chunks?.length) {
    return message.tool_call_chunks.map(({ id = '', name = '', args = '' }) => ({
      id,
      name,
      arguments: unsealed(args),
    }));
  }
  const raw = new Map(additional_kwargs.tool_calls?.map((call) => [call.id, call.function.arguments]));
  return [
    ...tool_calls.map(({ id = '', name }) => ({ id, name, arguments: raw.get(id) ?? 'not there' })),
    ...invalid_tool_calls.map(({ id = '', name = '', args = '' }) => ({ id, name, arguments: args })),
  ];
}

/** Only what is a JSON object may be run, and all of that. */
function checkRunnable(
  { tool_calls = [], invalid_tool_calls = [] }: AIMessage,
  calls: Call[],
  given: Set<string>,
): void {
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
  const run = tool_calls.map(({ id, name, args }) => ({ id, name, args }));
  if (!isDeepStrictEqual(run, parsed)) throw new Error(`would run ${JSON.stringify(run)}`);
  if (run.length + invalid_tool_calls.length !== calls.length)
    throw new Error('a call is neither valid nor invalid');
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
          .filter((chunk) => chunk.index === index && unsealed(chunk.args ?? '') !== '')
          .map(({ args }) => args as string);
      }),
    }),
  };
}

function fold(parts: readonly AIMessageChunk[]): AIMessageChunk {
  return parts.reduce((whole, part) => concat(whole, part));
}

/** A server that sends what the case says, an event at a time. */
function createServer(input: CaseInput): typeof fetch {
  if (input.kind === 'message') {
    const choices = [{ index: 0, ...input.choice }];
    return async () =>
      Response.json({ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm', choices });
  }
  const events = [...toChunks(input).map((chunk) => JSON.stringify(chunk)), '[DONE]'];
  return async () => {
    const left = events.values();
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        const { value, done } = left.next();
        if (done) controller.close();
        else controller.enqueue(new TextEncoder().encode(`data: ${value}\n\n`));
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
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

/** What a model that knows nothing of Kimi makes of the chunks of a server. */
async function* toModelParts(
  input: CaseInput,
  onPart: () => void = () => {},
): AsyncGenerator<AIMessageChunk> {
  for (const chunk of toChunks(input)) {
    onPart();
    const [choice] = (chunk.choices ?? []) as JsonObject[];
    const usage = (chunk.usage ?? choice?.usage) as JsonObject | undefined;
    const delta = (choice?.delta ?? {}) as Delta;
    const reasoning = delta.reasoning_content || delta.reasoning;
    yield new AIMessageChunk({
      content: delta.content ?? '',
      additional_kwargs: reasoning ? { reasoning_content: reasoning } : {},
      tool_call_chunks: (delta.tool_calls ?? []).map(({ index, id, function: f = {} }) => ({
        type: 'tool_call_chunk' as const,
        ...(index !== undefined && { index }),
        ...(id && { id }),
        ...(f.name && { name: f.name }),
        ...(f.arguments !== undefined && { args: toText(f.arguments) }),
      })),
      response_metadata: {
        ...(choice?.finish_reason ? { finish_reason: choice.finish_reason } : {}),
        ...(usage && { usage }),
      },
    });
  }
}

interface Delta {
  content?: string | null;
  reasoning_content?: string | null;
  reasoning?: string | null;
  tool_calls?: { index?: number; id?: string; function?: { name?: string; arguments?: unknown } }[] | null;
}

function toText(args: unknown): string {
  return typeof args === 'string' ? args : JSON.stringify(args);
}

/** The same of a whole message, with the calls as LangChain's models read them. */
function toModelMessage({ message, finish_reason, usage }: JsonObject): AIMessage {
  const { content, reasoning_content, reasoning, tool_calls } = message as unknown as Delta;
  const thought = reasoning_content || reasoning;
  const raw = (tool_calls ?? []).map(({ id = '', function: f = {} }) => ({
    id,
    type: 'function' as const,
    function: { name: f.name ?? '', arguments: toText(f.arguments ?? '') },
  }));
  const [valid, invalid] = defaultToolCallParser(raw);
  return new AIMessage({
    content: content ?? '',
    tool_calls: valid,
    invalid_tool_calls: invalid,
    additional_kwargs: {
      ...(thought && { reasoning_content: thought }),
      ...(raw.length > 0 && { tool_calls: raw }),
    },
    response_metadata: { ...(finish_reason ? { finish_reason } : {}), ...(usage ? { usage } : {}) },
  });
}

function toReplyOptions({ options, tools }: CorpusCase): KimiReplyOptions {
  return { ...options, ...(tools && { tools }) };
}

describeCorpus(
  {
    name: 'KimiOutputParser',
    async run(of, input) {
      const parser = new KimiOutputParser(toReplyOptions(of));
      if (input.kind === 'message') return toOutcome(await parser.invoke(toModelMessage(input.choice)));
      const parts: AIMessageChunk[] = [];
      const handedIn: number[] = [];
      let count = 0;
      const source = toModelParts(input, () => {
        count++;
      });
      for await (const part of parser.transform(source, {})) {
        parts.push(part);
        handedIn.push(count);
      }
      const outcome = toOutcome(fold(parts), parts);
      return {
        ...outcome,
        argumentsLeftEarly: outcome.toolCalls.map(({ id }) => leftEarly(id, parts, handedIn)),
      };
    },
  },
  // Cutting in two is for the parser of core, which plays that itself; here it would take minutes.
  { kinds: ['deltas', 'chunks', 'message'], chunkings: ['whole', 'as-given', 'units'] },
);

/** Whether the first arguments of a call left before the source had handed in what the last one needs. */
function leftEarly(id: string, parts: readonly AIMessageChunk[], handedIn: readonly number[]): boolean {
  const index = parts.flatMap((part) => part.tool_call_chunks ?? []).find((chunk) => chunk.id === id)?.index;
  const times = parts.flatMap((part, at) =>
    part.tool_call_chunks?.some((chunk) => chunk.index === index && chunk.args !== '')
      ? [handedIn[at] ?? 0]
      : [],
  );
  return (times[0] ?? 0) < (times.at(-1) ?? 0);
}

/** A model as any other class has it: nothing is read, and what was streamed is joined. */
class OtherModel extends BaseChatModel {
  private readonly reply: BaseMessage;

  constructor(reply: BaseMessage) {
    super({});
    this.reply = reply;
  }

  override _llmType(): string {
    return 'other';
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(): Promise<ChatResult> {
    return { generations: [{ text: '', message: this.reply }] };
  }
}

async function toReply(input: CaseInput): Promise<BaseMessage> {
  if (input.kind === 'message') return toModelMessage(input.choice);
  const parts: AIMessageChunk[] = [];
  for await (const part of toModelParts(input)) parts.push(part);
  return fold(parts);
}

describeCorpus(
  {
    name: 'kimiAgentMiddleware, in an agent',
    async run(of, input) {
      const { toolChoice, ...reply } = of.options ?? {};
      const choose = createMiddleware({
        name: 'Choose',
        wrapModelCall: (request, handler) => handler({ ...request, ...(toolChoice && { toolChoice }) }),
      });
      const agent = createAgent({
        model: new OtherModel(await toReply(input)),
        // As tools of a provider they are for the model alone, so that the agent ends with its reply.
        tools: (of.tools ?? []).map((one) => ({ ...one })),
        middleware: [choose, kimiAgentMiddleware({ ...reply, invalidCallRetries: 0 })],
      });
      const { messages } = await agent.invoke({ messages: 'Hello.' });
      return toOutcome(messages.at(-1) as AIMessage);
    },
  },
  {
    kinds: ['deltas', 'chunks', 'message'],
    chunkings: ['whole', 'as-given'],
    skip: {
      'broken-string-then-two-calls': 'an AIMessage keeps calls that must not run in a list of their own',
      'call-crosses-fields-inside-arguments': 'a whole message does not tell how its fields took turns',
      'open-quote-then-reasoning-field': 'a whole message does not tell how its fields took turns',
      'corrupt-name': 'LangChain keeps the last piece of a name when it joins chunks',
      'name-goes-on-behind-another-call': 'LangChain keeps the last piece of a name when it joins chunks',
      'name-goes-on-beside-arguments': 'LangChain keeps the last piece of a name when it joins chunks',
      'name-goes-on-behind-another-call-to-a-longer-one':
        'LangChain keeps the last piece of a name when it joins chunks',
      'name-in-fragments': 'LangChain keeps the last piece of a name when it joins chunks',
      'structured-name-in-pieces': 'LangChain keeps the last piece of a name when it joins chunks',
      'one-index-for-all-calls': 'LangChain makes one call of all that have one index when it joins chunks',
      'two-calls-under-one-id': 'LangChain makes one call of all that have one id when it joins chunks',
      'two-calls-under-one-index-and-no-id':
        'LangChain makes one call of all that have one index when it joins chunks',
      'one-index-without-arguments':
        'LangChain gives a piece to the first call of its index when it joins chunks',
    },
  },
);
