/**
 * How something is cut into pieces: always `n` units each, or at random places that a seed fixes.
 * `max` is the longest random piece; default 8.
 */
export type Cuts = number | { readonly seed: number; readonly max?: number };

/** Lengths of pieces, without end. */
export function* pieceLengths(cuts: Cuts): Generator<number, never> {
  if (typeof cuts === 'number') while (true) yield cuts;
  const { seed, max = 8 } = cuts;
  const random = createRandom(seed);
  while (true) yield 1 + Math.floor(random() * max);
}

/** Cuts anything that has a length: text into UTF-16 units, bytes into bytes. */
export function cutUp<Whole extends { readonly length: number }>(
  whole: Whole,
  slice: (whole: Whole, start: number, end: number) => Whole,
  cuts: Cuts,
): Whole[] {
  const pieces: Whole[] = [];
  let start = 0;
  for (const length of pieceLengths(cuts)) {
    if (start >= whole.length) break;
    pieces.push(slice(whole, start, start + length));
    start += length;
  }
  return pieces;
}

/** Cuts text; surrogate pairs are cut like anything else. */
export function cutText(text: string, cuts: Cuts): string[] {
  return cutUp(text, (whole, start, end) => whole.slice(start, end), cuts);
}

/** Cuts bytes, inside characters too. */
export function cutBytes(bytes: Uint8Array, cuts: Cuts): Uint8Array[] {
  return cutUp(bytes, (whole, start, end) => whole.subarray(start, end), cuts);
}

/** Whether a value is a usable {@link Cuts}. */
export function isCuts(value: unknown): value is Cuts {
  const isLength = (length: unknown): boolean => Number.isSafeInteger(length) && (length as number) >= 1;
  if (typeof value === 'number') return isLength(value);
  const { seed, max = 1 } = (value ?? {}) as { seed?: unknown; max?: unknown };
  return Number.isSafeInteger(seed) && isLength(max);
}

/** Numbers from 0 to 1, the same ones for the same seed: a 32-bit xorshift. */
function createRandom(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
  for (let warmUp = 0; warmUp < 8; warmUp += 1) next();
  return next;
}
