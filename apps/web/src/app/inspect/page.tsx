import type { Metadata } from 'next';
import styles from '../../inspect/inspector.module.css';
import { Inspector } from '../../inspect/inspector.tsx';

export const metadata: Metadata = {
  title: 'Inspect',
  description: 'Model text becoming lexemes, states, events and AI SDK parts, one delta at a time.',
};

export default function Page() {
  return (
    <div className={styles.page}>
      <h1>Inspect</h1>
      <p className={styles.lead}>
        The raw text of a reply becomes what an application can use, one delta at a time. Move the cuts: the
        picture changes, the turn does not. All of it happens in this browser.
      </p>
      <Inspector />
    </div>
  );
}
