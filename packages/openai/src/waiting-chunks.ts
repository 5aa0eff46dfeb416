import type { JsonObject } from './json.ts';
import { isAlike, isEmptyPiece, isSamePiece, joinPieces, lengthOf, type Piece } from './pieces.ts';

/**
 * Chunks between the moment they came and the moment it is known whether they pass as they are: as
 * soon as the parser has made of the text exactly what they say.
 *
 * - Of a chunk with text, the end may be the beginning of a marker: the chunk waits with it, as long
 *   as no more than that is missing.
 * - A chunk of which the parser has made nothing yet (white space in front of text, the first fragment
 *   of a call, whose name may go on) waits until it says something. What goes on with other calls passes it.
 * - A fragment without arguments waits until its call is told: under another index, or not told at all, it goes.
 */
export interface WaitingChunks {
  /**
   * Takes the next chunks.
   *
   * @param made what the parser has made of them
   * @param mayWait whether they may leave later than they came
   */
  push(chunks: readonly SayingChunk[], made: readonly Piece[], mayWait: boolean): Passed;
  /** Takes what the parser has made without a chunk that could pass; nothing waits any more. */
  flush(made: readonly Piece[]): Passed;
  /** Nothing waits. */
  isEmpty(): boolean;
  /** How much of what waiting chunks say has not been made yet, in UTF-16 units. */
  missing(): number;
}

/** A chunk and what it says; what stands for several chunks of one text counts as one. */
export interface SayingChunk {
  chunk: JsonObject;
  pieces: readonly Piece[];
  /** The chunk without what it says, if there is more in it: it leaves where what is said leaves otherwise. */
  rest?: JsonObject | undefined;
}

export interface Passed {
  /** Chunks that leave as they came, in order, and what is left of those that do not, but for the last one. */
  chunks: JsonObject[];
  /** What has been made besides, to be sent behind them. */
  pieces: readonly Piece[];
  /** What became of the last chunk. */
  own: 'passes' | 'waits' | 'changes';
}

/** UTF-16 units that a marker can have before it is whole. */
const LONGEST_TAIL = 29;

/** More chunks than this are not worth keeping: the parser is in the middle of a call. */
const MAX_WAITING = 64;

export function createWaitingChunks(): WaitingChunks {
  let queue: SayingChunk[] = [];
  /** What has been made and not been sent, as chunks in the queue say it and are not complete yet. */
  let unsent: readonly Piece[] = [];
  /** The indexes of calls whose beginning has left. */
  const told = new Set<number>();

  function tell(pieces: readonly Piece[]): void {
    for (const piece of pieces) if (piece.type === 'tool-call') told.add(piece.index);
  }

  function takeComplete(): JsonObject[] {
    const chunks: JsonObject[] = [];
    const waits: SayingChunk[] = [];
    let at = 0;
    for (; at < queue.length; at++) {
      const one = queue[at] as SayingChunk;
      const rest = removeStart(unsent, one.pieces, told);
      if (rest) {
        tell(one.pieces);
        chunks.push(one.chunk);
      } else if (onlyBegins(one)) waits.push(one);
      else break;
      unsent = rest ?? unsent;
    }
    queue = [...waits, ...queue.slice(at)];
    return chunks;
  }

  /** Whether a chunk only begins calls of which nothing has been made yet: those of others need not wait for it. */
  function onlyBegins({ pieces }: SayingChunk): boolean {
    return pieces.every(
      (piece) =>
        (piece.type === 'tool-call' || isEmptyPiece(piece)) && !unsent.some((one) => isAlike(one, piece)),
    );
  }

  /** Whether no more is missing of what was begun than may be the beginning of a marker. */
  function isNearlyMade(): boolean {
    if (unsent.length === 0) return true;
    const begun = queue.filter((one) => !onlyBegins(one));
    const left = removeStart(joinPieces(begun.map(({ pieces }) => pieces)), unsent, told);
    return left !== undefined && lengthOf(left) <= LONGEST_TAIL;
  }

  function giveUp(chunks: readonly JsonObject[], left: readonly SayingChunk[], own: Passed['own']): Passed {
    const pieces = unsent;
    queue = [];
    unsent = [];
    tell(pieces);
    return { chunks: [...chunks, ...left.flatMap(({ rest }) => (rest ? [rest] : []))], pieces, own };
  }

  return {
    push(given, made, mayWait) {
      const [{ chunk, pieces }] = given as [SayingChunk];
      if (queue.length === 0 && given.length === 1 && isSame(pieces, made)) {
        tell(made);
        return { chunks: [chunk], pieces: [], own: 'passes' };
      }
      queue.push(...given);
      unsent = unsent.length === 0 ? made : joinPieces([unsent, made]);
      const chunks = takeComplete();
      const last = given.at(-1);
      if (!queue.some((one) => one === last)) {
        return unsent.length > 0 ? giveUp(chunks, queue, 'passes') : { chunks, pieces: [], own: 'passes' };
      }
      if (mayWait && queue.length <= MAX_WAITING && isNearlyMade())
        return { chunks, pieces: [], own: 'waits' };
      return giveUp(chunks, queue.slice(0, -1), 'changes');
    },
    flush(made) {
      unsent = joinPieces([unsent, made]);
      return giveUp(takeComplete(), queue, 'changes');
    },
    isEmpty: () => queue.length === 0,
    missing: () => lengthOf(queue.flatMap(({ pieces }) => pieces)) - lengthOf(unsent),
  };
}

function isSame(own: readonly Piece[], made: readonly Piece[]): boolean {
  return own.length === made.length && own.every((piece, at) => isSamePiece(piece, made[at] as Piece));
}

/**
 * What is left of `pieces` behind `start`; `undefined` if they do not begin with all of it.
 *
 * @param told the calls that may go on with nothing
 */
function removeStart(
  pieces: readonly Piece[],
  start: readonly Piece[],
  told: ReadonlySet<number>,
): readonly Piece[] | undefined {
  const rest = [...pieces];
  for (const wanted of start) {
    if (isEmptyPiece(wanted)) {
      if (told.has(wanted.index)) continue;
      return undefined;
    }
    const [first] = rest;
    if (!first || !isAlike(first, wanted)) return undefined;
    if (first.type === 'tool-call' || wanted.type === 'tool-call' || first.text === wanted.text) rest.shift();
    else if (first.text.startsWith(wanted.text))
      rest[0] = { ...first, text: first.text.slice(wanted.text.length) };
    else return undefined;
  }
  return rest;
}
