import type { RequestBody } from './behaviour.ts';
import type { Chunk } from './chunk.ts';
import { type Pieces, slicePieces } from './pieces.ts';
import type { ChunkHead } from './render-chat.ts';

/** Cuts the text in front of the first stop string of the request. */
export function stopAt(pieces: Pieces, { stop }: RequestBody): Pieces {
  const stops = (Array.isArray(stop) ? stop : [stop]).filter((one): one is string => typeof one === 'string');
  const text = pieces.join('');
  const ends = stops.map((one) => text.indexOf(one)).filter((end) => end !== -1);
  return ends.length === 0 ? pieces : slicePieces(pieces, 0, Math.min(...ends));
}

/** The chunks of one streamed choice of a text completion. */
export function toTextChunks(pieces: Pieces, finishReason: string, index: number, head: ChunkHead): Chunk[] {
  const toChunk = (text: string, finish_reason: string | null): Chunk => ({
    ...head,
    object: 'text_completion',
    choices: [{ index, text, finish_reason }],
  });
  return [...pieces.map((piece) => toChunk(piece, null)), toChunk('', finishReason)];
}
