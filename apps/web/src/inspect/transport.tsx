'use client';

import styles from './inspector.module.css';

export interface TransportProps {
  column: number;
  columns: number;
  isPlaying: boolean;
  onSeek(column: number): void;
  onTogglePlay(): void;
}

/** Walks through the moments. */
export function Transport({ column, columns, isPlaying, onSeek, onTogglePlay }: TransportProps) {
  const last = columns - 1;
  return (
    <fieldset className={styles.transport} aria-label="Time">
      <button
        type="button"
        aria-label="To the first moment"
        disabled={column === 0}
        onClick={() => onSeek(0)}
      >
        <Icon path="M4 3v10M13 3 6 8l7 5z" />
      </button>
      <button
        type="button"
        aria-label="One moment back"
        disabled={column === 0}
        onClick={() => onSeek(column - 1)}
      >
        <Icon path="M11 3 4 8l7 5z" />
      </button>
      <button type="button" className={styles.play} aria-pressed={isPlaying} onClick={onTogglePlay}>
        <Icon path={isPlaying ? 'M4 3h3v10H4zM9 3h3v10H9z' : 'M4 2l10 6-10 6z'} />
        {isPlaying ? 'Pause' : 'Play'}
      </button>
      <button
        type="button"
        aria-label="One moment on"
        disabled={column === last}
        onClick={() => onSeek(column + 1)}
      >
        <Icon path="M5 3l7 5-7 5z" />
      </button>
      <button
        type="button"
        aria-label="To the last moment"
        disabled={column === last}
        onClick={() => onSeek(last)}
      >
        <Icon path="M12 3v10M3 3l7 5-7 5z" />
      </button>
      <input
        type="range"
        aria-label="Moment"
        min={1}
        max={columns}
        value={column + 1}
        onChange={(event) => onSeek(event.currentTarget.valueAsNumber - 1)}
      />
      <output aria-label="Moment">
        {column + 1}&thinsp;/&thinsp;{columns}
      </output>
    </fieldset>
  );
}

function Icon({ path }: { readonly path: string }) {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d={path} fill="currentColor" stroke="currentColor" strokeWidth="1.4" strokeLinejoin="round" />
    </svg>
  );
}
