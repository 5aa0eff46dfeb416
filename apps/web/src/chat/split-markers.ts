export interface Piece {
  readonly text: string;
  readonly isMarker: boolean;
}

/** Raw text cut at its special tokens and think tags, so that they can be shown as such. */
export function splitMarkers(text: string): readonly Piece[] {
  return text
    .split(/(<\|[^|<>]{1,40}\|>|<\/?think>)/)
    .map((piece, at) => ({ text: piece, isMarker: at % 2 === 1 }))
    .filter((piece) => piece.text !== '');
}
