import { CUT_ARGUMENTS_SEAL, type KimiEvent } from '@kimi-tc/core';
import { contentOf, reasoningOf } from './chunk-fields.ts';
import { isObject, isThere, type JsonObject } from './json.ts';

/** What one delta can carry: the common measure of what a server sent and what the parser made of it. */
export type Piece =
  | { type: 'reasoning'; text: string }
  | { type: 'content'; text: string }
  | { type: 'tool-call'; index: number; id: string; name: string; entry?: JsonObject | undefined }
  | { type: 'arguments'; index: number; text: string };

export type TextPiece = Exclude<Piece, { type: 'tool-call' }>;

/**
 * Adds what an event puts on the wire, if anything, to `pieces`.
 *
 * @param entries those that calls were read from, by their ids
 */
export function addPiece(pieces: Piece[], event: KimiEvent, entries: ReadonlyMap<string, JsonObject>): void {
  switch (event.type) {
    case 'reasoning-delta':
      addText(pieces, { type: 'reasoning', text: event.delta });
      break;
    case 'text-delta':
      addText(pieces, { type: 'content', text: event.delta });
      break;
    case 'tool-call-delta':
      addText(pieces, { type: 'arguments', index: event.index, text: event.delta });
      break;
    case 'tool-call-start':
      pieces.push({
        type: 'tool-call',
        index: event.index,
        id: event.id,
        name: event.name,
        entry: entries.get(event.rawId),
      });
      break;
    case 'tool-call-error':
      if (event.index >= 0)
        addText(pieces, { type: 'arguments', index: event.index, text: CUT_ARGUMENTS_SEAL });
  }
}

function addText(pieces: Piece[], piece: TextPiece): void {
  const last = pieces.at(-1);
  if (last?.type === piece.type && (last.type !== 'arguments' || last.index === (piece as typeof last).index))
    last.text += piece.text;
  else pieces.push(piece);
}

/**
 * Reads what a delta carries.
 *
 * @param isOpen whether a call of that index has had its first fragment
 * @returns `undefined` if it must not be passed on as it is: a field is missing, empty, or named
 *   otherwise than clients expect
 */
export function readPieces(delta: JsonObject, isOpen: (index: number) => boolean): Piece[] | undefined {
  const pieces: Piece[] = [];
  const reasoning = reasoningOf(delta);
  if (reasoning !== '') {
    if (delta.reasoning_content !== reasoning) return undefined;
    pieces.push({ type: 'reasoning', text: reasoning });
  }
  const content = contentOf(delta);
  if (content !== '') {
    if (delta.content !== content) return undefined;
    pieces.push({ type: 'content', text: content });
  }
  const { tool_calls } = delta;
  if (tool_calls === undefined || tool_calls === null) return pieces;
  if (!Array.isArray(tool_calls) || tool_calls.length === 0) return undefined;
  const seen = new Set<unknown>();
  for (const entry of tool_calls) {
    if (!isObject(entry) || typeof entry.index !== 'number' || seen.has(entry.index)) return undefined;
    seen.add(entry.index);
    if (!addEntry(pieces, entry, entry.index, isOpen(entry.index))) return undefined;
  }
  return pieces;
}

function addEntry(pieces: Piece[], entry: JsonObject, index: number, open: boolean): boolean {
  const { id, type } = entry;
  const fields = isObject(entry.function) ? entry.function : {};
  const { name, arguments: args } = fields;
  if (typeof args !== 'string') return false;
  if (open) {
    const repeats = isThere(id) || isThere(name) || (isThere(type) && type !== 'function');
    if (repeats) return false;
  } else {
    const whole = typeof id === 'string' && id !== '' && typeof name === 'string' && type === 'function';
    if (!whole) return false;
    pieces.push({ type: 'tool-call', index, id, name });
  }
  // Nothing more of an open call is still about that call, and must not be told in front of it.
  if (open || args !== '') addText(pieces, { type: 'arguments', index, text: args });
  return true;
}

/** The piece with another text. Written out, as spreading is slower and this is done for each read. */
export function withText(piece: TextPiece, text: string): TextPiece {
  if (piece.type === 'arguments') return { type: 'arguments', index: piece.index, text };
  return { type: piece.type, text };
}

/** Joins lists of pieces as if they had been added one after the other. */
export function joinPieces(lists: readonly (readonly Piece[])[]): Piece[] {
  const joined: Piece[] = [];
  for (const piece of lists.flat()) {
    if (piece.type === 'tool-call') joined.push(piece);
    else addText(joined, { ...piece });
  }
  return joined;
}

/** Whether a piece adds nothing to a call that has begun. */
export function isEmptyPiece(piece: Piece): piece is Extract<Piece, { type: 'arguments' }> {
  return piece.type === 'arguments' && piece.text === '';
}

/** UTF-16 units of text. */
export function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + (piece.type === 'tool-call' ? 0 : piece.text.length), 0);
}

/** Whether two pieces say the same. */
export function isSamePiece(one: Piece, other: Piece): boolean {
  return isAlike(one, other) && (one.type === 'tool-call' || one.text === (other as typeof one).text);
}

/** Whether two pieces are of one kind and about one call; their texts may differ. */
export function isAlike<Other extends Piece>(one: Piece, other: Other): one is Other {
  switch (one.type) {
    case 'tool-call':
      return (
        other.type === one.type && other.index === one.index && other.id === one.id && other.name === one.name
      );
    case 'arguments':
      return other.type === one.type && other.index === one.index;
    default:
      return other.type === one.type;
  }
}
