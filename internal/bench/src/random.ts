/** A small seeded source of numbers, so that every run times the same text. */
export interface Random {
  /** A whole number from 0 to `below`, without it. */
  number(below: number): number;
  pick<T>(items: readonly T[]): T;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0 || 1;
  function number(below: number): number {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  }
  return {
    number,
    pick<T>(items: readonly T[]): T {
      return items[number(items.length)] as T;
    },
  };
}
