import type { ChatStatus } from 'ai';
import type { ChatMessage } from '../agent/chat-message.ts';
import { describeCut } from './describe-cut.ts';
import { isToolPart, nameOf } from './tool-part.ts';

/**
 * What a screen reader is told of a conversation that goes on: stations, and the text once it is whole.
 * The growing text itself would be read in scraps.
 */
export function announce(messages: readonly ChatMessage[], status: ChatStatus): string {
  const last = messages.at(-1);
  if (status === 'submitted') return 'Waiting for the server.';
  if (last?.role !== 'assistant') return '';
  const part = last.parts.findLast(({ type }) => type !== 'data-plain' && type !== 'data-problems');
  if (!part) return '';
  if (part.type === 'data-cut') return describeCut(part.data);
  if (isToolPart(part)) {
    const name = nameOf(part);
    if (part.state === 'approval-requested') return `${name} needs your approval.`;
    if (part.state === 'output-error') return `${name} failed.`;
    if (part.state === 'output-denied') return `${name} was refused.`;
    return part.state === 'output-available' ? `${name} is done.` : `Calling ${name}.`;
  }
  if (status === 'streaming') {
    if (part.type === 'reasoning') return 'Thinking.';
    return part.type === 'text' ? 'Answering.' : '';
  }
  return part.type === 'text' ? part.text : 'The reply has ended.';
}
