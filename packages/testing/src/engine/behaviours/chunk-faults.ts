import type { JsonValue } from '../../json.ts';
import type { Behaviour } from '../behaviour.ts';
import {
  type CallDelta,
  type ChatChoice,
  type Chunk,
  callsOf,
  isFinish,
  withCalls,
  withDelta,
} from '../chunk.ts';

export type ChunkFault =
  | 'empty-tool-call-deltas'
  | 'tool-calls-on-every-delta'
  | 'fresh-id-per-fragment'
  | 'empty-role-and-type'
  | 'split-name'
  | 'repeated-name'
  | 'empty-name-on-fragments'
  | 'whole-call-in-one-delta'
  | 'same-index-twice'
  | 'one-index-for-all-calls'
  | 'interleaved-calls'
  | 'arguments-as-object'
  | 'reasoning-in-both-fields'
  | 'finish-twice'
  | 'no-finish'
  | 'usage-in-choices';

/** How a reply is dressed up for the wire, wrongly or unusually. */
export const chunkFaults: Readonly<Record<ChunkFault, Behaviour>> = {
  'empty-tool-call-deltas': {
    doc: 'Every `tool_calls` is an empty list, although the finish reason is `tool_calls`.',
    source: 'vllm-project/vllm#54701',
    editChunks: (chunks) => chunks.map((chunk) => withCalls(chunk, [])),
    editChoice: (choice) => withMessageCalls(choice, () => []),
  },
  'tool-calls-on-every-delta': {
    doc: 'An empty `tool_calls` stands beside every piece of text.',
    source: 'microsoft/vscode#330038',
    editChunks: (chunks) =>
      chunks.map((chunk) => withDelta(chunk, (delta) => ({ tool_calls: [], ...delta }))),
  },
  'fresh-id-per-fragment': {
    doc: 'Each fragment of a call has an id of its own.',
    source: 'NousResearch/hermes-agent#45164',
    editChunks: (chunks) =>
      chunks.map((chunk, at) =>
        withCalls(
          chunk,
          callsOf(chunk).map((call) => ({
            ...call,
            id: `tool_${(at * 7919).toString(36)}`,
            type: 'function',
          })),
        ),
      ),
  },
  'empty-role-and-type': {
    doc: 'After the first chunk `role` is an empty string, and so are `id` and `type` on later fragments of a call.',
    source: 'langchain-ai/langchainjs#11468, MiniMax-AI/MiniMax-M2.5#2',
    editChunks: (chunks) =>
      chunks.map((chunk, at) => {
        const calls = callsOf(chunk).map((call) => ({ id: '', type: '', ...call }));
        return withDelta(withCalls(chunk, calls), (delta) => (at === 0 ? delta : { role: '', ...delta }));
      }),
  },
  'split-name': {
    doc: 'The name of a call comes in two fragments.',
    source: 'MoonshotAI/kimi-code#3220',
    editChunks: (chunks) => chunks.flatMap(splitName),
  },
  'repeated-name': {
    doc: 'Id, type and whole name stand on every fragment of a call.',
    source: 'open-webui/open-webui#22235',
    editChunks: (chunks) => {
      const first = firstFragments(chunks);
      return mapCallDeltas(chunks, (call) => ({
        ...first.get(call.index),
        ...call,
        function: { ...first.get(call.index)?.function, ...call.function },
      }));
    },
  },
  'empty-name-on-fragments': {
    doc: 'Later fragments of a call have an empty name.',
    source: 'tailcallhq/forgecode#1122',
    editChunks: (chunks) =>
      mapCallDeltas(chunks, (call) => ({ ...call, function: { name: '', ...call.function } })),
  },
  'whole-call-in-one-delta': {
    doc: 'Each call comes in one delta, name and arguments together.',
    source: 'ollama/ollama#14592',
    editChunks: (chunks) => joinCalls(chunks, (json) => json),
  },
  'same-index-twice': {
    doc: 'A chunk holds two entries of one index: the name, and the first arguments.',
    source: 'openai/openai-python#3201',
    editChunks: joinFirstFragments,
  },
  'one-index-for-all-calls': {
    doc: 'Every call has the index 0; only ids and names tell where the next one begins.',
    source: 'vercel/ai#14277, ollama/ollama#15457',
    editChunks: (chunks) => mapCallDeltas(chunks, (call) => ({ ...call, index: 0 })),
    editChoice: (choice) => withMessageCalls(choice, (calls) => calls.map((call) => ({ ...call, index: 0 }))),
  },
  'interleaved-calls': {
    doc: 'Parallel calls come in turns, a fragment of each.',
    source: 'MoonshotAI docs: Tool Use',
    editChunks: interleave,
  },
  'arguments-as-object': {
    doc: 'The arguments are an object instead of a string.',
    source: 'ollama/ollama#14592',
    editChunks: (chunks) => joinCalls(chunks, parseArguments),
    editChoice: (choice) =>
      withMessageCalls(choice, (calls) =>
        calls.map((call) => ({
          ...call,
          function: { ...call.function, arguments: parseArguments(call.function.arguments) },
        })),
      ),
  },
  'reasoning-in-both-fields': {
    doc: 'The thought stands in `reasoning_content` and in `reasoning`.',
    source: 'project case both-reasoning-fields-once',
    editChunks: (chunks) => chunks.map((chunk) => withDelta(chunk, inBothFields)),
    editChoice: (choice) => ({ ...choice, message: inBothFields(choice.message) }),
  },
  'finish-twice': {
    doc: 'The chunk with the finish reason comes twice.',
    source: 'farion1231/cc-switch#2364',
    editChunks: (chunks) => chunks.flatMap((chunk) => (isFinish(chunk) ? [chunk, chunk] : [chunk])),
  },
  'no-finish': {
    doc: 'There is no finish reason.',
    source: 'OpenRouterTeam/ai-sdk-provider#420',
    editChunks: (chunks) => chunks.filter((chunk) => !isFinish(chunk)),
    editChoice: (choice) => ({ ...choice, finish_reason: null }),
  },
  'usage-in-choices': {
    doc: 'The usage stands on the choice, asked for or not.',
    source: 'earendil-works/pi#2017',
    editChunks: (chunks, usage) =>
      chunks.map((chunk) =>
        isFinish(chunk)
          ? { ...chunk, choices: chunk.choices.map((choice) => ({ ...choice, usage })) }
          : chunk,
      ),
    editChoice: (choice, usage) => ({ ...choice, usage }),
  },
};

function mapCallDeltas(chunks: readonly Chunk[], change: (call: CallDelta) => CallDelta): Chunk[] {
  return chunks.map((chunk) => withCalls(chunk, callsOf(chunk).map(change)));
}

type MessageCalls = NonNullable<ChatChoice['message']['tool_calls']>;

function withMessageCalls(choice: ChatChoice, change: (calls: MessageCalls) => MessageCalls): ChatChoice {
  const { tool_calls } = choice.message;
  return tool_calls ? { ...choice, message: { ...choice.message, tool_calls: change(tool_calls) } } : choice;
}

/** The first fragment of each call, by index. */
function firstFragments(chunks: readonly Chunk[]): Map<number, CallDelta> {
  const first = new Map<number, CallDelta>();
  for (const call of chunks.flatMap(callsOf)) if (!first.has(call.index)) first.set(call.index, call);
  return first;
}

function splitName(chunk: Chunk): Chunk[] {
  const [call] = callsOf(chunk);
  const name = call?.function.name;
  if (!call || name === undefined) return [chunk];
  const half = Math.ceil(name.length / 2);
  return [
    withCalls(chunk, [{ ...call, function: { ...call.function, name: name.slice(0, half) } }]),
    withCalls(chunk, [{ index: call.index, function: { name: name.slice(half), arguments: '' } }]),
  ];
}

function joinCalls(chunks: readonly Chunk[], toArguments: (json: string) => JsonValue): Chunk[] {
  const first = firstFragments(chunks);
  const written = new Set<number>();
  return chunks.flatMap((chunk) => {
    const [call] = callsOf(chunk);
    if (!call) return [chunk];
    if (written.has(call.index)) return [];
    written.add(call.index);
    const json = chunks
      .flatMap(callsOf)
      .filter(({ index }) => index === call.index)
      .map((fragment) => fragment.function.arguments ?? '')
      .join('');
    const start = first.get(call.index) ?? call;
    return [withCalls(chunk, [{ ...start, function: { ...start.function, arguments: toArguments(json) } }])];
  });
}

function joinFirstFragments(chunks: readonly Chunk[]): Chunk[] {
  const joined: Chunk[] = [];
  for (const chunk of chunks) {
    const before = joined.at(-1);
    const [start] = before ? callsOf(before) : [];
    const [call] = callsOf(chunk);
    if (
      before &&
      call &&
      start?.function.name !== undefined &&
      callsOf(before).length === 1 &&
      call.index === start.index
    ) {
      joined[joined.length - 1] = withCalls(before, [start, call]);
    } else {
      joined.push(chunk);
    }
  }
  return joined;
}

function interleave(chunks: readonly Chunk[]): Chunk[] {
  const withoutCalls = chunks.filter((chunk) => callsOf(chunk).length === 0);
  const queues = new Map<number, Chunk[]>();
  for (const chunk of chunks) {
    const [call] = callsOf(chunk);
    if (call) queues.set(call.index, [...(queues.get(call.index) ?? []), chunk]);
  }
  const turns: Chunk[] = [];
  const longest = Math.max(0, ...[...queues.values()].map(({ length }) => length));
  for (let round = 0; round < longest; round += 1) {
    for (const queue of queues.values()) turns.push(...queue.slice(round, round + 1));
  }
  const first = chunks.findIndex((chunk) => callsOf(chunk).length > 0);
  return first === -1
    ? [...chunks]
    : [...withoutCalls.slice(0, first), ...turns, ...withoutCalls.slice(first)];
}

function parseArguments(json: JsonValue): JsonValue {
  try {
    return JSON.parse(String(json)) as JsonValue;
  } catch {
    return json;
  }
}

function inBothFields<Fields extends { readonly reasoning_content?: string }>(fields: Fields): Fields {
  const { reasoning_content } = fields;
  return reasoning_content === undefined ? fields : { ...fields, reasoning: reasoning_content };
}
