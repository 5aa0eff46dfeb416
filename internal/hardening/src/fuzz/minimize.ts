import { isText, type Piece, type Reply } from '../laws/reply.ts';

/**
 * Takes away what is not needed for a reply to fail: pieces, then stretches of their text, then options.
 * @param fails whether a smaller reply still fails in the same way
 */
export function minimize(reply: Reply, fails: (smaller: Reply) => boolean): Reply {
  let best = reply;
  function isSmaller(candidate: Reply): boolean {
    const found = fails(candidate);
    if (found) best = candidate;
    return found;
  }
  for (let before: Reply | undefined; before !== best; ) {
    before = best;
    shorten(
      () => best.pieces,
      (pieces) => isSmaller({ ...best, pieces }),
    );
    for (let at = 0; at < best.pieces.length; at++) shortenText(at);
    for (const name of Object.keys(best.options)) {
      const { [name as keyof Reply['options']]: _, ...options } = best.options;
      isSmaller({ ...best, options });
    }
  }
  return best;

  function shortenText(at: number): void {
    const piece = best.pieces[at] as Piece;
    const withText = (text: string) =>
      isText(piece) ? ([piece[0], text] as const) : { ...piece, arguments: text };
    const written = () => {
      const now = best.pieces[at] as Piece;
      return isText(now) ? now[1] : typeof now.arguments === 'string' ? now.arguments : '';
    };
    shorten(written, (text) => isSmaller({ ...best, pieces: best.pieces.with(at, withText(text)) }));
  }
}

/** Takes stretches out, the longest first. */
function shorten<T extends string | readonly Piece[]>(read: () => T, isSmaller: (rest: T) => boolean): void {
  for (let size = read().length; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < read().length; ) {
      const whole = read();
      const front = whole.slice(0, at);
      const rest = (front as string).concat(whole.slice(at + size) as string) as T;
      if (!isSmaller(rest)) at += size;
    }
  }
}
