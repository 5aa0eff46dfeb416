import type { PlainBlock, PlainReply } from '../agent/chat-message.ts';
import { compareReplies } from './compare-replies.ts';
import type { Step } from './group-steps.ts';
import styles from './plain-view.module.css';
import { splitMarkers } from './split-markers.ts';

const labels: Readonly<Record<PlainBlock['kind'], string>> = {
  reasoning: 'reasoning',
  text: 'text',
  call: 'tool call',
  error: 'error',
};

/** The same bytes as the plain provider reads them, and what a user would notice. */
export function PlainView({ step, reply }: { readonly step: Step; readonly reply: PlainReply }) {
  const found = compareReplies(step);
  return (
    <div className={styles.view}>
      {reply.blocks.map((block, at) => (
        <div key={at} className={styles.block} data-kind={block.kind}>
          <span className={styles.kind}>
            {labels[block.kind]}
            {block.kind === 'call' && <code> {block.name}</code>}
          </span>
          <div className={styles.text}>
            {splitMarkers(block.text).map(({ text, isMarker }, place) =>
              isMarker ? <mark key={place}>{text}</mark> : text,
            )}
          </div>
        </div>
      ))}
      {reply.finishReason !== undefined && (
        <>
          <p className={styles.finish}>
            finish reason <code>{reply.finishReason}</code>
          </p>
          {found.length === 0 ? (
            <p className={styles.same}>Nothing is lost here.</p>
          ) : (
            <ul className={styles.found}>
              {found.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          )}
        </>
      )}
    </div>
  );
}
