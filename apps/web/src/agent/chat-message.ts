import type { InferUITools, UIMessage } from 'ai';
import type { Tools } from './tools.ts';

/** What the plain provider makes of the bytes of one reply. */
export interface PlainReply {
  /** Which step of the message the reply belongs to, from 0. */
  readonly step: number;
  readonly blocks: readonly PlainBlock[];
  /** Absent: it has not ended yet. */
  readonly finishReason?: string;
}

export type PlainBlock =
  | { readonly kind: 'reasoning' | 'text' | 'error'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly text: string };

/** What kimi-tc reports of one reply. */
export interface StepProblems {
  readonly step: number;
  readonly problems: readonly { readonly code: string; readonly message: string }[];
}

/** Behind a reply of which more would have come. */
export interface Cut {
  readonly by: 'user' | 'failure';
}

// Types and no interface: the AI SDK wants an index signature.
export type ChatData = { plain: PlainReply; problems: StepProblems; cut: Cut };

export type ChatMessage = UIMessage<unknown, ChatData, InferUITools<Tools>>;
export type ChatPart = ChatMessage['parts'][number];
