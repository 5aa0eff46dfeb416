/** Collects many small pieces into one string, without the deep rope that repeated `+=` leaves in memory. */
export interface TextBuilder {
  push(piece: string): void;
  /** UTF-16 units so far. */
  length(): number;
  toString(): string;
}

const PIECES_PER_BLOCK = 1024;

export function createTextBuilder(): TextBuilder {
  /** A rope of blocks: whoever reads it first makes one string of it, and nobody copies it before. */
  let text = '';
  let pieces: string[] = [];
  let length = 0;

  function closeBlock(): void {
    text += pieces.join('');
    pieces = [];
  }

  return {
    push(piece) {
      length += piece.length;
      if (pieces.push(piece) === PIECES_PER_BLOCK) closeBlock();
    },
    length: () => length,
    toString() {
      closeBlock();
      return text;
    },
  };
}
