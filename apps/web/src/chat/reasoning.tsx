import { useId, useState } from 'react';
import type { ChatPart } from '../agent/chat-message.ts';
import { formatDuration } from './format-duration.ts';
import styles from './reasoning.module.css';

interface ReasoningProps {
  readonly part: Extract<ChatPart, { type: 'reasoning' }>;
  /** Nothing came after it, so that the answer may stand in it. */
  readonly isAll: boolean;
}

/** A thought: open while it grows, then folded away under how long it took, unless it is all there is. */
export function Reasoning({ part, isAll }: ReasoningProps) {
  const [choice, setChoice] = useState<boolean>();
  const id = useId();
  const growing = part.state === 'streaming';
  const open = choice ?? (growing || isAll);
  if (part.text.trim() === '') return null;
  return (
    <div className={styles.reasoning} data-growing={growing}>
      <button type="button" aria-expanded={open} aria-controls={id} onClick={() => setChoice(!open)}>
        {growing ? 'Thinking…' : toLabel(part.providerMetadata?.thinking?.milliseconds)}
      </button>
      <div id={id} className={styles.text} hidden={!open} dir="auto">
        {part.text}
      </div>
    </div>
  );
}

function toLabel(milliseconds: unknown): string {
  return typeof milliseconds === 'number' ? `Thought for ${formatDuration(milliseconds)}` : 'Thought';
}
