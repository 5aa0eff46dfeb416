import { isObject } from '../json.ts';
import type { BehaviourName } from './behaviours.ts';
import type { Usage } from './chunk.ts';
import { type Cuts, cutText } from './cuts.ts';
import { type Pieces, toPieces } from './pieces.ts';
import type { EngineRequest } from './request-record.ts';

/** What the pretend model says, turn by turn. A string is a turn with nothing but its text. */
export type Script = readonly (string | Turn)[] | ((request: EngineRequest) => string | Turn);

/** One reply of the pretend model. */
export interface Turn {
  /**
   * The raw text, exactly as a model emits it: think tags, markers and all. A list is the text in
   * the pieces in which it is generated; a string is cut into pieces the length of tokens.
   */
  readonly text: string | readonly string[];
  /**
   * The finish reason the server gives. Default: `tool_calls` if the server understood a call, else
   * `stop`.
   */
  readonly finishReason?: string;
  /** Token counts. Default: made up from the lengths. */
  readonly usage?: Usage;
  /** How the server treats this turn. Default: the behaviour of the engine. */
  readonly behaviour?: BehaviourName | readonly BehaviourName[];
  /** Looks at the request this turn answers, like `onRequest` of the engine. */
  expect?(request: EngineRequest): void | Promise<void>;
}

/** How the text of a turn is cut: in its own pieces, in single UTF-16 units, or in some other way. */
export type EngineChunking = 'pieces' | 'units' | Cuts;

/**
 * Which turn of the script a request asks for: the number of replies its conversation already holds.
 *
 * - Chat: the assistant messages, a last one that is to be continued not counted.
 * - Completions: the assistant messages that the prompt has closed.
 *
 * The engine keeps no memory of conversations, so any number of them can run side by side, be
 * retried, or move here from another engine.
 */
export function turnNumber(body: Readonly<Record<string, unknown>>): number {
  if (!Array.isArray(body.messages)) return closedReplies(promptText(body));
  const finished = isAssistant(body.messages.at(-1)) ? body.messages.slice(0, -1) : body.messages;
  return finished.filter(isAssistant).length;
}

/** The prompt of a completion request: a string, or a list of one. */
export function promptText(body: Readonly<Record<string, unknown>>): string {
  return String(Array.isArray(body.prompt) ? body.prompt[0] : body.prompt);
}

/**
 * The turn that answers a request.
 *
 * @throws Error if the script has no such turn
 */
export function selectTurn(script: Script, request: EngineRequest): Turn {
  if (typeof script === 'function') return toTurn(script(request));
  const turn = script[request.turn ?? 0];
  if (turn === undefined) {
    throw new Error(
      `the script has ${script.length} turns, this conversation asks for number ${request.turn}`,
    );
  }
  return toTurn(turn);
}

export function toTurn(turn: string | Turn): Turn {
  return typeof turn === 'string' ? { text: turn } : turn;
}

/** The text of a turn in the pieces it is generated in. */
export function turnPieces({ text }: Turn): Pieces {
  return typeof text === 'string' ? toPieces(text) : text;
}

/** Cuts pieces anew. */
export function recut(pieces: Pieces, chunking: EngineChunking): Pieces {
  return chunking === 'pieces' ? pieces : cutText(pieces.join(''), chunking === 'units' ? 1 : chunking);
}

export function turnUsage(turn: Turn, pieces: Pieces, body: Readonly<Record<string, unknown>>): Usage {
  if (turn.usage) return turn.usage;
  const prompt_tokens = Math.ceil(JSON.stringify(body.messages ?? body.prompt ?? '').length / 4);
  const completion_tokens = pieces.length;
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

function isAssistant(message: unknown): boolean {
  return isObject(message) && message.role === 'assistant';
}

function closedReplies(prompt: string): number {
  const [, ...replies] = prompt.split('<|im_assistant|>');
  return replies.filter((reply) => reply.includes('<|im_end|>')).length;
}
