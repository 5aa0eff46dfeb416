'use client';

import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import styles from './inspector.module.css';

export interface DialogProps {
  readonly title: string;
  /** Called once it is closed, by its button or by Escape. */
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Over the page, and open for as long as it is there; then the focus goes back to where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);

  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby={id}
      // The news comes late: in development it is open again by then.
      onClose={({ currentTarget }) => currentTarget.open || onClose()}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      {children}
    </dialog>
  );
}
