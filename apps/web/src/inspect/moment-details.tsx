'use client';

import { cellAt, ROW_TITLES, ROWS, rangeOf } from './cells.ts';
import styles from './inspector.module.css';
import { heldIn } from './layout-score.ts';
import type { Spot } from './score.tsx';
import type { Reading } from './use-reading.ts';
import { explainHeld, explainPlace, SIGNS, sayPlace, showText } from './wording.ts';

/** What happens at the moment that is looked at, in words and in full. */
export function MomentDetails({ reading, spot }: { readonly reading: Reading; readonly spot: Spot }) {
  const { trace, score, parts, reply } = reading;
  const column = score.columns[spot.column];
  if (!column) return null;
  const step = column.step === undefined ? undefined : trace.steps[column.step];
  const delta = trace.deltas[column.delta];
  const range = rangeOf(reading, spot.column);
  const held = heldIn(trace, score, spot.column);
  return (
    <section className={styles.panel} aria-labelledby="moment">
      <h2 id="moment">
        Moment {spot.column + 1} <small>of {score.columns.length}</small>
      </h2>
      <dl className={styles.facts}>
        <dt>Delta</dt>
        <dd>
          {delta?.delta
            ? `${column.delta + 1} of ${reply.deltas.length}, field ${delta.delta.channel}`
            : `none: the stream has ended, the server says ${reply.finishReason ?? 'nothing'}`}
        </dd>
        <dt>Lexeme</dt>
        <dd>
          {step ? (
            <>
              {step.lexeme.kind}, units {range.from} to {range.to}
              {step.seen > 0 && ', read again'}
              {step.taken === 0 && ', put back: what was on trial is read again first'}
              {step.short && '. It took the short way: plain text passes without the lexer'}
              <Code text={trace.text.slice(range.from, range.to)} />
            </>
          ) : (
            (delta?.delta && 'none: nothing is certain enough to be read') || 'none: the text is over'
          )}
        </dd>
        {step && (
          <>
            <dt>State</dt>
            <dd>
              {explainPlace(step.place)}
              {sayPlace(step.next) !== sayPlace(step.place) && ` It hands over to: ${sayPlace(step.next)}.`}
            </dd>
          </>
        )}
        <dt>Held</dt>
        <dd>{held.length > 0 ? held.map(explainHeld).join(' ') : 'Nothing waits.'}</dd>
      </dl>
      <Values
        title="Events"
        values={column.events.map((index) => trace.events[index]?.event)}
        none="No event: nothing is certain yet, or this shows only what comes next."
      />
      <Values title="AI SDK parts" values={column.parts.map((index) => parts[index]?.part)} none="No part." />
    </section>
  );
}

function Code({ text }: { readonly text: string }) {
  return (
    <code className={styles.code}>
      {showText(text.slice(0, 600))}
      {text.length > 600 && ` … ${text.length - 600} more units`}
    </code>
  );
}

interface ValuesProps {
  title: string;
  values: readonly ({ type: string } | undefined)[];
  none: string;
}

function Values({ title, values, none }: ValuesProps) {
  return (
    <>
      <h3>{title}</h3>
      {values.length === 0 && <p className={styles.soft}>{none}</p>}
      <ul className={styles.values}>
        {values.map((value, index) => (
          <li key={index}>
            <code className={styles.code}>{JSON.stringify(value).slice(0, 1200)}</code>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Rows of the table that are shown at once. */
const PAGE = 40;

/** The score as a table: every moment a row. */
export function MomentTable({ reading, spot, onMove }: MomentTableProps) {
  const { score } = reading;
  const first = Math.floor(spot.column / PAGE) * PAGE;
  const last = Math.min(first + PAGE, score.columns.length);
  const columns = Array.from({ length: last - first }, (_, index) => first + index);
  return (
    <details className={styles.table}>
      <summary>The same as a table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section className={styles.scroll} aria-label="Moments as a table" tabIndex={0}>
        <table>
          <caption>
            Moments {first + 1} to {last} of {score.columns.length}
          </caption>
          <thead>
            <tr>
              <th scope="col">Moment</th>
              {ROWS.map((row) => (
                <th key={row} scope="col">
                  {ROW_TITLES[row]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {columns.map((column) => (
              <tr key={column} data-here={column === spot.column ? '' : undefined}>
                <th scope="row">{column + 1}</th>
                {ROWS.map((row) => (
                  <td key={row}>
                    {cellAt(reading, row, column).items.map(({ said }, index) => (
                      <div key={index}>
                        <span aria-hidden="true">{SIGNS[said.tone]} </span>
                        {said.name} <code>{said.text}</code>
                      </div>
                    ))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <div className={styles.group}>
        <button type="button" disabled={first === 0} onClick={() => onMove({ ...spot, column: first - 1 })}>
          Earlier moments
        </button>
        <button
          type="button"
          disabled={last >= score.columns.length}
          onClick={() => onMove({ ...spot, column: last })}
        >
          Later moments
        </button>
      </div>
    </details>
  );
}

interface MomentTableProps {
  reading: Reading;
  spot: Spot;
  onMove(spot: Spot): void;
}
