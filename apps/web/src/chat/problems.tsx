import type { StepProblems } from '../agent/chat-message.ts';
import styles from './problems.module.css';

/** What kimi-tc found wrong in a reply and read all the same. Open if there was nothing to read: a call got lost. */
export function Problems({ problems }: Pick<StepProblems, 'problems'>) {
  if (problems.length === 0) return null;
  return (
    <details className={styles.problems} open={problems.some(({ code }) => code === 'missing-call')}>
      <summary>{problems.length === 1 ? 'One problem' : `${problems.length} problems`} in this reply</summary>
      <ul>
        {problems.map(({ code, message }, at) => (
          <li key={at}>
            <code>{code}</code> {message}
          </li>
        ))}
      </ul>
    </details>
  );
}
