/** Cells as text, row by row. */
export interface Table {
  head: readonly string[];
  rows: readonly string[][];
  /** How many columns, from the left, are words and not numbers. */
  leftAligned: number;
}

export function drawMarkdown({ head, rows, leftAligned }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = line(head.map((_, at) => (at < leftAligned ? '---' : '---:')));
  return [line(head), rule, ...rows.map(line)].join('\n');
}

export function drawPlain({ head, rows, leftAligned }: Table): string {
  const widths = head.map((cell, at) => Math.max(cell.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) =>
        at < leftAligned ? cell.padEnd(widths[at] as number) : cell.padStart(widths[at] as number),
      )
      .join('  ');
  return [line(head), ...rows.map(line)].join('\n');
}
