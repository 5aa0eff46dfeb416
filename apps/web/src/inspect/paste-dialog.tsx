'use client';

import { type FormEvent, useState } from 'react';
import { Dialog } from './dialog.tsx';
import styles from './inspector.module.css';
import { readPasted } from './read-pasted.ts';
import { MOST_TEXT, type Reply } from './reply.ts';

export interface PasteDialogProps {
  /** What is shown now: pasted text is read with its tools and options. */
  reply: Reply;
  onPaste(reply: Reply): void;
  onClose(): void;
}

/** Takes raw model text, as a completions endpoint or a log has it, or a case of the corpus. */
export function PasteDialog({ reply, onPaste, onClose }: PasteDialogProps) {
  const [error, setError] = useState('');

  function take(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    try {
      onPaste(readPasted(String(form.get('content')), String(form.get('reasoning')), reply));
    } catch (reason) {
      setError((reason as Error).message);
    }
  }

  return (
    <Dialog title="Paste model text" onClose={onClose}>
      <form className={styles.paste} onSubmit={take}>
        <label>
          Content, special tokens included; or a case, as JSON
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
    </Dialog>
  );
}
