import type { ChatMessage } from '../agent/chat-message.ts';

const lengthLimit = 48;

/** What a conversation is called until the user names it: the beginning of the first question. */
export function toTitle(messages: readonly ChatMessage[]): string {
  const first = messages.find(({ role }) => role === 'user');
  const text = (first?.parts ?? [])
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (text === '') return 'New conversation';
  if (text.length <= lengthLimit) return text;
  const cut = text.slice(0, lengthLimit);
  return `${cut.slice(0, cut.lastIndexOf(' ') > 20 ? cut.lastIndexOf(' ') : lengthLimit)}…`;
}
