import type { ChatChoice, Chunk, Usage } from './chunk.ts';
import type { Pieces } from './pieces.ts';
import type { Part, Reply } from './reply.ts';
import type { WireStyle } from './sse.ts';

/**
 * One way of being a server, good or bad: a row of the table. Each field is a station that an answer
 * passes, in this order; a row speaks up only at the stations it changes.
 */
export interface Behaviour {
  /** What the server does, in one sentence. */
  readonly doc: string;
  /** Where it was seen: a public report, a parser that was read, or a specification. */
  readonly source: string;
  /** A rule of the server: why it refuses a request with status 400, if it does. */
  refuse?(body: RequestBody): string | undefined;
  /** An answer in place of the reply. */
  readonly failure?: Failure;
  /** Changes the text of the model, pieces and all. */
  editText?(pieces: Pieces): Pieces;
  /**
   * Reads the text into the parts of a reply. A row that has it is a treatment; of those one counts.
   *
   * @throws Error if this server cannot read the text
   */
  treat?(pieces: Pieces): readonly Part[];
  /** The treatment of a row that has none of its own, if no other row brings one. Default: `healthy`. */
  readonly treatment?: 'raw-content';
  /** Changes what the server made of the text, before it is put on the wire. */
  editReply?(reply: Reply, context: ReplyContext): Reply;
  /** Changes the chunks of one streamed choice. */
  editChunks?(chunks: readonly Chunk[], usage: Usage): readonly Chunk[];
  /** Changes one choice that is not streamed. */
  editChoice?(choice: ChatChoice, usage: Usage): ChatChoice;
  /** How the answer is written to the connection. */
  readonly wire?: Partial<WireStyle>;
}

/** The body of a request that is known to be an object. */
export type RequestBody = Readonly<Record<string, unknown>>;

export interface ReplyContext {
  readonly body: RequestBody;
  /** The text that was read. */
  readonly pieces: Pieces;
}

/** Instead of a reply. */
export interface Failure {
  /** Only the first time that a conversation comes with these messages; a retry is answered. */
  readonly once: boolean;
  /** The answer; `reset` closes the connection without one. */
  readonly answer: 'reset' | FailureAnswer;
}

export interface FailureAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Given the text of the turn. */
  body(text: string): string;
}
