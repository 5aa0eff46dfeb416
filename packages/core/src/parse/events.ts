/** The field of a reply that a delta arrived in. */
export type Channel = 'content' | 'reasoning';

/** Everything that can be wrong in what a model or server sends. One row each in `docs/recovery.md`. */
export type ProblemCode =
  | 'unknown-tool'
  | 'unresolved-tool'
  | 'tool-name-inferred'
  | 'id-rewritten'
  | 'malformed-call'
  | 'missing-arguments'
  | 'unclosed-call'
  | 'truncated-call'
  | 'invalid-arguments'
  | 'arguments-repaired'
  | 'empty-section'
  | 'stray-markup'
  | 'call-in-open-quote'
  | 'text-call-recovered'
  | 'suspected-tool-call'
  | 'duplicate-call'
  | 'call-suppressed'
  | 'limit-exceeded'
  | 'missing-call'
  | 'empty-turn'
  | 'reasoning-exhausted-budget'
  | 'stream-ended-early'
  | 'reasoning-placeholder-inserted'
  | 'schema-relaxed'
  | 'unresolvable-schema'
  | 'invalid-tool-name'
  | 'param-dropped'
  | 'thinking-disabled-for-forced-tool'
  | 'tool-choice-downgraded'
  | 'too-many-tools';

/** Something wrong in the input, as a value. The input is still read to its end. */
export interface Problem {
  code: ProblemCode;
  /** For people. Holds no text of the model and no key; may change between versions. */
  message: string;
  /** UTF-16 units of the turn, both channels in arrival order, in front of the place it is about. */
  offset: number;
  /** The started call it is about, if any. */
  index?: number;
}

/** Why the turn ended. */
export interface FinishReason {
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
  reasoning: string;
  content: string;
  toolCalls: ToolCall[];
  incompleteToolCalls: IncompleteToolCall[];
  finishReason: FinishReason;
  problems: Problem[];
}
