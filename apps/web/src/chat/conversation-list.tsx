'use client';

import { type FormEvent, useRef, useState } from 'react';
import styles from './conversation-list.module.css';
import type { Conversation } from './conversations.ts';

interface ConversationListProps {
  readonly conversations: readonly Conversation[];
  readonly openId: string | undefined;
  readonly onOpen: (conversation: Conversation) => void;
  readonly onNew: () => void;
  readonly onRename: (id: string, title: string) => Promise<void>;
  readonly onDelete: (id: string) => Promise<void>;
}

export function ConversationList(props: ConversationListProps) {
  const { conversations, openId, onOpen, onNew, onRename, onDelete } = props;
  const [renaming, setRenaming] = useState<string>();
  const [deleting, setDeleting] = useState<Conversation>();
  const newButton = useRef<HTMLButtonElement>(null);
  const dialog = useRef<HTMLDialogElement>(null);

  function askToDelete(conversation: Conversation): void {
    setDeleting(conversation);
    dialog.current?.showModal();
  }

  async function confirm(): Promise<void> {
    dialog.current?.close();
    if (deleting) await onDelete(deleting.id);
    newButton.current?.focus();
  }

  async function rename(event: FormEvent<HTMLFormElement>, id: string): Promise<void> {
    event.preventDefault();
    const title = String(new FormData(event.currentTarget).get('title')).trim();
    setRenaming(undefined);
    if (title !== '') await onRename(id, title);
    document.getElementById(`open-${id}`)?.focus();
  }

  return (
    <>
      <div className={styles.head}>
        <button ref={newButton} type="button" className={styles.new} onClick={onNew}>
          New conversation
        </button>
      </div>
      {conversations.length === 0 && (
        <p className={styles.none}>Conversations are kept in this browser, and nowhere else.</p>
      )}
      <ul className={styles.list}>
        {conversations.map((conversation) => (
          <li key={conversation.id} className={styles.item} data-open={conversation.id === openId}>
            {renaming === conversation.id ? (
              <form className={styles.form} onSubmit={(event) => void rename(event, conversation.id)}>
                <input
                  name="title"
                  aria-label="Name of the conversation"
                  className={styles.input}
                  defaultValue={conversation.title}
                  maxLength={80}
                  // biome-ignore lint/a11y/noAutofocus: the user has just asked to type here
                  autoFocus
                  onFocus={(event) => event.target.select()}
                  onBlur={() => setRenaming(undefined)}
                  onKeyDown={(event) => {
                    if (event.key !== 'Escape') return;
                    event.stopPropagation();
                    setRenaming(undefined);
                  }}
                />
              </form>
            ) : (
              <>
                <button
                  id={`open-${conversation.id}`}
                  type="button"
                  className={styles.open}
                  aria-current={conversation.id === openId ? 'true' : undefined}
                  onClick={() => onOpen(conversation)}
                >
                  {conversation.title}
                </button>
                <div className={styles.tools}>
                  <button
                    type="button"
                    className={styles.tool}
                    aria-label={`Rename “${conversation.title}”`}
                    onClick={() => setRenaming(conversation.id)}
                  >
                    <svg viewBox="0 0 16 16" aria-hidden="true">
                      <path d="M10.5 3.5l2 2-7 7H3.5v-2z" />
                    </svg>
                  </button>
                  <button
                    type="button"
                    className={styles.tool}
                    aria-label={`Delete “${conversation.title}”`}
                    onClick={() => askToDelete(conversation)}
                  >
                    <svg viewBox="0 0 16 16" aria-hidden="true">
                      <path d="M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5" />
                    </svg>
                  </button>
                </div>
              </>
            )}
          </li>
        ))}
      </ul>
      <dialog ref={dialog} className={styles.dialog} aria-labelledby="delete-title">
        <h2 id="delete-title">Delete this conversation?</h2>
        <p>“{deleting?.title}” is gone then; it is kept nowhere else.</p>
        <div className={styles.choices}>
          <button type="button" onClick={() => dialog.current?.close()}>
            Keep it
          </button>
          <button type="button" className={styles.delete} onClick={() => void confirm()}>
            Delete
          </button>
        </div>
      </dialog>
    </>
  );
}
