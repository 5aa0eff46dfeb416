/** Everything that can be wrong in what a model, server or application sends. One row each in `docs/recovery.md`. */
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
  | 'unmatched-result'
  | 'unanswered-call'
  | 'reasoning-placeholder-inserted'
  | 'schema-relaxed'
  | 'unresolvable-schema'
  | 'invalid-tool-name'
  | 'param-changed'
  | 'param-dropped'
  | 'thinking-disabled-for-forced-tool'
  | 'tool-choice-downgraded'
  | 'too-many-tools';

/** Something wrong in the input, as a value. The input is still read to its end. */
export interface Problem {
  /** What kind of problem; the stable part. */
  code: ProblemCode;
  /** For people. Holds no text of the model and no key; may change between versions. */
  message: string;
  /**
   * UTF-16 units of the turn, both channels in arrival order, in front of the place it is about. About a call in a
   * lenient form or in guided JSON: in front of the place where it was told to be one, the end of its text run.
   */
  offset: number;
  /** The started call it is about, if any. */
  index?: number;
}
