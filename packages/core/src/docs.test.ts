import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PROBLEM_MESSAGES } from './parse/problem-messages.ts';

const root = new URL('../../../', import.meta.url);
const rows = readFileSync(new URL('docs/recovery.md', root), 'utf8')
  .split('\n')
  .filter((line) => /^\| `/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()));

test('every problem that reading a reply can report has one row in docs/recovery.md', () => {
  const codes = rows.map((row) => row[1]?.replaceAll('`', ''));
  expect(codes.filter((code, i) => codes.indexOf(code) !== i)).toEqual([]);
  expect(Object.keys(PROBLEM_MESSAGES).filter((code) => !codes.includes(code))).toEqual([]);
});

test('every row names a case that is there', () => {
  const cases = rows.map((row) => row[4]?.match(/^`(.+)`$/)?.[1]).filter((name) => name !== undefined);
  expect(cases.length).toBeGreaterThan(20);
  expect(cases.filter((name) => !existsSync(new URL(`packages/testing/cases/${name}.json`, root)))).toEqual(
    [],
  );
});
