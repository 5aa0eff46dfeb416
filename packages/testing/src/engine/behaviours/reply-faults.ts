import { isObject } from '../../json.ts';
import type { Behaviour, RequestBody } from '../behaviour.ts';
import { slicePieces } from '../pieces.ts';
import { hasCalls, mapCalls, type Part, type Reply, textPart } from '../reply.ts';

export type ReplyFault =
  | 'reasoning-field'
  | 'native-and-leaked'
  | 'finish-stop-with-calls'
  | 'reasoning-only'
  | 'foreign-ids-end-turn'
  | 'conversation-index'
  | 'generated-ids'
  | 'repeated-ids'
  | 'space-before-name'
  | 'arguments-at-once'
  | 'arguments-twice';

/** What a server that parses gets wrong in the reply, streamed or not. */
export const replyFaults: Readonly<Record<ReplyFault, Behaviour>> = {
  'reasoning-field': {
    doc: 'Calls the field of the thought `reasoning`.',
    source: 'Mininglamp-OSS/octo-smart-summary#2',
    editReply: (reply) => ({
      ...reply,
      parts: reply.parts.map((part) =>
        part.type === 'text' && part.field === 'reasoning_content' ? { ...part, field: 'reasoning' } : part,
      ),
    }),
  },
  'native-and-leaked': {
    doc: 'Sends each call twice: as `tool_calls`, and as raw text in `content` in front of them.',
    source: 'vllm-project/vllm#31207',
    editReply: (reply, { pieces }) => leakTwin(reply, pieces),
  },
  'finish-stop-with-calls': {
    doc: 'Says `stop` although there are calls.',
    source: 'vllm-project/vllm#43155, ollama/ollama#14592',
    editReply: (reply) => (hasCalls(reply.parts) ? { ...reply, finishReason: 'stop' } : reply),
  },
  'reasoning-only': {
    doc: 'The turn ends behind the thought: no text, no call, finish reason `stop`.',
    source: 'MoonshotAI/Kimi-K2#128, MoonshotAI/kimi-code#520',
    editReply: endBehindThought,
  },
  'foreign-ids-end-turn': {
    doc: 'As `reasoning-only`, but only if an earlier call of the conversation has an id that is not `functions.NAME:NUMBER`.',
    source: 'MoonshotAI/kimi-code#3429, vllm-project/vllm#50768',
    editReply: (reply, { body }) => (hasForeignIds(body) ? endBehindThought(reply) : reply),
  },
  'conversation-index': {
    doc: 'The `index` of a call is the number in its id, so it neither starts at 0 nor is dense.',
    source: 'sgl-project/sglang#10600',
    editReply: (reply) =>
      mapCalls(reply, (call) => ({ ...call, index: Number(/\d+$/.exec(call.id)?.[0] ?? 0) })),
  },
  'generated-ids': {
    doc: 'Makes up ids, `call_` and digits, in place of those of the model.',
    source: 'sgl-project/sglang#9606',
    editReply: (reply, { body }) =>
      mapCalls(reply, (call) => {
        const seed = (JSON.stringify(body.messages ?? '').length * 31 + call.index).toString(16);
        return { ...call, id: `call_${seed.padStart(24, '0')}` };
      }),
  },
  'repeated-ids': {
    doc: 'Numbers ids anew in each turn, so that they come back in the next one.',
    source: 'OpenRouterTeam/ai-sdk-provider#160, fw-ai/fireconnect#16',
    editReply: (reply) =>
      mapCalls(reply, (call) => ({ ...call, id: `functions.${call.name}:${call.index}` })),
  },
  'space-before-name': {
    doc: 'A space stands in front of the name of each call.',
    source: 'anomalyco/opencode#4279',
    editReply: (reply) => mapCalls(reply, (call) => ({ ...call, name: ` ${call.name}` })),
  },
  'arguments-at-once': {
    doc: 'Withholds the arguments of a call until it is complete and sends them in one delta.',
    source: 'vllm-project/vllm#41182',
    editReply: (reply) => mapCalls(reply, (call) => ({ ...call, pieces: [call.pieces.join('')] })),
  },
  'arguments-twice': {
    doc: 'Sends the arguments, and then all of them once more.',
    source: 'lidge-jun/opencodex#361',
    editReply: (reply) =>
      mapCalls(reply, (call) => ({ ...call, pieces: [...call.pieces, call.pieces.join('')] })),
  },
};

function leakTwin(reply: Reply, pieces: readonly string[]): Reply {
  const text = pieces.join('');
  const start = text.indexOf('<|tool_calls_section_begin|>');
  const first = reply.parts.findIndex(({ type }) => type === 'call');
  if (start === -1 || first === -1) return reply;
  const leaked = textPart('content', slicePieces(pieces, start, text.replace(/<\|im_end\|>$/, '').length));
  const parts: Part[] = [...reply.parts.slice(0, first), leaked, ...reply.parts.slice(first)];
  return { ...reply, parts };
}

function endBehindThought(reply: Reply): Reply {
  const thought = reply.parts.filter((part) => part.type === 'text' && part.field !== 'content');
  return { parts: thought, finishReason: 'stop' };
}

function hasForeignIds(body: RequestBody): boolean {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isObject) : [];
  return messages
    .flatMap((message) => (Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : []))
    .some((call) => !/^functions\..+:\d+$/.test(String(call.id)));
}
