import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import { CUT_ARGUMENTS_SEAL } from '@kimi-tc/core';
import {
  type CaseInput,
  type CorpusCase,
  type JsonObject,
  type TurnOutcome,
  toChunks,
} from '@kimi-tc/testing';
import { describeCorpus } from '@kimi-tc/testing/vitest';
import { wrapLanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { expect } from 'vitest';
import {
  createKimi,
  type KimiMetadata,
  type KimiMiddlewareOptions,
  type KimiToolCallMetadata,
  kimiMiddleware,
} from './index.ts';

type Part = LanguageModelV4StreamPart;
type Calls = Extract<LanguageModelV4Content, { type: 'tool-call' }>[];

function toCallOptions({ tools = [], options }: CorpusCase): LanguageModelV4CallOptions {
  return {
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello.' }] }],
    tools: tools.map(({ function: { name, parameters } }) => ({
      type: 'function',
      name,
      inputSchema: parameters,
    })),
    ...(options?.toolChoice && { toolChoice: { type: options.toolChoice } }),
  };
}

function toReplyOptions({ options }: CorpusCase): KimiMiddlewareOptions {
  const { toolChoice: _, ...rest } = options ?? {};
  return rest;
}

const REASONS: Record<string, LanguageModelV4FinishReason['unified']> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  content_filter: 'content-filter',
};

function toReason(word: unknown): LanguageModelV4FinishReason {
  return typeof word === 'string' && word !== ''
    ? { unified: REASONS[word] ?? 'other', raw: word }
    : { unified: 'other', raw: undefined };
}

function toUsage(raw: unknown): LanguageModelV4Usage {
  const inputTokens = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
  return {
    inputTokens,
    outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    raw: (raw ?? undefined) as Exclude<LanguageModelV4Usage['raw'], undefined>,
  };
}

interface ProviderCall {
  id: string;
  name: string;
  pieces: string[];
  started: boolean;
}

const deltaOf = (chunk: JsonObject): JsonObject => {
  const [choice] = (chunk.choices ?? []) as JsonObject[];
  return (choice?.delta ?? {}) as JsonObject;
};

/** The calls of a stream as a good provider puts them together, and which one each entry belongs to. */
function groupCalls(chunks: readonly JsonObject[]): Map<JsonObject, ProviderCall> {
  const ofEntry = new Map<JsonObject, ProviderCall>();
  const byIndex = new Map<unknown, ProviderCall>();
  let last: ProviderCall | undefined;
  for (const entry of chunks.flatMap((chunk) => (deltaOf(chunk).tool_calls ?? []) as JsonObject[])) {
    const { name, arguments: args } = (entry.function ?? {}) as { name?: string; arguments?: unknown };
    const begins = name && last && last.pieces.length > 0 && name !== last.name;
    const known = entry.index === undefined ? (begins ? undefined : last) : byIndex.get(entry.index);
    const call: ProviderCall = known ?? { id: '', name: '', pieces: [], started: false };
    if (entry.index !== undefined) byIndex.set(entry.index, call);
    ofEntry.set(entry, call);
    last = call;
    call.id ||= (entry.id as string | undefined) ?? '';
    if (name && name !== call.name) call.name += name;
    if (args) call.pieces.push(typeof args === 'object' ? JSON.stringify(args) : String(args));
  }
  // Providers make up an id where there is none.
  for (const [at, call] of [...new Set(ofEntry.values())].entries()) call.id ||= `made-up-${at}`;
  return ofEntry;
}

/** What a provider that knows nothing of Kimi makes of the chunks of a server. */
function* toParts(chunks: readonly JsonObject[]): Generator<Part> {
  let open: 'text' | 'reasoning' | undefined;
  const ofEntry = groupCalls(chunks);
  const calls = new Set<ProviderCall>();
  let reason: unknown;
  let usage: unknown;
  function* write(type: 'text' | 'reasoning', delta: unknown): Generator<Part> {
    if (typeof delta !== 'string' || delta === '') return;
    if (open !== type) {
      if (open) yield { type: `${open}-end`, id: `${open}-0` };
      yield { type: `${type}-start`, id: `${type}-0` };
      open = type;
    }
    yield { type: `${type}-delta`, id: `${type}-0`, delta };
  }
  function* begin(): Generator<Part> {
    for (const call of calls) {
      if (!call.started) yield { type: 'tool-input-start', id: call.id, toolName: call.name };
      call.started = true;
    }
  }
  yield { type: 'stream-start', warnings: [] };
  for (const chunk of chunks) {
    usage = chunk.usage ?? usage;
    const [choice] = (chunk.choices ?? []) as JsonObject[];
    if (!choice) continue;
    usage = choice.usage ?? usage;
    reason = choice.finish_reason || reason;
    const delta = deltaOf(chunk);
    yield* write('reasoning', delta.reasoning_content || delta.reasoning);
    yield* write('text', delta.content);
    for (const entry of (delta.tool_calls ?? []) as JsonObject[]) {
      const call = ofEntry.get(entry);
      const { arguments: args } = (entry.function ?? {}) as { arguments?: unknown };
      if (!call) continue;
      calls.add(call);
      if (!args) continue;
      yield* begin();
      const text = typeof args === 'object' ? JSON.stringify(args) : String(args);
      yield { type: 'tool-input-delta', id: call.id, delta: text };
    }
  }
  if (open) yield { type: `${open}-end`, id: `${open}-0` };
  yield* begin();
  for (const { id, name, pieces } of calls) {
    yield { type: 'tool-input-end', id };
    yield { type: 'tool-call', toolCallId: id, toolName: name, input: pieces.join('') };
  }
  yield { type: 'finish', finishReason: toReason(reason), usage: toUsage(usage) };
}

function toContent(message: JsonObject): LanguageModelV4Content[] {
  const { content, tool_calls } = message;
  const reasoning = message.reasoning_content || message.reasoning;
  return [
    ...(typeof reasoning === 'string' ? [{ type: 'reasoning' as const, text: reasoning }] : []),
    ...(typeof content === 'string' ? [{ type: 'text' as const, text: content }] : []),
    ...((tool_calls ?? []) as JsonObject[]).map(({ id, function: call }): Calls[number] => {
      const { name, arguments: args } = call as { name: string; arguments: unknown };
      const input = typeof args === 'string' ? args : JSON.stringify(args);
      return { type: 'tool-call', toolCallId: id as string, toolName: name, input };
    }),
  ];
}

function metadataOf<Metadata>(part: { providerMetadata?: SharedV4ProviderMetadata }): Partial<Metadata> {
  return (part.providerMetadata?.kimi ?? {}) as Partial<Metadata>;
}

const incompleteOf = (call: Calls[number]) => metadataOf<KimiToolCallMetadata>(call).incomplete;

function toTurnOutcome(
  text: Pick<TurnOutcome, 'reasoning' | 'content'>,
  calls: Calls,
  end: Pick<LanguageModelV4GenerateResult, 'finishReason' | 'usage' | 'providerMetadata'>,
): TurnOutcome {
  return {
    ...text,
    toolCalls: calls
      .filter((call) => !incompleteOf(call))
      .map(({ toolCallId, toolName, input }, index) => ({
        index,
        id: toolCallId,
        name: toolName,
        arguments: input,
      })),
    incompleteToolCalls: calls.filter(incompleteOf).map(({ toolName, input }) => ({
      name: toolName === 'unknown_tool' ? '' : toolName,
      arguments: input.replace(CUT_ARGUMENTS_SEAL, ''),
    })),
    finishReason: end.finishReason.unified.replace('-', '_') as TurnOutcome['finishReason'],
    problems: (metadataOf<KimiMetadata>(end).problems ?? []).map(({ code }) => code),
    usage: end.usage.raw,
  };
}

/** Where the parts break the order that the SDK's readers count on, which holds whatever the input was. */
function findDisorder(parts: readonly Part[]): string[] {
  let open: string | undefined;
  let written = '';
  const inputs = new Map<string, { text: string; ended: boolean }>();
  const called = new Set<string>();
  const found: string[] = [];
  let at = 0;
  // Said without `expect`, as it is asked for each part of some fifty thousand streams.
  const demand = (holds: boolean, what: string) => {
    if (!holds) found.push(`${parts[at]?.type} at ${at}: ${what}`);
  };
  for (const part of parts) {
    if (part.type.startsWith('tool-') || part.type.endsWith('-start') || part.type === 'finish')
      demand(open === undefined, 'in an open block');
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        open = part.type.replace('start', part.id);
        written = '';
        break;
      case 'text-delta':
      case 'reasoning-delta':
        demand(part.type.replace('delta', part.id) === open, 'outside of its block');
        written += part.delta;
        break;
      case 'text-end':
      case 'reasoning-end':
        demand(part.type.replace('end', part.id) === open, 'of no open block');
        demand(written !== '', 'of an empty block');
        open = undefined;
        break;
      case 'tool-input-start':
        demand(!inputs.has(part.id), 'a second time');
        inputs.set(part.id, { text: '', ended: false });
        break;
      case 'tool-input-delta': {
        const input = inputs.get(part.id);
        demand(input?.ended === false, 'of no open input');
        if (input) input.text += part.delta;
        break;
      }
      case 'tool-input-end': {
        const input = inputs.get(part.id);
        demand(input?.ended === false, 'of no open input');
        if (input) input.ended = true;
        break;
      }
      case 'tool-call': {
        demand(!called.has(part.toolCallId), 'a second time');
        called.add(part.toolCallId);
        const input = inputs.get(part.toolCallId);
        if (incompleteOf(part)) demand(!isJson(part.input), 'given up, but its input is whole');
        // A call that was given up before it had a name never started.
        else demand(input?.ended === true, 'without its input');
        if (input) demand(part.input === input.text, 'with another input');
        break;
      }
      case 'finish':
        demand(
          [...inputs.keys()].every((id) => called.has(id)),
          'before all calls came',
        );
        demand(at === parts.length - 1, 'not at the end');
        break;
      case 'error':
        demand(false, String(part.error));
    }
    at++;
  }
  return parts.at(-1)?.type === 'finish' ? found : [...found, 'no finish'];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

interface Seen {
  part: Part;
  /** Chunks that had been handed in. */
  at: number;
}

function foldStream(seen: readonly Seen[]): TurnOutcome {
  const parts = seen.map(({ part }) => part);
  expect(findDisorder(parts)).toEqual([]);
  const end = parts.at(-1) as Extract<Part, { type: 'finish' }>;
  const textOf = (type: 'text-delta' | 'reasoning-delta') =>
    parts.map((part) => (part.type === type ? part.delta : '')).join('');
  const begun = parts.flatMap((part) => (part.type === 'tool-input-start' ? [part.id] : []));
  const calls = parts.filter((part) => part.type === 'tool-call');
  calls.sort((a, b) => begun.indexOf(a.toolCallId) - begun.indexOf(b.toolCallId));
  const outcome = toTurnOutcome(
    { reasoning: textOf('reasoning-delta'), content: textOf('text-delta') },
    calls,
    end,
  );
  const deltas = outcome.toolCalls.map(({ id }) =>
    seen.flatMap(({ part, at }) =>
      part.type === 'tool-input-delta' && part.id === id ? [{ delta: part.delta, at }] : [],
    ),
  );
  return {
    ...outcome,
    argumentDeltas: deltas.map((own) => own.map(({ delta }) => delta)),
    argumentsLeftEarly: deltas.map((own) => (own[0]?.at ?? 0) < (own.at(-1)?.at ?? 0)),
    finishEvents: parts.filter(({ type }) => type === 'finish').length,
  };
}

async function readAll(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  handedIn: () => number,
): Promise<Seen[]> {
  const seen: Seen[] = [];
  const { stream } = await model.doStream(options);
  for await (const part of stream as unknown as AsyncIterable<Part>) seen.push({ part, at: handedIn() });
  return seen;
}

function foldResult({ content, ...end }: LanguageModelV4GenerateResult): TurnOutcome {
  const textOf = (type: 'text' | 'reasoning') =>
    content.map((part) => (part.type === type ? part.text : '')).join('');
  const calls = content.filter((part) => part.type === 'tool-call');
  expect(calls.filter((call) => incompleteOf(call) && isJson(call.input))).toEqual([]);
  return toTurnOutcome({ reasoning: textOf('reasoning'), content: textOf('text') }, calls, end);
}

async function playMiddleware(of: CorpusCase, input: CaseInput): Promise<TurnOutcome> {
  let handedIn = 0;
  const model = wrapLanguageModel({
    model: new MockLanguageModelV4({
      modelId: 'kimi-k2',
      async doStream() {
        const parts = toParts(toChunks(input));
        const stream = new ReadableStream<Part>({
          pull(controller) {
            const { value, done } = parts.next();
            if (done) return controller.close();
            handedIn++;
            controller.enqueue(value);
          },
        });
        return { stream };
      },
      async doGenerate() {
        if (input.kind !== 'message') throw new Error(`no message in ${input.kind}`);
        const { message, finish_reason, usage } = input.choice;
        return {
          content: toContent(message as JsonObject),
          finishReason: toReason(finish_reason),
          usage: toUsage(usage),
          warnings: [],
        };
      },
    }),
    middleware: kimiMiddleware(toReplyOptions(of)),
  });
  const options = toCallOptions(of);
  if (input.kind === 'message') return foldResult(await model.doGenerate(options));
  return foldStream(await readAll(model, options, () => handedIn));
}

/** A server that answers as the case says. */
function toServer(input: CaseInput, onChunk: () => void): typeof fetch {
  const head = { id: 'chatcmpl-1', created: 1, model: 'kimi-k2' };
  return async () => {
    if (input.kind === 'message') {
      return Response.json({ ...head, object: 'chat.completion', choices: [{ index: 0, ...input.choice }] });
    }
    const chunks = toChunks(input).values();
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const { value, done } = chunks.next();
        if (!done) onChunk();
        const data = done ? '[DONE]' : JSON.stringify({ ...head, object: 'chat.completion.chunk', ...value });
        controller.enqueue(encoder.encode(`data: ${data}\n\n`));
        if (done) controller.close();
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
}

async function playProvider(of: CorpusCase, input: CaseInput): Promise<TurnOutcome> {
  let handedIn = 0;
  const provider = createKimi({
    baseURL: 'http://localhost/v1',
    fetch: toServer(input, () => handedIn++),
    ...toReplyOptions(of),
  });
  const model = provider('kimi-k2');
  const options = toCallOptions(of);
  if (input.kind === 'message') return foldResult(await model.doGenerate(options));
  return foldStream(await readAll(model, options, () => handedIn));
}

// Where a text is cut matters to the transform of the fetch alone, and its own corpus cuts at every position; what
// the provider adds never looks into a delta. Here that would be fifty thousand replies through the whole SDK.
describeCorpus(
  { name: 'the provider', run: playProvider },
  { kinds: ['deltas', 'chunks', 'message'], chunkings: ['whole', 'as-given', 'units'] },
);

describeCorpus(
  { name: 'the middleware around any model', run: playMiddleware },
  {
    kinds: ['deltas', 'chunks', 'message'],
    skip: {
      'one-index-for-all-calls': 'a provider that goes by the index has made one call of all',
      'one-index-without-arguments': 'a provider that goes by the index has made one call of all',
      'two-calls-under-one-index-and-no-id': 'a provider that goes by the index has made one call of all',
      'two-calls-under-one-id': 'a provider gives one of them another id, or has mixed them up',
      'index-comes-late': 'one that goes by the index has made two calls of it',
    },
  },
);
