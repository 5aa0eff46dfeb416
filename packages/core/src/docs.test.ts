import { readFileSync } from 'node:fs';
import { loadCases, problemCodes } from '@kimi-tc/testing';
import { expect, test } from 'vitest';
import { PROBLEM_MESSAGES } from './parse/problem-messages.ts';

const root = new URL('../../../', import.meta.url);

/** Rows of a table whose first cell is a code, as their cells. */
function readRows(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => /^\| `/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));
}

function codesOf(rows: readonly string[][]): string[] {
  return rows.map((row) => row[1]?.replaceAll('`', '') ?? '');
}

const rows = readRows(readFileSync(new URL('docs/recovery.md', root), 'utf8'));

/** The union of `ProblemCode`, which is there at run time nowhere. */
const codes = [
  ...readFileSync(new URL('grammar/problems.ts', import.meta.url), 'utf8').matchAll(/^ {2}\| '(.+)'/gm),
].map(([, code = '']) => code);

test('every problem has one row in docs/recovery.md, and every row a problem', () => {
  expect(codes.length).toBeGreaterThan(20);
  expect(codesOf(rows).toSorted()).toEqual(codes.toSorted());
  expect(codes).toEqual(expect.arrayContaining(Object.keys(PROBLEM_MESSAGES)));
});

test('the corpus knows every problem, so that a recorded reply is a case whatever was reported', () => {
  const rulings = readFileSync(new URL('packages/testing/cases/README.md', root), 'utf8');
  const [, table = ''] = rulings.split('## 9. Problem codes');
  expect([...problemCodes].toSorted()).toEqual(codes.toSorted());
  expect(codesOf(readRows(table)).toSorted()).toEqual(codes.toSorted());
});

test('every row names a case that shows its problem', () => {
  const expected = new Map(
    loadCases().map(({ topic, id, expected: { problems = [] } }) => [
      `${topic}/${id}`,
      problems as readonly string[],
    ]),
  );
  const named = rows
    .map((row) => [row[1]?.replaceAll('`', '') ?? '', row[4]?.match(/^`(.+)`$/)?.[1]] as const)
    .filter(([, name]) => name !== undefined);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(([code, name = '']) => !expected.get(name)?.includes(code))).toEqual([]);
});
