/**
 * Text as a model emits it, token by token or cut in some other way. The text is what counts; the
 * pieces only say where it is cut.
 */
export type Pieces = readonly string[];

/** Markers whole, everything else in runs about as long as a token. */
const tokenLike = /<\|\w+\|>|<\/?think>|\s?[^\s<]{1,6}|\s|</gu;

/** Cuts text about as a tokenizer would: no special token and no character is cut. */
export function toPieces(text: string): string[] {
  return text.match(tokenLike) ?? [];
}

/**
 * Replaces what a pattern finds, across the borders of pieces. The borders stay where they were; one
 * inside a replaced part moves behind it. Pieces that become empty go.
 *
 * @param pattern must be global
 */
export function replaceInPieces(
  pieces: Pieces,
  pattern: RegExp,
  replacement: (match: RegExpMatchArray) => string,
): string[] {
  const text = pieces.join('');
  const borders = bordersOf(pieces);
  const edited: string[] = [];
  let current = '';
  let read = 0;
  const copyTo = (end: number): void => {
    while (borders.length > 0 && (borders[0] as number) <= end) {
      const border = borders.shift() as number;
      current += text.slice(read, Math.max(read, border));
      read = Math.max(read, border);
      edited.push(current);
      current = '';
    }
    current += text.slice(read, end);
    read = end;
  };
  for (const match of text.matchAll(pattern)) {
    copyTo(match.index);
    current += replacement(match);
    read = match.index + match[0].length;
  }
  copyTo(text.length);
  return [...edited, current].filter((piece) => piece !== '');
}

/** The part of the text from `start` to `end`, cut where the pieces are cut. */
export function slicePieces(pieces: Pieces, start: number, end: number): string[] {
  let offset = 0;
  return pieces.flatMap((piece) => {
    const from = Math.max(start - offset, 0);
    const to = Math.min(end - offset, piece.length);
    offset += piece.length;
    return from < to ? [piece.slice(from, to)] : [];
  });
}

/** Offsets behind each piece, the last one left out. */
function bordersOf(pieces: Pieces): number[] {
  let offset = 0;
  return pieces.slice(0, -1).map((piece) => {
    offset += piece.length;
    return offset;
  });
}
