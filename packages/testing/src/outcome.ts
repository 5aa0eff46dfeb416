import type { FinishWord } from './case.ts';

/** What a surface made of an input of kind `deltas`, `chunks` or `message`. */
export interface TurnOutcome {
  /** Whole text; empty if there was none. */
  readonly reasoning: string;
  /** Whole text; empty if there was none. */
  readonly content: string;
  /** Complete calls, in order. */
  readonly toolCalls: readonly OutcomeToolCall[];
  /** Calls that were begun and must not be dispatched, in order. */
  readonly incompleteToolCalls: readonly OutcomeIncompleteToolCall[];
  /** As the surface tells it to its users. */
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

/** A call that the surface delivered to be run. */
export interface OutcomeToolCall {
  /** Absent where a host numbers calls by their place in the list. */
  readonly index?: number;
  /** As it was delivered. */
  readonly id: string;
  /** As it was delivered. */
  readonly name: string;
  /** The JSON text, exactly. */
  readonly arguments: string;
}

/** A call that the surface told of, and did not deliver. */
export interface OutcomeIncompleteToolCall {
  /** Best effort; empty if there was none. */
  readonly name: string;
  /** As far as they arrived. */
  readonly arguments: string;
}

/**
 * What a surface made of an input of kind `history`, `schema` or `request`: the field of that name.
 * `null` means refused before sending.
 */
export interface RequestOutcome {
  /** Of a `history`: the messages that are sent. */
  readonly messages?: readonly unknown[] | null;
  /** Of a `schema`: the schema that is sent; of one with `tools` only the problems are compared. */
  readonly schema?: unknown;
  /** Of a `request`: the body that is sent. */
  readonly request?: unknown;
  /** Codes of all problems reported. */
  readonly problems: readonly string[];
}

/** What a surface made of one input. */
export type Outcome = TurnOutcome | RequestOutcome;
