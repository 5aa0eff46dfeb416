import { expect, it, vi } from 'vitest';
import type { ChatMessage } from '../agent/chat-message.ts';
import {
  type Conversation,
  deleteConversation,
  listConversations,
  loadMessages,
  renameConversation,
  saveConversation,
} from './conversations.ts';

// Node.js has no IndexedDB.
vi.mock('idb-keyval', () => {
  const kept = new Map<string, unknown>();
  return {
    createStore: () => undefined,
    get: async (key: string) => kept.get(key),
    set: async (key: string, value: unknown) => void kept.set(key, value),
    del: async (key: string) => void kept.delete(key),
    update: async (key: string, change: (old: unknown) => unknown) =>
      void kept.set(key, change(kept.get(key))),
  };
});

const messages: ChatMessage[] = [{ id: 'q', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }];
const save = (id: string, changedAt: number): Promise<void> =>
  saveConversation({ id, title: 'Hello', server: 'healthy', changedAt }, messages);
const find = async (wanted: string): Promise<Conversation | undefined> =>
  (await listConversations()).find(({ id }) => id === wanted);

it('keeps the title that the user gave while the reply grew', async () => {
  await save('renamed', 1);
  await renameConversation('renamed', 'Greeting');
  await save('renamed', 2);
  expect(await find('renamed')).toEqual({
    id: 'renamed',
    title: 'Greeting',
    server: 'healthy',
    changedAt: 2,
  });
});

it('does not save what was deleted, nor what is deleted while it is saved', async () => {
  await save('deleted', 1);
  const saving = save('deleted', 2);
  await deleteConversation('deleted');
  await saving;
  expect(await find('deleted')).toBeUndefined();
  await save('deleted', 3);
  expect(await find('deleted')).toBeUndefined();
  expect(await loadMessages('deleted')).toEqual([]);
});
