'use client';

import { generateId } from 'ai';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ChatMessage } from '../agent/chat-message.ts';
import type { ServerChoice } from '../agent/servers.ts';
import styles from './chat-app.module.css';
import { Conversation } from './conversation.tsx';
import { ConversationList } from './conversation-list.tsx';
import {
  deleteConversation,
  listConversations,
  loadMessages,
  renameConversation,
  type Conversation as Stored,
  saveConversation,
} from './conversations.ts';
import { ServerChooser } from './server-chooser.tsx';
import { settleMessages } from './settle-messages.ts';
import { toTitle } from './to-title.ts';

interface Open {
  readonly id: string;
  readonly messages: ChatMessage[];
}

interface ChatAppProps {
  readonly servers: readonly ServerChoice[];
  readonly defaultServer: string;
}

/** The list of conversations, what holds for all of them, and the one that is open. */
export function ChatApp({ servers, defaultServer }: ChatAppProps) {
  const [stored, setStored] = useState<readonly Stored[]>([]);
  const [open, setOpen] = useState<Open>();
  const [server, setServer] = useState(defaultServer);
  const [comparing, setComparing] = useState(false);
  const [listShown, setListShown] = useState(false);
  const [storeBroken, setStoreBroken] = useState(false);
  const listButton = useRef<HTMLButtonElement>(null);
  /** The conversation on the screen, for saves that end when another one is. */
  const shownId = useRef<string>(undefined);

  const attempt = useCallback(async <Value,>(job: () => Promise<Value>): Promise<Value | undefined> => {
    try {
      return await job();
    } catch {
      // Browsers refuse storage in some private windows; the chat works without.
      setStoreBroken(true);
      return undefined;
    }
  }, []);

  const refresh = useCallback(async () => {
    const list = await attempt(listConversations);
    setStored(list ?? []);
    return list ?? [];
  }, [attempt]);

  const show = useCallback(
    async (conversation: Stored) => {
      const messages = await attempt(() => loadMessages(conversation.id));
      setOpen({ id: conversation.id, messages: settleMessages(messages ?? []) });
      setServer(servers.some(({ id }) => id === conversation.server) ? conversation.server : defaultServer);
      setListShown(false);
      writeHash(conversation.id);
    },
    [attempt, servers, defaultServer],
  );

  const startNew = useCallback(() => {
    setOpen({ id: generateId(), messages: [] });
    setListShown(false);
    writeHash('');
  }, []);

  useEffect(() => {
    shownId.current = open?.id;
  }, [open]);

  useEffect(() => {
    void refresh().then((list) => {
      const wanted = list.find(({ id }) => id === location.hash.slice(1));
      if (wanted) void show(wanted);
      else startNew();
    });
  }, [refresh, show, startNew]);

  const save = useCallback(
    async (id: string, messages: readonly ChatMessage[]) => {
      const conversation = { id, title: toTitle(messages), server, changedAt: Date.now() };
      await attempt(() => saveConversation(conversation, messages));
      await refresh();
      if (id === shownId.current) writeHash(id);
    },
    [attempt, refresh, server],
  );

  async function remove(id: string): Promise<void> {
    await attempt(() => deleteConversation(id));
    await refresh();
    if (id === open?.id) startNew();
  }

  async function rename(id: string, title: string): Promise<void> {
    await attempt(() => renameConversation(id, title));
    await refresh();
  }

  return (
    <div className={styles.app}>
      <aside
        id="conversations"
        className={styles.side}
        data-shown={listShown}
        aria-label="Conversations"
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || !listShown) return;
          setListShown(false);
          listButton.current?.focus();
        }}
      >
        <ConversationList
          conversations={stored}
          openId={open?.id}
          onOpen={(conversation) => void show(conversation)}
          onNew={startNew}
          onRename={rename}
          onDelete={remove}
        />
        {storeBroken && (
          <p className={styles.broken} role="status">
            This browser does not let the page store anything: conversations last until it is closed.
          </p>
        )}
      </aside>
      {listShown && <div className={styles.shade} onPointerDown={() => setListShown(false)} />}

      <section className={styles.main} aria-label="Conversation">
        <h1 className="visually-hidden">Chat</h1>
        <div className={styles.bar}>
          <button
            ref={listButton}
            type="button"
            className={styles.listButton}
            aria-expanded={listShown}
            aria-controls="conversations"
            onClick={() => setListShown(!listShown)}
          >
            <span aria-hidden="true">☰</span> <span className="visually-hidden">Conversations</span>
          </button>
          <ServerChooser servers={servers} chosen={server} onChoose={setServer} />
          <label className={styles.compare}>
            <input
              type="checkbox"
              role="switch"
              aria-checked={comparing}
              checked={comparing}
              onChange={(event) => setComparing(event.target.checked)}
            />
            <span>Beside it: without kimi-tc</span>
          </label>
        </div>
        {open && (
          <Conversation
            key={open.id}
            id={open.id}
            initialMessages={open.messages}
            server={server}
            comparing={comparing}
            onSave={save}
          />
        )}
      </section>
    </div>
  );
}

/** Which conversation is open stands in the address, so that a reload finds it again. */
function writeHash(id: string): void {
  history.replaceState(history.state, '', id === '' ? location.pathname : `#${id}`);
}
