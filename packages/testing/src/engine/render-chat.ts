import type { Behaviour, RequestBody } from './behaviour.ts';
import type { ChatChoice, ChatMessage, Chunk, Delta, Usage } from './chunk.ts';
import type { Pieces } from './pieces.ts';
import { hasCalls, type Part, type Reply, type TextField } from './reply.ts';

/** What all chunks of one answer share. */
export type ChunkHead = Pick<Chunk, 'id' | 'created' | 'model'>;

/** What behaviours do to the model's text before it is read, one after the other. */
export function editText(pieces: Pieces, rows: readonly Behaviour[]): Pieces {
  return rows.reduce((current, row) => row.editText?.(current) ?? current, pieces);
}

/**
 * Makes a reply of the model's text, as these behaviours have it.
 *
 * @throws Error if the treatment cannot read the text
 */
export function readReply(
  pieces: Pieces,
  finishReason: string | undefined,
  rows: readonly Behaviour[],
  body: RequestBody,
): Reply {
  const parts = rows.find((row) => row.treat)?.treat?.(pieces) ?? [];
  const reply: Reply = { parts, finishReason: finishReason ?? (hasCalls(parts) ? 'tool_calls' : 'stop') };
  return rows.reduce((current, row) => row.editReply?.(current, { body, pieces }) ?? current, reply);
}

/** The chunks of one streamed choice: role, a chunk for each piece, finish reason. */
export function toChatChunks(reply: Reply, index: number, head: ChunkHead): Chunk[] {
  const toChunk = (delta: Delta, finish_reason: string | null = null): Chunk => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index, delta, finish_reason }],
  });
  return [
    toChunk({ role: 'assistant', content: '' }),
    ...reply.parts.flatMap(toDeltas).map((delta) => toChunk(delta)),
    toChunk({}, reply.finishReason),
  ];
}

function toDeltas(part: Part): Delta[] {
  if (part.type === 'text') return part.pieces.map((piece) => ({ [part.field]: piece }));
  const { index, id, name } = part;
  return [
    { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
    ...part.pieces.map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ];
}

/** One choice that is not streamed. */
export function toChatChoice(reply: Reply, index: number): ChatChoice {
  const content = joinField(reply, 'content');
  const calls = reply.parts.filter((part) => part.type === 'call');
  const message: ChatMessage = {
    role: 'assistant',
    content: content ?? null,
    ...withField(reply, 'reasoning_content'),
    ...withField(reply, 'reasoning'),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, pieces }) => ({
        id,
        type: 'function',
        function: { name, arguments: pieces.join('') },
      })),
    }),
  };
  return { index, message, finish_reason: reply.finishReason };
}

function withField(reply: Reply, field: 'reasoning_content' | 'reasoning'): Partial<ChatMessage> {
  const text = joinField(reply, field);
  return text === undefined ? {} : { [field]: text };
}

function joinField(reply: Reply, field: TextField): string | undefined {
  const parts = reply.parts.filter((part) => part.type === 'text' && part.field === field);
  return parts.length === 0 ? undefined : parts.flatMap((part) => part.pieces).join('');
}

/** The chunk behind the last choice that carries the usage. */
export function toUsageChunk(usage: Usage, head: ChunkHead, object: Chunk['object']): Chunk {
  return { ...head, object, choices: [], usage };
}
