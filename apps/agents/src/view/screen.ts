import type { WriteStream } from 'node:tty';
import { createPaint, type Paint } from './paint.ts';

/** What the view is drawn on: a terminal, a file, or a pipe. */
export interface Screen {
  write(text: string): void;
  readonly paint: Paint;
  /** Columns to use. */
  readonly width: number;
  /** Lines that can be drawn over; 0 if none can. */
  readonly height: number;
}

/** Longer lines are hard to read. */
const widest = 160;

export function createScreen(stream: WriteStream | NodeJS.WriteStream, env: NodeJS.ProcessEnv): Screen {
  const isTerminal = stream.isTTY === true && env.TERM !== 'dumb';
  return {
    write: (text) => void stream.write(text),
    paint: createPaint(isTerminal && !env.NO_COLOR),
    get width() {
      return Math.min(isTerminal ? stream.columns || 80 : 80, widest);
    },
    get height() {
      return isTerminal ? stream.rows || 0 : 0;
    },
  };
}
