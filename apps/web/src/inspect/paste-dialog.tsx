'use client';

import { type FormEvent, useEffect, useRef, useState } from 'react';
import { cutEvery } from './cuts.ts';
import styles from './inspector.module.css';
import { type Delta, MOST_TEXT } from './reply.ts';

/** How pasted text is cut at first. */
const UNITS = 16;

export interface PasteDialogProps {
  onPaste(deltas: readonly Delta[]): void;
  onClose(): void;
}

/** Takes raw model text, as a completions endpoint or a log has it. */
export function PasteDialog({ onPaste, onClose }: PasteDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [error, setError] = useState('');
  useEffect(() => dialog.current?.showModal(), []);

  function take(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const reasoning = String(form.get('reasoning'));
    const content = String(form.get('content'));
    const length = reasoning.length + content.length;
    if (length > MOST_TEXT) {
      setError(`${length} units are too much to look at; at most ${MOST_TEXT}.`);
      return;
    }
    const fields: Delta[] = [
      { channel: 'reasoning', text: reasoning },
      { channel: 'content', text: content },
    ];
    onPaste(cutEvery(fields, UNITS));
  }

  return (
    <dialog ref={dialog} className={styles.dialog} aria-labelledby="paste" onClose={onClose}>
      <header>
        <h2 id="paste">Paste model text</h2>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      <form className={styles.paste} onSubmit={take}>
        <label>
          Content, special tokens included
          <textarea name="content" rows={9} spellCheck={false} />
        </label>
        <label>
          Reasoning field, if the server sent one
          <textarea name="reasoning" rows={3} spellCheck={false} />
        </label>
        <p className={styles.error} role="alert">
          {error}
        </p>
        <p className={styles.soft}>
          It stays in this browser. At most {MOST_TEXT.toLocaleString('en')} units.
        </p>
        <button type="submit" className={styles.primary}>
          Read it
        </button>
      </form>
    </dialog>
  );
}
