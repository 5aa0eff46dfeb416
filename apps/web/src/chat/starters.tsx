import styles from './starters.module.css';

const questions = [
  { text: 'Order twelve notebooks for the office.', shows: 'four replies, three tools, your approval' },
  { text: 'Is it warmer in Lisbon or in Oslo tomorrow?', shows: 'two calls side by side' },
  { text: 'What is 12 * 7.35 * 1.19?', shows: 'one call' },
  { text: 'Note that the call with Jonas moved to Thursday at 10.', shows: 'something to remember' },
];

/** What can be asked first. */
export function Starters({ onChoose }: { readonly onChoose: (text: string) => void }) {
  return (
    <div className={styles.starters}>
      <h2 className={styles.title}>An agent with five tools, and a server that you choose.</h2>
      <p className={styles.lead}>
        The model is pretended, the tools are real. Choose above how its server behaves, and see beside each
        reply what an app without kimi-tc would have got.
      </p>
      <ul className={styles.list}>
        {questions.map(({ text, shows }) => (
          <li key={text}>
            <button type="button" onClick={() => onChoose(text)}>
              <span>{text}</span>
              <span className={styles.shows}>{shows}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
