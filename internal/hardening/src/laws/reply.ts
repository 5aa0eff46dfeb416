import {
  type Channel,
  createAssembler,
  createParser,
  type KimiEvent,
  type KimiTurn,
  type ParserOptions,
  type ToolCallPiece,
} from '@kimi-tc/core';

/** Text of a channel, or a piece of a call that the server parsed. */
export type Piece = readonly [Channel, string] | ToolCallPiece;

/** What a server may send, and how it is read. */
export interface Reply {
  pieces: readonly Piece[];
  options: ParserOptions;
  /** The server's own word; `null` when it sent none. */
  finishReason: string | null;
}

export interface Played {
  turn: KimiTurn;
  events: KimiEvent[];
  /** Pieces handed in. */
  deltas: number;
}

export function isText(piece: Piece | undefined): piece is readonly [Channel, string] {
  return Array.isArray(piece);
}

/** The text of both channels, in the order of arrival. */
export function textOf(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (isText(piece) ? piece[1] : '')).join('');
}

/** Neighbouring pieces of one channel joined; empty ones vanish. */
export function joinPieces(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (isText(piece) && isText(last) && last[0] === piece[0]) {
      joined[joined.length - 1] = [piece[0], last[1] + piece[1]];
    } else if (!isText(piece) || piece[1] !== '') joined.push(piece);
  }
  return joined;
}

/**
 * Cuts text, and the arguments of calls whose pieces say where they belong. Names and ids are never cut.
 * @param size the length of the next piece, in UTF-16 units
 */
export function cutPieces(pieces: readonly Piece[], size: () => number): Piece[] {
  return pieces.flatMap((piece): Piece[] => {
    if (isText(piece)) return cutText(piece[1], size).map((text) => [piece[0], text]);
    const { index, arguments: args } = piece;
    if (typeof index !== 'number' || typeof args !== 'string' || args.length < 2) return [piece];
    return cutText(args, size).map((text, at) =>
      at === 0 ? { ...piece, arguments: text } : { index, arguments: text },
    );
  });
}

function cutText(text: string, size: () => number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const length = Math.max(1, size());
    parts.push(text.slice(at, at + length));
    at += length;
  }
  return parts;
}

/** Reads the pieces as they are. */
export function play({ pieces, options, finishReason }: Reply): Played {
  const assembler = createAssembler();
  const events: KimiEvent[] = [];
  const parser = createParser({
    ...options,
    onEvent(event) {
      events.push(event);
      assembler.push(event);
    },
  });
  for (const piece of pieces) {
    if (isText(piece)) parser.feed(piece[1], piece[0]);
    else parser.feedToolCall(piece);
  }
  parser.end(finishReason);
  return { turn: assembler.turn, events, deltas: pieces.length };
}
