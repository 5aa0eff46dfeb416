import { type FormEvent, type KeyboardEvent, type RefObject, useState } from 'react';
import { textLimit } from '../server/limits.ts';
import styles from './composer.module.css';

interface ComposerProps {
  readonly input: RefObject<HTMLTextAreaElement | null>;
  /** A reply is on its way. */
  readonly busy: boolean;
  /** A call waits for the user's approval, which comes first. */
  readonly blocked: boolean;
  readonly onSend: (text: string) => void;
  readonly onStop: () => void;
}

export function Composer({ input, busy, blocked, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState('');
  const ready = text.trim() !== '' && !busy && !blocked;
  const nearLimit = text.length > textLimit * 0.9;

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!ready) return;
    onSend(text.trim());
    setText('');
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key === 'Escape' && busy) onStop();
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    submit(event);
  }

  return (
    <form className={styles.composer} onSubmit={submit}>
      <div className={styles.box}>
        <label htmlFor="question" className="visually-hidden">
          Your question
        </label>
        <textarea
          dir="auto"
          ref={input}
          id="question"
          rows={1}
          className={styles.input}
          value={text}
          maxLength={textLimit}
          placeholder={blocked ? 'Approve or refuse the call first' : 'Ask something'}
          aria-describedby="question-keys"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        {busy ? (
          <button type="button" className={styles.stop} onClick={onStop}>
            Stop
          </button>
        ) : (
          <button type="submit" className={styles.send} disabled={!ready}>
            Send
          </button>
        )}
      </div>
      <p id="question-keys" className={styles.keys}>
        {nearLimit ? (
          `${textLimit - text.length} characters left`
        ) : (
          <>
            <kbd>Enter</kbd> sends, <kbd>Shift</kbd>+<kbd>Enter</kbd> breaks the line, <kbd>Esc</kbd> stops
          </>
        )}
      </p>
    </form>
  );
}
