import { expect, test } from 'vitest';
import { cellAt, ROWS } from './cells.ts';
import { columnAt, layOutScore } from './layout-score.ts';
import { SAMPLE } from './sample.ts';
import { toScore } from './to-score.ts';
import { traceParts } from './trace-parts.ts';
import { readUncut, traceReply } from './trace-reply.ts';

const trace = traceReply(SAMPLE);
const parts = await traceParts(SAMPLE);
const score = toScore(trace, parts);
const layout = layOutScore(trace, score, parts);

test('columns stand side by side, and each is found at its place', () => {
  expect(layout.edges.length).toBe(score.columns.length + 1);
  for (let column = 0; column < score.columns.length; column++) {
    const [from = 0, to = 0] = layout.edges.slice(column, column + 2);
    expect(to).toBeGreaterThan(from);
    expect(columnAt(layout, from)).toBe(column);
    expect(columnAt(layout, to - 1)).toBe(column);
  }
  expect(columnAt(layout, -1)).toBe(0);
  expect(columnAt(layout, Number.MAX_SAFE_INTEGER)).toBe(score.columns.length - 1);
});

test('every moment has a cell of every station, and those of a delta are one', () => {
  const reading = { reply: SAMPLE, trace, parts, score, layout, uncut: readUncut(SAMPLE) };
  for (let column = 0; column < score.columns.length; column++) {
    for (const row of ROWS) {
      const cell = cellAt(reading, row, column);
      expect(cell.column).toBeLessThanOrEqual(column);
      expect(cell.column + cell.span).toBeGreaterThan(column);
    }
  }
  const stations = ROWS.map((row) =>
    score.columns.flatMap((_, column) => cellAt(reading, row, column).items).map(({ said }) => said.name),
  );
  expect(stations.every((names) => names.length > 0)).toBe(true);
  expect(stations[ROWS.indexOf('event')]).toContain('problem');
});
