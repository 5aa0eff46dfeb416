import type { JsonObject } from './json.ts';
import type { Piece } from './pieces.ts';
import { toEvent } from './sse.ts';

/** Prints events that are alike but for their text: the chunk is made and printed once. */
export interface TextPrinter {
  /**
   * @param choice which choice the piece is of
   * @param toChunk gives the chunk that carries a piece of that choice
   */
  print(choice: unknown, piece: Piece, toChunk: (piece: Piece) => JsonObject): string;
  /** Chunks may look different from now on. */
  forget(): void;
}

/** Any text that no chunk has. */
const PROBE = '\u0018';

export function createTextPrinter(): TextPrinter {
  /** What stands around the text, which may stand in two fields. */
  let known = new Map<string, readonly string[]>();
  return {
    print(choice, piece, toChunk) {
      if (piece.type === 'tool-call') return toEvent(JSON.stringify(toChunk(piece)));
      const key = `${choice} ${piece.type === 'arguments' ? piece.index : piece.type}`;
      let around = known.get(key);
      if (!around) {
        const event = toEvent(JSON.stringify(toChunk({ ...piece, text: PROBE })));
        around = event.split(JSON.stringify(PROBE));
        known.set(key, around);
      }
      return around.join(JSON.stringify(piece.text));
    },
    forget() {
      if (known.size > 0) known = new Map();
    },
  };
}
