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

/** What was deleted from this page. A reply that still grows is saved now and then, and would bring it back. */
const deleted = new Set<string>();

/**
 * Stores the messages first, so that the list never names what is not there. A conversation that is listed
 * already keeps its title: the user may have changed it meanwhile. One that was deleted stays deleted.
 */
export async function saveConversation(
  conversation: Conversation,
  messages: readonly ChatMessage[],
): Promise<void> {
  const { id } = conversation;
  if (deleted.has(id)) return;
  await set(messagesKey(id), messages, open());
  await update<readonly Conversation[]>(
    indexKey,
    (index = []) => {
      if (deleted.has(id)) return index;
      const title = index.find((one) => one.id === id)?.title ?? conversation.title;
      return [...index.filter((one) => one.id !== id), { ...conversation, title }];
    },
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
  deleted.add(id);
  await update<readonly Conversation[]>(
    indexKey,
    (index = []) => index.filter((one) => one.id !== id),
    open(),
  );
  await del(messagesKey(id), open());
}
