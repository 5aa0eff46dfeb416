import type { Problem, ProblemCode } from '@kimi-tc/core';

/**
 * A chunk of a streamed chat completion, as far as this package reads it. The chunks of the OpenAI
 * SDK and of any compatible server fit; fields that are not named here are passed on.
 */
export interface ChatChunk {
  choices: readonly ChatChunkChoice[];
}

/** One choice of a chunk, as a server may send it. */
export interface ChatChunkChoice {
  index: number;
  delta?: object | null;
  finish_reason?: string | null;
}

/** A chat completion that is not streamed, as far as this package reads it. */
export interface ChatCompletion {
  choices: readonly ChatChoice[];
}

/** One choice of a completion that is not streamed, as a server may send it. */
export interface ChatChoice {
  index: number;
  message: object;
  finish_reason?: string | null;
}

/** A chunk of a streamed text completion (`/v1/completions`), as far as this package reads it. */
export interface TextChunk {
  id: string;
  /** Seconds since 1970. */
  created: number;
  model: string;
  choices: readonly TextChunkChoice[];
}

/** One choice of a chunk of a text completion: the text that is new. */
export interface TextChunkChoice {
  index: number;
  text: string;
  finish_reason?: string | null;
}

/** A chunk that this package made or let pass. */
export interface KimiChunk {
  id: string;
  object: 'chat.completion.chunk';
  /** Seconds since 1970. */
  created: number;
  model: string;
  choices: KimiChunkChoice[];
  system_fingerprint?: string;
  usage?: KimiUsage | null;
}

/** One choice of a chunk that is right: what is new in it, and at its end why it ended. */
export interface KimiChunkChoice {
  index: number;
  delta: KimiChunkDelta;
  /** Set on the last chunk of the choice, once. */
  finish_reason: KimiFinishReason | null;
  /** On the last chunk of the choice only, and only if there is something to say. */
  x_kimi?: KimiExtra;
}

/**
 * What is new in a chunk. A reasoning fragment stands in `reasoning_content`; `reasoning` mirrors it
 * unless the server itself fills `reasoning_content` alone.
 */
export interface KimiChunkDelta {
  role?: 'assistant';
  content?: string | null;
  reasoning_content?: string | null;
  reasoning?: string | null;
  tool_calls?: KimiToolCallDelta[];
}

/** The first one of a call has `id`, `type` and the whole name; the others only arguments. */
export interface KimiToolCallDelta {
  /** Position among the calls begun in this choice, from 0. */
  index: number;
  id?: string;
  type?: 'function';
  function?: { name?: string; arguments?: string };
}

/** A message of an assistant with its reasoning. */
export interface KimiMessage {
  role: 'assistant';
  content: string | null;
  reasoning_content?: string | null;
  reasoning?: string | null;
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
}

/** The words of the OpenAI API; `error` when the stream broke off inside a call; or a server's own word. */
export type KimiFinishReason =
  | 'stop'
  | 'length'
  | 'tool_calls'
  | 'content_filter'
  | 'error'
  // Keeps the words above as suggestions of an editor.
  | (string & {});

/** Token counts; servers add fields of their own. */
export interface KimiUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

/**
 * What this package has to say about one choice, as `x_kimi` of the choice: on the last chunk of a
 * stream, and in a completion. Absent when there is nothing to say; so is each field.
 */
export interface KimiExtra {
  /** Everything that was wrong in the reply, in the order it was found; `index` as in the fields below. */
  problems?: Problem[];
  /**
   * The calls whose id is not the one the model or server wrote. `raw_id` is empty if there was none.
   * `index` is that of the deltas, in a completion the place in `message.tool_calls`.
   */
  tool_calls?: { index: number; id: string; raw_id: string }[];
  /** Calls that were begun and must not run. */
  incomplete_tool_calls?: KimiIncompleteToolCall[];
  /** The server's own finish reason where it is another word than the one on the choice; `null`: it gave none. */
  finish_reason?: string | null;
}

/** A call that was begun and must never run. */
export interface KimiIncompleteToolCall {
  /**
   * The `index` of its deltas; in a completion a number behind those of the calls in the message. Absent when
   * it never started.
   */
  index?: number;
  /** Empty when the call never got one. */
  id: string;
  /** Best effort. */
  name: string;
  reason: ProblemCode;
  /** As far as they arrived. Absent when the deltas of the call hold exactly that. */
  arguments?: string;
}
