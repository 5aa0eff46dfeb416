import { createStore, del, get, set, type UseStore, update } from 'idb-keyval';
import type { ChatMessage } from '../agent/chat-message.ts';

/** What the list of conversations shows of one. */
export interface Conversation {
  readonly id: string;
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
  /** The id of the server that was chosen last. */
  readonly server: string;
}

const indexKey = 'index';
const messagesKey = (id: string): string => `messages ${id}`;

let store: UseStore | undefined;

/** In this browser, and nowhere else. */
function open(): UseStore {
  store ??= createStore('kimi-tc-chat', 'conversations');
  return store;
}

/** The latest first. */
export async function listConversations(): Promise<readonly Conversation[]> {
  const index = (await get<readonly Conversation[]>(indexKey, open())) ?? [];
  return index.toSorted((a, b) => b.changedAt - a.changedAt);
}

export async function loadMessages(id: string): Promise<ChatMessage[]> {
  return (await get<ChatMessage[]>(messagesKey(id), open())) ?? [];
}

/** Stores the messages first, so that the list never names what is not there. */
export async function saveConversation(
  conversation: Conversation,
  messages: readonly ChatMessage[],
): Promise<void> {
  await set(messagesKey(conversation.id), messages, open());
  await update<readonly Conversation[]>(
    indexKey,
    (index = []) => [...index.filter(({ id }) => id !== conversation.id), conversation],
    open(),
  );
}

export async function renameConversation(id: string, title: string): Promise<void> {
  await update<readonly Conversation[]>(
    indexKey,
    (index = []) => index.map((one) => (one.id === id ? { ...one, title } : one)),
    open(),
  );
}

export async function deleteConversation(id: string): Promise<void> {
  await update<readonly Conversation[]>(
    indexKey,
    (index = []) => index.filter((one) => one.id !== id),
    open(),
  );
  await del(messagesKey(id), open());
}
