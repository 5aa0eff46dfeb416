import type { Pieces } from './pieces.ts';

/** What the server made of the model's text, before it is put on the wire. */
export interface Reply {
  /** In the order in which they leave. */
  readonly parts: readonly Part[];
  /** `null`: the server gives none. */
  readonly finishReason: string | null;
}

export type Part = TextPart | CallPart;

/** Text that goes into one field. */
export interface TextPart {
  readonly type: 'text';
  readonly field: TextField;
  readonly pieces: Pieces;
}

export type TextField = 'content' | 'reasoning_content' | 'reasoning';

/** A structured call. */
export interface CallPart {
  readonly type: 'call';
  readonly index: number;
  readonly id: string;
  readonly name: string;
  /** The arguments. */
  readonly pieces: Pieces;
}

export function textPart(field: TextField, pieces: Pieces): TextPart {
  return { type: 'text', field, pieces };
}

export function hasCalls(parts: readonly Part[]): boolean {
  return parts.some(({ type }) => type === 'call');
}

/** Changes every call of a reply. */
export function mapCalls(reply: Reply, change: (call: CallPart) => CallPart): Reply {
  return { ...reply, parts: reply.parts.map((part) => (part.type === 'call' ? change(part) : part)) };
}
