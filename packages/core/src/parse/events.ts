import type { Problem, ProblemCode } from '../grammar/problems.ts';

/** The field of a reply that a delta arrived in. */
export type Channel = 'content' | 'reasoning';

/** Why the turn ended. */
export interface FinishReason {
  /**
   * `tool-calls` whenever there is a complete call, unless the server said `length` or `content-filter`;
   * `error`: the server said so, or the stream broke off in a call; `other`: any other word of the server's.
   */
  unified: 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'error' | 'other';
  /** The server's own word; `undefined` when it sent none. */
  raw: string | undefined;
}

/** A complete call. */
export interface ToolCall {
  /** Position among the complete calls of the turn, from 0. */
  index: number;
  /** `functions.NAME:COUNTER`, unique in the turn. */
  id: string;
  /** Of the offered tool that is meant; of another one only where `unknown-tool` is reported. */
  name: string;
  /** JSON text as the model wrote it; not a JSON object only where `invalid-arguments` is reported. */
  arguments: string;
  /** The id as the model wrote it. */
  rawId: string;
}

/** A call that was begun and must never run. */
export interface IncompleteToolCall {
  /** Empty when the call never got one. */
  id: string;
  /** Best effort. */
  name: string;
  /** As far as they arrived. */
  arguments: string;
  /** Why it must not run; mostly `truncated-call`. */
  reason: ProblemCode;
}

/**
 * What a parser reports, in the order of the text. Argument deltas of a call joined are exactly its
 * final `arguments`. A started call ends exactly once, by `tool-call-end` or `tool-call-error`.
 */
export type KimiEvent =
  | { type: 'reasoning-delta'; delta: string }
  | { type: 'text-delta'; delta: string }
  /** `index`: position among the calls started in this turn. */
  | { type: 'tool-call-start'; index: number; id: string; name: string; rawId: string }
  | { type: 'tool-call-delta'; index: number; delta: string }
  | { type: 'tool-call-end'; index: number; id: string; name: string; arguments: string }
  /** The call must not run. `index` is -1 when it was given up before it started (no usable name yet). */
  | {
      type: 'tool-call-error';
      index: number;
      id: string;
      name: string;
      arguments: string;
      reason: ProblemCode;
    }
  | ({ type: 'problem' } & Problem)
  /** Always the last event, once. */
  | { type: 'finish'; finishReason: FinishReason };

/** One whole reply, assembled. */
export interface KimiTurn {
  /** Thinking text, without its tags; empty if there was none. */
  reasoning: string;
  /** The answer, without any markup that was read; empty if there was none. */
  content: string;
  /** Calls to run, in the order in which they started. */
  toolCalls: ToolCall[];
  /** Calls that must not run. */
  incompleteToolCalls: IncompleteToolCall[];
  /** `other` without a word as long as the turn has not ended. */
  finishReason: FinishReason;
  /** What was wrong, in the order in which it was found. */
  problems: Problem[];
}
