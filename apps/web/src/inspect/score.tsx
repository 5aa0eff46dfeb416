// biome-ignore-all lint/a11y/useSemanticElements: a table cannot be drawn column by column
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus goes to one cell of the grid, as the pattern for grids has it
'use client';

import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { type Cell, cellAt, type Item, overlaps, ROW_TITLES, ROWS, type RowName } from './cells.ts';
import { columnAt, MOST_STACKED } from './layout-score.ts';
import styles from './score.module.css';
import type { Column } from './to-score.ts';
import type { Range } from './trace-reply.ts';
import type { Reading } from './use-reading.ts';
import { lineOf, SIGNS, STAFF } from './wording.ts';

const HINTS: Readonly<Record<RowName, string>> = {
  delta: 'what the server sent at once',
  lexeme: 'text, or one special token',
  state: 'who reads it, line by line',
  held: 'what waits, and for what',
  event: 'what the parser reports',
  part: 'what your code gets',
};

/** Pixels; score.module.css draws with them, too. */
const LINE = 26;
const CHIP = 40;
const HELD = 23;
const ROW_PADDING = 12;
/** Columns that are drawn beyond both edges of what is seen. */
const BEYOND = 6;

export interface Spot {
  row: RowName;
  column: number;
}

export interface ScoreProps {
  reading: Reading;
  spot: Spot;
  /** What is highlighted; the items that came of it, or that it came of, are too. */
  lit: Range | undefined;
  /** The score goes to where it is looked at; before the user went anywhere it shows its beginning. */
  follows: boolean;
  onMove(spot: Spot): void;
  onHover(range: Range | undefined): void;
  onTogglePlay(): void;
}

/** The picture: rows are stations, columns are moments. */
export function Score({ reading, spot, lit, follows, onMove, onHover, onTogglePlay }: ScoreProps) {
  const { layout, score, trace } = reading;
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ left: 0, width: 0, names: 0 });
  const wantsFocus = useRef(false);
  const last = score.columns.length - 1;

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = () => {
      const names = element.querySelector<HTMLElement>('[role=rowheader]')?.offsetWidth ?? 0;
      setView({ left: element.scrollLeft, width: element.clientWidth, names });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, []);

  const wasAt = useRef(spot.column);
  useEffect(() => {
    if (wasAt.current === spot.column) return;
    wasAt.current = spot.column;
    const element = scroller.current;
    if (!element || !follows) return;
    const from = layout.edges[spot.column] ?? 0;
    const to = layout.edges[spot.column + 1] ?? from;
    const room = element.clientWidth - view.names;
    if (from < element.scrollLeft || to > element.scrollLeft + room)
      element.scrollLeft = Math.max(0, from - room / 3);
  }, [spot.column, layout, view.names, follows]);

  // Once the move is drawn: an effect of an earlier drawing may run behind the key and still find the old cell.
  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    const cell = scroller.current?.querySelector<HTMLElement>('[role=gridcell][tabindex="0"]');
    cell?.focus({ preventScroll: true });
  });

  function onKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = ROWS.indexOf(spot.row);
    const cell = cellAt(reading, spot.row, spot.column);
    const moves: Record<string, () => Spot> = {
      ArrowLeft: () => ({ ...spot, column: cell.column - 1 }),
      ArrowRight: () => ({ ...spot, column: cell.column + cell.span }),
      ArrowUp: () => ({ ...spot, row: ROWS[row - 1] ?? spot.row }),
      ArrowDown: () => ({ ...spot, row: ROWS[row + 1] ?? spot.row }),
      PageUp: () => ({ ...spot, column: spot.column - 10 }),
      PageDown: () => ({ ...spot, column: spot.column + 10 }),
      Home: () => ({ ...spot, column: 0 }),
      End: () => ({ ...spot, column: last }),
    };
    if (event.key === ' ') {
      event.preventDefault();
      onTogglePlay();
      return;
    }
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    wantsFocus.current = true;
    const to = move();
    onMove({ ...to, column: Math.min(Math.max(to.column, 0), last) });
  }

  const from = Math.max(0, columnAt(layout, view.left) - BEYOND);
  const to = Math.min(last, columnAt(layout, view.left + view.width) + BEYOND);
  const drawn = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const isSpotDrawn = spot.column >= from && spot.column <= to;
  const width = layout.edges[last + 1] ?? 0;

  const heights: Record<RowName, number> = {
    delta: 54,
    lexeme: 56,
    state: STAFF.length * LINE + ROW_PADDING,
    held: Math.max(54, layout.held * HELD + ROW_PADDING),
    event: layout.events * CHIP + ROW_PADDING,
    part: layout.parts * CHIP + ROW_PADDING,
  };

  function cellsOf(row: RowName): Cell[] {
    // One cell can always take the focus, also when the score has been scrolled away from it.
    const focused = row === spot.row && !isSpotDrawn ? [cellAt(reading, row, spot.column)] : [];
    if (row !== 'delta') return [...drawn.map((column) => cellAt(reading, row, column)), ...focused];
    const first = score.columns[from]?.delta ?? 0;
    const end = score.columns[to]?.delta ?? 0;
    const deltas = Array.from({ length: end - first + 1 }, (_, index) =>
      cellAt(reading, 'delta', score.deltaColumns[first + index] ?? 0),
    );
    return deltas.some(({ column }) => column === focused[0]?.column) ? deltas : [...deltas, ...focused];
  }

  function place(cell: Cell): CSSProperties {
    const left = layout.edges[cell.column] ?? 0;
    const right = layout.edges[cell.column + cell.span] ?? left;
    return { left: left + view.names, width: right - left };
  }

  function drawCell(cell: Cell): ReactNode {
    const { row, column, span } = cell;
    const isHere = row === spot.row && spot.column >= column && spot.column < column + span;
    return (
      <div
        key={`${row} ${column}`}
        role="gridcell"
        tabIndex={isHere ? 0 : -1}
        aria-colindex={column + 2}
        {...(span > 1 && { 'aria-colspan': span })}
        aria-selected={isHere}
        aria-label={cell.items.length === 0 ? `${ROW_TITLES[row]}: nothing` : undefined}
        className={styles.cell}
        style={place(cell)}
        data-row={row}
        data-column={column}
        data-bar={column === score.deltaColumns[score.columns[column]?.delta ?? 0] ? '' : undefined}
        data-later={column > spot.column ? '' : undefined}
        onClick={() => onMove({ row, column: row === 'delta' && isHere ? spot.column : column + span - 1 })}
        onKeyDown={onKeyDown}
        onPointerEnter={() => onHover(cell.items[0]?.range)}
        onPointerLeave={() => onHover(undefined)}
        onFocus={(event) => event.currentTarget.matches(':focus-visible') && onHover(undefined)}
      >
        {drawItems(cell)}
      </div>
    );
  }

  function drawItems(cell: Cell): ReactNode {
    const { row, items } = cell;
    if (row === 'state') {
      const step = score.columns[cell.column]?.step;
      const found = step === undefined ? undefined : trace.steps[step];
      if (!found) return null;
      const top = lineOf(found.place) * LINE + ROW_PADDING / 2 + 2;
      return items.map((item) => (
        <span
          key="note"
          className={styles.note}
          data-tone={item.said.tone}
          data-lit={isLit(item)}
          style={{ top }}
        >
          {item.said.name}
        </span>
      ));
    }
    if (row === 'held') {
      return items.map((item) => (
        <span key={item.said.name} className={styles.held} data-lit={isLit(item)}>
          {item.said.name}
        </span>
      ));
    }
    const shown = row === 'event' || row === 'part' ? items.slice(0, MOST_STACKED) : items;
    const chips = shown.map((item, index) => (
      <Chip key={index} item={item} lit={isLit(item)} onHover={onHover} row={row} />
    ));
    if (shown.length < items.length)
      chips.push(
        <span key="more" className={styles.more}>
          and {items.length - shown.length} more
        </span>,
      );
    return chips;
  }

  function isLit({ range }: Item): '' | undefined {
    return lit && overlaps(range, lit) ? '' : undefined;
  }

  return (
    <div className={styles.frame} ref={scroller}>
      <div
        role="grid"
        aria-label="The reply, moment by moment"
        aria-rowcount={ROWS.length}
        aria-colcount={score.columns.length + 1}
        className={styles.sheet}
        style={{ width: width + view.names }}
      >
        {ROWS.map((row, index) => (
          <div
            key={row}
            role="row"
            aria-rowindex={index + 1}
            className={styles.row}
            data-row={row}
            style={{ height: heights[row] }}
          >
            <div role="rowheader" aria-colindex={1} className={styles.name} data-row={row}>
              <span className={styles.title}>{ROW_TITLES[row]}</span>
              <span className={styles.hint}>{HINTS[row]}</span>
              {row === 'state' && (
                <span className={styles.lines} aria-hidden="true">
                  {STAFF.map((name) => (
                    <span key={name}>{name}</span>
                  ))}
                </span>
              )}
            </div>
            {row === 'state' && <Staff reading={reading} from={from} to={to} offset={view.names} />}
            {cellsOf(row).map(drawCell)}
          </div>
        ))}
        <div
          className={styles.cursor}
          aria-hidden="true"
          style={{
            left: (layout.edges[spot.column] ?? 0) + view.names,
            width: (layout.edges[spot.column + 1] ?? 0) - (layout.edges[spot.column] ?? 0),
          }}
        />
      </div>
    </div>
  );
}

interface ChipProps {
  item: Item;
  lit: '' | undefined;
  row: RowName;
  onHover(range: Range): void;
}

function Chip({ item: { said, range, isWrong }, lit, row, onHover }: ChipProps) {
  return (
    <span
      className={styles.chip}
      data-row={row}
      data-tone={said.tone}
      data-lit={lit}
      onPointerMove={(event) => {
        event.stopPropagation();
        onHover(range);
      }}
    >
      <span className={styles.kind}>
        {isWrong && (
          <span className={styles.wrong}>
            {SIGNS.problem}
            <span className="visually-hidden"> problem, </span>{' '}
          </span>
        )}
        <span aria-hidden="true">{SIGNS[said.tone]} </span>
        {said.name}
      </span>
      <span className={styles.words}>{said.text}</span>
    </span>
  );
}

interface StaffProps {
  reading: Reading;
  from: number;
  to: number;
  offset: number;
}

/** The lines of the states, and the way of the machine over them. */
function Staff({ reading, from, to, offset }: StaffProps) {
  const { layout, score } = reading;
  const left = layout.edges[from] ?? 0;
  const width = (layout.edges[to + 1] ?? 0) - left;
  const yOf = (line: number) => (line + 0.5) * LINE + ROW_PADDING / 2;
  const points: string[] = [];
  for (let column = from; column <= to; column++) {
    const y = yOf(lineOf((score.columns[column] as Column).place));
    const x = (layout.edges[column] ?? 0) - left;
    const end = (layout.edges[column + 1] ?? 0) - left;
    points.push(`${points.length === 0 ? 'M' : 'L'}${x + 6} ${y}L${end - 6} ${y}`);
  }
  return (
    <svg
      className={styles.staff}
      aria-hidden="true"
      style={{ left: left + offset }}
      width={width}
      height={STAFF.length * LINE + ROW_PADDING}
    >
      {STAFF.map((name, line) => (
        <line key={name} x1={0} x2={width} y1={yOf(line)} y2={yOf(line)} />
      ))}
      <path d={points.join('')} />
    </svg>
  );
}
