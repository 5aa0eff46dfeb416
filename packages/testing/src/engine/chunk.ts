import type { JsonValue } from '../json.ts';

/** Token counts, as the API has them. */
export interface Usage {
  /** Tokens of the prompt. */
  readonly prompt_tokens: number;
  /** Tokens of the reply, reasoning included. */
  readonly completion_tokens: number;
  /** The sum of both. */
  readonly total_tokens: number;
}

/** One chunk of a streamed completion, of chat (`delta`) or of text (`text`). */
export interface Chunk {
  readonly id: string;
  readonly object: 'chat.completion.chunk' | 'text_completion';
  /** Seconds since 1970. */
  readonly created: number;
  readonly model: string;
  /** One choice; none on the chunk that carries the usage. */
  readonly choices: readonly ChunkChoice[];
  readonly usage?: Usage;
}

export interface ChunkChoice {
  readonly index: number;
  readonly delta?: Delta;
  readonly text?: string;
  readonly finish_reason: string | null;
  readonly usage?: Usage;
}

export interface Delta {
  readonly role?: string;
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly reasoning?: string;
  readonly tool_calls?: readonly CallDelta[];
}

export interface CallDelta {
  readonly index: number;
  readonly id?: string;
  readonly type?: string;
  readonly function: { readonly name?: string; readonly arguments?: JsonValue };
}

/** One choice of a chat completion that is not streamed. */
export interface ChatChoice {
  readonly index: number;
  readonly message: ChatMessage;
  readonly finish_reason: string | null;
  readonly usage?: Usage;
}

export interface ChatMessage {
  readonly role: string;
  readonly content: string | null;
  readonly reasoning_content?: string;
  readonly reasoning?: string;
  readonly tool_calls?: readonly MessageCall[];
}

export interface MessageCall {
  /** The API has none in a message. */
  readonly index?: number;
  readonly id: string;
  readonly type: string;
  readonly function: { readonly name: string; readonly arguments: JsonValue };
}

/** The calls in a chunk, none if it has none. */
export function callsOf(chunk: Chunk): readonly CallDelta[] {
  return chunk.choices[0]?.delta?.tool_calls ?? [];
}

/** The chunk with another delta, everything else as it was. */
export function withDelta(chunk: Chunk, change: (delta: Delta) => Delta): Chunk {
  return {
    ...chunk,
    choices: chunk.choices.map((choice) =>
      choice.delta ? { ...choice, delta: change(choice.delta) } : choice,
    ),
  };
}

/** The chunk with other calls; one without calls stays as it is. */
export function withCalls(chunk: Chunk, calls: readonly CallDelta[]): Chunk {
  return withDelta(chunk, (delta) => (delta.tool_calls ? { ...delta, tool_calls: calls } : delta));
}

/** Whether the chunk ends its choice. */
export function isFinish(chunk: Chunk): boolean {
  return chunk.choices.some(({ finish_reason }) => finish_reason !== null);
}

/** All text of a chunk, arguments included. */
export function textOf(chunk: Chunk): string {
  const { delta = {}, text = '' } = chunk.choices[0] ?? {};
  const { content = '', reasoning_content = '', reasoning = '' } = delta;
  const calls = callsOf(chunk).map((call) => call.function.arguments ?? '');
  return [text, reasoning_content || reasoning, content, ...calls].join('');
}

/**
 * How many chunks of a stream come before the middle of its first call: enough to begin the call, too
 * few to complete its arguments, if they come in more than one piece. Without a call, half of them.
 */
export function chunksBeforeMiddle(chunks: readonly Chunk[]): number {
  const [first] = chunks.flatMap(callsOf);
  if (first) {
    const ofFirst = chunks.flatMap((chunk, at) => (callsOf(chunk)[0]?.index === first.index ? [at] : []));
    return (ofFirst[Math.floor((ofFirst.length - 1) / 2)] as number) + 1;
  }
  const texts = chunks.map(textOf);
  const rawCall = /^([\s\S]*?<\|tool_call_argument_begin\|>)([\s\S]*?)<\|tool_call_end\|>/;
  const [, before, body] = rawCall.exec(texts.join('')) ?? [];
  if (before === undefined || body === undefined) return Math.floor(chunks.length / 2);
  let read = 0;
  return texts.findIndex((text) => {
    read += text.length;
    return read > before.length + body.length / 2;
  });
}
