import { useId, useState } from 'react';
import styles from './tool-card.module.css';
import {
  describeState,
  nameOf,
  show,
  showArguments,
  summariseArguments,
  type ToolPart,
} from './tool-part.ts';

interface ToolCardProps {
  readonly part: ToolPart;
  /** More of its reply is to come. */
  readonly growing: boolean;
  readonly onDecide: (approvalId: string, approved: boolean) => void;
}

/** One call: how it is doing, its arguments as they grow, and what came of it. */
export function ToolCard({ part, growing, onDecide }: ToolCardProps) {
  const [choice, setChoice] = useState<boolean>();
  const id = useId();
  const { label, tone } = describeState(part);
  const open = choice ?? (tone === 'active' || tone === 'waiting' || tone === 'bad');
  const name = nameOf(part);
  return (
    <article className={styles.card} data-tone={tone} data-state={part.state} aria-label={`Call of ${name}`}>
      <button
        type="button"
        className={styles.head}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setChoice(!open)}
      >
        <span className={styles.name}>{name}</span>
        <span className={styles.summary}>{summariseArguments(part)}</span>
        <span className={styles.state}>{label}</span>
      </button>
      <div id={id} className={styles.body} hidden={!open}>
        <Field name="Arguments" text={showArguments(part)} />
        {part.state === 'output-available' && <Field name="Result" text={show(part.output)} />}
        {part.state === 'output-error' && <p className={styles.error}>{part.errorText}</p>}
        {part.state === 'output-denied' && (
          <p className={styles.note}>You refused this call. It did not run.</p>
        )}
      </div>
      {/* Not before the reply is whole: an answer that comes earlier is not sent. */}
      {part.state === 'approval-requested' && !growing && (
        <div className={styles.approval}>
          <p>Nothing is sent before you approve.</p>
          <button type="button" onClick={() => onDecide(part.approval.id, false)}>
            Refuse
          </button>
          <button type="button" className={styles.approve} onClick={() => onDecide(part.approval.id, true)}>
            Approve
          </button>
        </div>
      )}
    </article>
  );
}

function Field({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <div className={styles.field}>
      <span className={styles.label}>{name}</span>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre className={styles.json} tabIndex={0}>
        {text}
      </pre>
    </div>
  );
}
