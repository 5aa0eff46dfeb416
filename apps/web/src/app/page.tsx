import Link from 'next/link';
import styles from './page.module.css';

export default function Home() {
  return (
    <div className={styles.page}>
      <h1 className={styles.headline}>Kimi K2 as an agent, whatever serves it.</h1>
      <p className={styles.lead}>
        A model writes text. Its thoughts, its answer and its tool calls are in there, marked with special
        tokens that servers leak, strip, misplace or cut. This project reads them back.
      </p>
      <ul className={styles.pages}>
        <li>
          <Link href="/chat">Chat</Link>
          <p>An agent that calls tools, over a server that misbehaves in a way you choose.</p>
        </li>
        <li>
          <Link href="/inspect">Inspect</Link>
          <p>Model text becoming events, one delta at a time, with every cut under your hand.</p>
        </li>
      </ul>
    </div>
  );
}
