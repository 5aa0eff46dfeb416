/** What an upstream does wrong with one request. */
export const faults = ['none', 'reset', 'stall', 'status', 'malformed', 'early-end'] as const;
export type Fault = (typeof faults)[number];

/** What a request asks of the upstream. It travels as the text of the user. */
export interface Order {
  seed: number;
  fault: Fault;
  /** Events of text. */
  pieces: number;
}

/** The reply to an order: every stream has its own bytes, so that none can stand in for another's. */
export interface Planned {
  pieces: string[];
  /** Of the one call behind the text. */
  args: string;
}

/** The same for the same order, wherever it is asked. */
export function planReply({ seed, pieces }: Order): Planned {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  const next = (): number => {
    // xorshift
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
  const words = ['ä', 'Reading ', '`x` ', '日本 ', '< ', '\n', 'file ', '😀 ', '0:{ ', '.'];
  return {
    pieces: Array.from({ length: pieces }, (_, at) => `${at}/${seed} ${words[next() % words.length]}`),
    args: JSON.stringify({ seed, check: next() }),
  };
}

/** The raw text behind the pieces. */
export function toMarkup(args: string): string {
  return `<|tool_calls_section_begin|><|tool_call_begin|>functions.check:0<|tool_call_argument_begin|>${args}<|tool_call_end|><|tool_calls_section_end|>`;
}
