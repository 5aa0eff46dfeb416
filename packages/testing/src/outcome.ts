import type { FinishWord } from './case.ts';

/** What a surface made of an input of kind `deltas`, `chunks` or `message`. */
export interface TurnOutcome {
  readonly reasoning: string;
  readonly content: string;
  /** Complete calls, in order. */
  readonly toolCalls: readonly OutcomeToolCall[];
  /** Calls that were begun and must not be dispatched, in order. */
  readonly incompleteToolCalls: readonly OutcomeIncompleteToolCall[];
  readonly finishReason: FinishWord;
  /** Codes of all problems reported; order and repetitions do not count. */
  readonly problems: readonly string[];
  /** The usage that was passed on. Absent: the surface passes none on. */
  readonly usage?: unknown;
  /**
   * For each complete call the argument deltas in the order they left. Joined they must be the
   * call's `arguments`. Absent: the surface does not stream.
   */
  readonly argumentDeltas?: readonly (readonly string[])[];
  /**
   * For each complete call whether its first argument delta left before the input was handed in
   * that closes the call. Absent: not observed.
   */
  readonly argumentsLeftEarly?: readonly boolean[];
  /** How many finish events left. Absent: the surface does not stream. */
  readonly finishEvents?: number;
}

export interface OutcomeToolCall {
  /** Absent where a host numbers calls by their place in the list. */
  readonly index?: number;
  readonly id: string;
  readonly name: string;
  /** The JSON text, exactly. */
  readonly arguments: string;
}

export interface OutcomeIncompleteToolCall {
  readonly name: string;
  /** As far as they arrived. */
  readonly arguments: string;
}

/**
 * What a surface made of an input of kind `history`, `schema` or `request`: the field of that name.
 * `null` means refused before sending.
 */
export interface RequestOutcome {
  readonly messages?: readonly unknown[] | null;
  readonly schema?: unknown;
  readonly request?: unknown;
  /** Codes of all problems reported. */
  readonly problems: readonly string[];
}

/** What a surface made of one input. */
export type Outcome = TurnOutcome | RequestOutcome;
