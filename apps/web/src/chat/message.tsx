import { memo } from 'react';
import type { ChatMessage, ChatPart } from '../agent/chat-message.ts';
import { describeCut } from './describe-cut.ts';
import { groupSteps, type Step } from './group-steps.ts';
import { Markdown } from './markdown.tsx';
import styles from './message.module.css';
import { PlainView } from './plain-view.tsx';
import { Problems } from './problems.tsx';
import { Reasoning } from './reasoning.tsx';
import { ToolCard } from './tool-card.tsx';
import { isToolPart } from './tool-part.ts';

interface MessageProps {
  readonly message: ChatMessage;
  readonly comparing: boolean;
  /** More is to come. */
  readonly growing: boolean;
  readonly onDecide: (approvalId: string, approved: boolean) => void;
}

export const Message = memo(function Message({ message, comparing, growing, onDecide }: MessageProps) {
  if (message.role === 'user') {
    return (
      <div className={styles.user}>
        <span className="visually-hidden">You: </span>
        <div dir="auto">{message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')}</div>
      </div>
    );
  }
  const steps = groupSteps(message.parts);
  return (
    <article className={styles.reply} data-comparing={comparing} aria-label="Reply" aria-busy={growing}>
      {comparing && (
        <div className={styles.heads}>
          <h2>With kimi-tc</h2>
          <h2>Without</h2>
        </div>
      )}
      {steps.map((step, at) => (
        <div key={at} className={styles.step}>
          <div className={styles.with}>
            {step.parts.map((part, place) => (
              <Part
                key={place}
                part={part}
                growing={growing && at === steps.length - 1}
                isAll={!growing && step.parts.length === 1}
                onDecide={onDecide}
              />
            ))}
            <Problems problems={step.problems} />
            {step.cut && <p className={styles.cut}>{describeCut(step.cut)}</p>}
            {comparing && step.parts.length === 0 && !step.cut && !growing && (
              <p className={styles.none}>No reply.</p>
            )}
          </div>
          {comparing && <Beside step={step} />}
        </div>
      ))}
    </article>
  );
});

function Beside({ step }: { readonly step: Step }) {
  return (
    <div className={styles.without}>
      <h2 className={styles.narrowHead}>Without kimi-tc</h2>
      {step.plain ? (
        <PlainView step={step} reply={step.plain} />
      ) : (
        <p className={styles.none}>Not recorded.</p>
      )}
    </div>
  );
}

interface PartProps {
  readonly part: ChatPart;
  readonly growing: boolean;
  /** There is no other part in this reply. */
  readonly isAll: boolean;
  readonly onDecide: MessageProps['onDecide'];
}

function Part({ part, growing, isAll, onDecide }: PartProps) {
  if (part.type === 'reasoning') return <Reasoning part={part} isAll={isAll} />;
  if (part.type === 'text') return <Markdown text={part.text} growing={growing && part.state !== 'done'} />;
  if (isToolPart(part)) return <ToolCard part={part} growing={growing} onDecide={onDecide} />;
  return null;
}
