import type { JsonObject, JsonValue } from './json.ts';

/**
 * One case: something a server may send, or an application is about to send, and the one result
 * that every surface of the project gives for it. `cases/README.md` holds the rulings.
 */
export interface CorpusCase {
  /** Stable slug, unique over the corpus; also the name of the file. */
  readonly id: string;
  /** The folder the file lies in. */
  readonly topic: string;
  /** The public report the situation comes from, or `project case`. */
  readonly source: string;
  /** What the case shows. */
  readonly note: string;
  /** The generation of models it is about. */
  readonly family: Family;
  /** The tools of the request. Absent or empty: the tools are unknown. */
  readonly tools?: readonly CaseTool[];
  /** What else is known about the request. Absent: the defaults. */
  readonly options?: CaseOptions;
  /** What goes in; its `kind` says which fields it and `expected` have. */
  readonly input: CaseInput;
  /** What must come out; at least one field. */
  readonly expected: Expected;
}

/** Every {@link Family}. */
export const familyNames = ['k2', 'thinking', 'k2.5', 'k3'] as const;

/** `k2` is K2 Instruct, `thinking` is K2 Thinking, `k2.5` stands for K2.5, K2.6 and K2.7. */
export type Family = (typeof familyNames)[number];

/** A tool as the OpenAI API has it. */
export interface CaseTool {
  /** Tools of providers have other types; no case has one. */
  readonly type: 'function';
  /** The function that the model may call. */
  readonly function: {
    readonly name: string;
    readonly description?: string;
    /** JSON Schema of the arguments. */
    readonly parameters: JsonObject;
  };
}

/** What is known about the request beside its tools, as the options of a parser have it. */
export interface CaseOptions {
  /** The prompt ended in an open `<think>`. Default `false`. */
  readonly promptOpensThink?: boolean;
  /** How far calls written as plain text are read. Absent: the default of the project. */
  readonly recoverTextCalls?: 'lenient';
  /** The tool choice of the request. Absent: `auto`. */
  readonly toolChoice?: 'none';
  /** The server was forced to answer with a JSON list of calls. Default `false`. */
  readonly guidedJson?: boolean;
}

/** What goes into a surface; `kind` tells which of them it is (`cases/README.md` section 1). */
export type CaseInput = DeltasInput | ChunksInput | MessageInput | HistoryInput | SchemaInput | RequestInput;

/** Every {@link InputKind}. */
export const inputKinds = ['deltas', 'chunks', 'message', 'history', 'schema', 'request'] as const;

/**
 * What an input is, and with it what is expected: a turn of `deltas`, `chunks` and `message`, the field of the
 * same name (of `history` the `messages`) of the others.
 */
export type InputKind = (typeof inputKinds)[number];

/** One fragment of text and the field it arrives in. */
export type CaseDelta = readonly [channel: 'content' | 'reasoning', text: string];

/** Text as it arrives. */
export interface DeltasInput {
  /** Tells this kind of input from the others. */
  readonly kind: 'deltas';
  /** In the order of arrival; a delta may be empty. */
  readonly deltas: readonly CaseDelta[];
  /** The word of the server; `null` if it sent none. */
  readonly finishReason: string | null;
}

/** Chunks of a streamed chat completion. */
export interface ChunksInput {
  /** Tells this kind of input from the others. */
  readonly kind: 'chunks';
  /** `chat.completion.chunk`-like, of which `choices` and `usage` are read; some are damaged on purpose. */
  readonly chunks: readonly JsonObject[];
}

/** One choice of a chat completion that was not streamed. */
export interface MessageInput {
  /** Tells this kind of input from the others. */
  readonly kind: 'message';
  /** `message`, `finish_reason` and perhaps `usage`, as the API has them. */
  readonly choice: JsonObject;
}

/** Messages that an application is about to send. */
export interface HistoryInput {
  /** Tells this kind of input from the others. */
  readonly kind: 'history';
  /** OpenAI-shaped, or AI SDK model messages. */
  readonly messages: readonly JsonObject[];
  /** `model`, `thinking` and so on. Absent: a model of the case's family, thinking not asked for. */
  readonly request?: JsonObject;
}

/** The `parameters` of a tool, or a list of tools. One of the two is there. */
export interface SchemaInput {
  /** Tells this kind of input from the others. */
  readonly kind: 'schema';
  /** JSON Schema of arguments, or what stands in its place. */
  readonly schema?: JsonValue;
  /** OpenAI-shaped. */
  readonly tools?: readonly JsonObject[];
}

/** A request body without its messages. `toolCount: n` stands for `n` tools. */
export interface RequestInput {
  /** Tells this kind of input from the others. */
  readonly kind: 'request';
  /** The body; its `model` names the model. */
  readonly request: JsonObject;
}

/** The one result of a case. Which fields there are depends on the kind of the input. */
export interface Expected {
  /** Whole text, exact. */
  readonly reasoning?: string;
  /** Whole text, exact. */
  readonly content?: string;
  /** Complete calls in order. */
  readonly toolCalls?: readonly ExpectedToolCall[];
  /** Calls that must never be dispatched. Absent: none. */
  readonly incompleteToolCalls?: readonly ExpectedIncompleteToolCall[];
  /** The derived reason, not the word of the server. */
  readonly finishReason?: FinishWord;
  /** Codes that must be present. Empty: nothing may be reported. Absent: not checked. */
  readonly problems?: readonly ProblemCode[];
  /** Equal as JSON. Absent: not checked. */
  readonly usage?: JsonObject;
  /** The history that is sent. */
  readonly messages?: readonly JsonObject[];
  /** The schema that is sent; `null`: refused before sending. */
  readonly schema?: JsonValue;
  /** The request that is sent; `null`: refused before sending. */
  readonly request?: JsonObject | null;
  /** `trim`: reasoning and content are compared without outer white space. */
  readonly textCompare?: 'trim';
  /** Invariants that the result must keep. Absent: none beside the one that always holds. */
  readonly checks?: readonly CheckName[];
}

/** A call to run. */
export interface ExpectedToolCall {
  /** Position among the complete calls, from 0. */
  readonly index: number;
  /** Absent: not checked. */
  readonly id?: string;
  /** Exact. */
  readonly name: string;
  /** A string is exact; an object is compared as JSON. */
  readonly arguments: string | JsonObject;
}

/** A call that must never be dispatched. */
export interface ExpectedIncompleteToolCall {
  /** Absent: not checked. */
  readonly name?: string;
  /** As far as they arrived, without outer white space. Absent: not checked. */
  readonly arguments?: string;
}

/** Why a turn ended, in the words of the OpenAI API, with `error` and `other` added. */
export type FinishWord = (typeof finishWords)[number];

/** Every {@link FinishWord}. */
export const finishWords = ['stop', 'length', 'tool_calls', 'content_filter', 'error', 'other'] as const;

/** Invariants that a case may ask for by name (`cases/README.md` section 3). */
export type CheckName = (typeof checkNames)[number];

/** Every {@link CheckName}. */
export const checkNames = [
  'uniqueToolCallIds',
  'singleFinishEvent',
  'argumentDeltasStreamed',
  'everyToolResultMatchesNearestPrecedingCall',
  'argumentsUnchanged',
  'reasoningUnchanged',
] as const;

/** What may be reported about an input (`cases/README.md` section 9). */
export type ProblemCode = (typeof problemCodes)[number];

/** Every {@link ProblemCode}; the codes of `@kimi-tc/core`, which a test compares. */
export const problemCodes = [
  'unknown-tool',
  'unresolved-tool',
  'tool-name-inferred',
  'id-rewritten',
  'malformed-call',
  'missing-arguments',
  'unclosed-call',
  'truncated-call',
  'invalid-arguments',
  'arguments-repaired',
  'empty-section',
  'stray-markup',
  'call-in-open-quote',
  'text-call-recovered',
  'suspected-tool-call',
  'duplicate-call',
  'call-suppressed',
  'limit-exceeded',
  'missing-call',
  'empty-turn',
  'reasoning-exhausted-budget',
  'stream-ended-early',
  'unmatched-result',
  'unanswered-call',
  'reasoning-placeholder-inserted',
  'schema-relaxed',
  'unresolvable-schema',
  'invalid-tool-name',
  'param-changed',
  'param-dropped',
  'thinking-disabled-for-forced-tool',
  'tool-choice-downgraded',
  'too-many-tools',
] as const;
