import { createFlow, type Flow } from './flow.ts';
import type { Paint, Style } from './paint.ts';
import { textWidth } from './text-width.ts';

/** One line of a column, and the columns of the terminal that it takes. */
export interface ColumnLine {
  readonly painted: string;
  readonly width: number;
}

/** A flow that is kept instead of shown, and can be laid out as often as needed. */
export interface Column extends Flow {
  layOut(width: number): readonly ColumnLine[];
}

export function createColumn(paint: Paint): Column {
  const steps: ((flow: Flow) => void)[] = [];
  return {
    paragraph: (label) => void steps.push((flow) => flow.paragraph(label)),
    write: (text, style) => void steps.push((flow) => flow.write(text, style)),
    end: () => void steps.push((flow) => flow.end()),
    layOut(width) {
      const lines: ColumnLine[] = [];
      let painted = '';
      let taken = 0;
      const target = {
        text(text: string, style: Style): void {
          painted += paint(text, style);
          taken += textWidth(text);
        },
        lineEnd(): void {
          lines.push({ painted, width: taken });
          painted = '';
          taken = 0;
        },
      };
      const flow = createFlow(target, width);
      for (const step of steps) step(flow);
      flow.end();
      return lines;
    },
  };
}

/** Puts two columns side by side. */
export function joinColumns(left: Column, right: Column, width: number, paint: Paint): string[] {
  const leftWidth = Math.floor((width - 3) / 2);
  const [a, b] = [left.layOut(leftWidth), right.layOut(width - 3 - leftWidth)];
  return Array.from({ length: Math.max(a.length, b.length) }, (_, at) => {
    const { painted = '', width: taken = 0 } = a[at] ?? {};
    const gap = ' '.repeat(Math.max(leftWidth - taken, 0));
    return `${painted}${gap} ${paint('│', 'faint')} ${b[at]?.painted ?? ''}`;
  });
}
