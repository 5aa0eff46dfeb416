/** Collects many small pieces into one string, without the deep rope that repeated `+=` leaves in memory. */
export interface TextBuilder {
  push(piece: string): void;
  /** UTF-16 units so far. */
  length(): number;
  toString(): string;
}

const PIECES_PER_BLOCK = 1024;

export function createTextBuilder(): TextBuilder {
  const blocks: string[] = [];
  let pieces: string[] = [];
  let length = 0;
  return {
    push(piece) {
      length += piece.length;
      if (pieces.push(piece) < PIECES_PER_BLOCK) return;
      blocks.push(pieces.join(''));
      pieces = [];
    },
    length: () => length,
    toString: () => blocks.join('') + pieces.join(''),
  };
}
