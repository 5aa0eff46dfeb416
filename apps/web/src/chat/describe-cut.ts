import type { Cut } from '../agent/chat-message.ts';

/** Why no more came of a reply, in a sentence. */
export function describeCut({ by }: Cut): string {
  return by === 'user' ? 'You stopped this reply.' : 'This reply broke off.';
}
