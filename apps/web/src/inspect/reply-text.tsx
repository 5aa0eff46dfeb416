'use client';

import { type KeyboardEvent, type PointerEvent, useMemo, useRef } from 'react';
import { hasProblem, overlaps } from './cells.ts';
import { addCut, type Cut, moveCut, removeCut } from './cuts.ts';
import type { Delta } from './reply.ts';
import styles from './reply-text.module.css';
import { splitText, windowAround } from './split-text.ts';
import type { Range } from './trace-reply.ts';
import type { Reading } from './use-reading.ts';

export interface ReplyTextProps {
  reading: Reading;
  cuts: readonly Cut[];
  /** The cut that the tools below are about. */
  chosen: number | undefined;
  /** What is highlighted. */
  lit: Range | undefined;
  /** How far the reply has been read at the moment that is looked at. */
  readTo: number;
  onChoose(index: number): void;
  onHover(range: Range | undefined): void;
  onCut(deltas: readonly Delta[], chosen?: number): void;
}

/** The text as it arrived, with a handle at each cut. */
export function ReplyText(props: ReplyTextProps) {
  const { reading, cuts, chosen, lit, readTo, onChoose, onHover, onCut } = props;
  const { trace, reply } = reading;
  const box = useRef<HTMLDivElement>(null);
  const { from, to } = windowAround(trace.text.length, lit?.from ?? readTo);
  const shown = { from, to };
  const segments = useMemo(() => splitText(trace, { from, to }), [trace, from, to]);
  /** More than one where a delta is empty or brought no text. */
  const cutsAt = useMemo(() => Map.groupBy(cuts, ({ at }) => at), [cuts]);
  const anyHandle = cuts.find(({ movable }) => movable)?.index;

  function move(index: number, at: number): void {
    onCut(moveCut(reply.deltas, index, at), index);
  }

  function onKeyDown(event: KeyboardEvent, { index, at, min, max }: Cut): void {
    const places: Record<string, number> = {
      ArrowLeft: at - 1,
      ArrowDown: at - 1,
      ArrowRight: at + 1,
      ArrowUp: at + 1,
      PageUp: at + 10,
      PageDown: at - 10,
      Home: min,
      End: max,
    };
    const to = places[event.key];
    if (to !== undefined) move(index, to);
    else if (event.key === 'Delete' || event.key === 'Backspace') onCut(removeCut(reply.deltas, index));
    else return;
    event.preventDefault();
  }

  function onPointerMove(event: PointerEvent, index: number): void {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const at = box.current && offsetAt(box.current, event.clientX, event.clientY);
    if (at !== null && at !== undefined) move(index, at);
  }

  function drawCut(cut: Cut) {
    if (!cut.movable) return <span key={`cut ${cut.index}`} className={styles.wall} aria-hidden="true" />;
    const { index, at, min, max } = cut;
    return (
      <span
        key={`cut ${index}`}
        role="slider"
        tabIndex={index === (chosen ?? anyHandle) ? 0 : -1}
        aria-label={`Cut ${index + 1}, between delta ${index + 1} and ${index + 2}`}
        aria-valuemin={min}
        aria-valuemax={max}
        aria-valuenow={at}
        className={styles.cut}
        data-cut={index}
        data-chosen={index === chosen ? '' : undefined}
        onKeyDown={(event) => onKeyDown(event, cut)}
        onFocus={() => onChoose(index)}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          event.currentTarget.focus();
          event.preventDefault();
        }}
        onPointerMove={(event) => onPointerMove(event, index)}
      />
    );
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the tools below add cuts by keyboard
    <div
      ref={box}
      className={styles.text}
      onPointerLeave={() => onHover(undefined)}
      onDoubleClick={(event) => {
        const at = offsetAt(event.currentTarget, event.clientX, event.clientY);
        if (at === undefined) return;
        window.getSelection()?.removeAllRanges();
        onCut(addCut(reply.deltas, at));
      }}
    >
      {shown.from > 0 && <span className={styles.beyond}>… {shown.from} units before this …</span>}
      {segments.flatMap((segment) => [
        // With the delta: text that a cut passes is drawn anew, and the cut itself stays and keeps the focus.
        <span
          key={`${segment.delta} ${segment.from}`}
          className={styles.segment}
          data-at={segment.from}
          data-tone={segment.tone}
          data-odd={segment.delta % 2 === 1 ? '' : undefined}
          data-later={segment.from >= readTo ? '' : undefined}
          data-lit={lit && overlaps(segment, lit) ? '' : undefined}
          data-problem={hasProblem(reading, segment) ? '' : undefined}
          onPointerEnter={() => onHover({ from: segment.from, to: segment.to })}
        >
          {trace.text.slice(segment.from, segment.to)}
        </span>,
        ...(segment.endsDelta ? (cutsAt.get(segment.to) ?? []).map(drawCut) : []),
      ])}
      {shown.to < trace.text.length && (
        <span className={styles.beyond}>… {trace.text.length - shown.to} units behind this …</span>
      )}
      {trace.text === '' && <span className={styles.beyond}>no text</span>}
    </div>
  );
}

/** The place in the reply at a point of the screen; nothing beside the text. */
function offsetAt(box: HTMLElement, x: number, y: number): number | undefined {
  const place = caretAt(x, y);
  const segment = place?.node.parentElement?.closest<HTMLElement>('[data-at]');
  if (!place || !segment || !box.contains(segment)) return undefined;
  return Number(segment.dataset.at) + place.offset;
}

function caretAt(x: number, y: number): { node: Node; offset: number } | undefined {
  if ('caretPositionFromPoint' in document) {
    const found = document.caretPositionFromPoint(x, y);
    return found ? { node: found.offsetNode, offset: found.offset } : undefined;
  }
  // Safari has the older form only.
  const range = (
    document as { caretRangeFromPoint?(x: number, y: number): globalThis.Range | null }
  ).caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : undefined;
}
