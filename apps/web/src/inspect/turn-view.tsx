'use client';

import { createAssembler, type KimiTurn } from '@kimi-tc/core';
import styles from './inspector.module.css';
import { isSameTurn } from './trace-reply.ts';
import type { Reading } from './use-reading.ts';
import { SIGNS } from './wording.ts';

export interface TurnViewProps {
  reading: Reading;
  column: number;
  /** Another reply is being read, which this turn is not of. */
  isOld: boolean;
}

/** The turn as far as it is known at a moment. */
export function TurnView({ reading, column, isOld }: TurnViewProps) {
  const { trace, score, uncut } = reading;
  const isOver = column >= score.columns.length - 1;
  const turn = isOver ? trace.turn : turnAt(reading, column);
  const isSame = isSameTurn(trace.turn, uncut);
  return (
    <section
      className={styles.panel}
      aria-labelledby="turn"
      aria-busy={isOld}
      data-testid="turn"
      data-over={isOver}
    >
      <h2 id="turn">
        The turn <small>{isOver ? 'as it is in the end' : 'so far'}</small>
      </h2>
      <dl className={styles.turn}>
        <Text name="Reasoning" sign={SIGNS.reasoning} tone="reasoning" text={turn.reasoning} />
        <Text name="Content" sign={SIGNS.text} tone="text" text={turn.content} />
        <dt data-tone="call">
          <span aria-hidden="true">{SIGNS.call} </span>Tool calls
        </dt>
        <dd>
          {turn.toolCalls.length === 0 && <span className={styles.soft}>none</span>}
          {turn.toolCalls.map(({ id, name, arguments: args }) => (
            <div key={id} className={styles.call}>
              <strong>{name}</strong> <span className={styles.soft}>{id}</span>
              <code className={styles.code}>{args.slice(0, 2_000)}</code>
            </div>
          ))}
        </dd>
        {turn.incompleteToolCalls.length > 0 && (
          <>
            <dt data-tone="problem">
              <span aria-hidden="true">{SIGNS.problem} </span>Must not run
            </dt>
            <dd>
              {turn.incompleteToolCalls.map(({ name, arguments: args, reason }, index) => (
                <div key={index} className={styles.call}>
                  <strong>{name || 'no name'}</strong> <span className={styles.soft}>{reason}</span>
                  <code className={styles.code}>{args.slice(0, 2_000)}</code>
                </div>
              ))}
            </dd>
          </>
        )}
        {turn.problems.length > 0 && (
          <>
            <dt data-tone="problem">
              <span aria-hidden="true">{SIGNS.problem} </span>Problems
            </dt>
            <dd>
              <ul className={styles.values}>
                {turn.problems.slice(0, 50).map(({ code, message, offset }, index) => (
                  <li key={index}>
                    <code>{code}</code> at unit {offset}: {message}
                  </li>
                ))}
              </ul>
            </dd>
          </>
        )}
        {isOver && (
          <>
            <dt>
              <span aria-hidden="true">{SIGNS.end} </span>Finish reason
            </dt>
            <dd>
              {turn.finishReason.unified}{' '}
              <span className={styles.soft}>(the server says {turn.finishReason.raw ?? 'nothing'})</span>
            </dd>
          </>
        )}
      </dl>
      <p className={styles.verdict} data-same={isSame}>
        {isSame
          ? `✓ ${isOver ? 'The' : 'In the end the'} very same turn as without any cut.`
          : '▲ Not the turn that it gives uncut: a fault of the parser. Copy the case and report it.'}
      </p>
    </section>
  );
}

interface TextProps {
  name: string;
  sign: string;
  tone: string;
  text: string;
}

function Text({ name, sign, tone, text }: TextProps) {
  return (
    <>
      <dt data-tone={tone}>
        <span aria-hidden="true">{sign} </span>
        {name}
      </dt>
      <dd className={styles.said}>
        {text === '' ? <span className={styles.soft}>none</span> : text.slice(0, 4_000)}
        {text.length > 4_000 && <span className={styles.soft}> … {text.length - 4_000} more units</span>}
      </dd>
    </>
  );
}

function turnAt({ trace, score }: Reading, column: number): KimiTurn {
  const assembler = createAssembler();
  const last = score.columns[column]?.events.at(-1);
  const next = score.columns.slice(column + 1).find(({ events }) => events.length > 0)?.events[0];
  const end = last === undefined ? (next ?? trace.events.length) : last + 1;
  for (const { event } of trace.events.slice(0, end)) assembler.push(event);
  return assembler.turn;
}
