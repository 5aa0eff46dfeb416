import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataError } from './check.ts';
import { caseFile, loadCases } from './load-cases.ts';

test('reads every file of every topic', () => {
  const cases = loadCases();
  const folder = new URL('../cases/', import.meta.url);
  const files = readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith('.json'));
  expect(cases.map(caseFile).sort()).toEqual(files.map(String).sort());
  expect(cases.length).toBeGreaterThan(300);
});

test('selects by kind, topic and family', () => {
  const found = loadCases({ kinds: ['deltas'], topics: ['reasoning', 'k3'], families: ['thinking'] });
  expect(found.length).toBeGreaterThan(0);
  for (const { input, topic, family } of found) {
    expect([input.kind, topic, family]).toEqual(['deltas', 'reasoning', 'thinking']);
  }
});

test('keeps lone surrogates', () => {
  const [pair] = loadCases({ topics: ['unicode'] }).filter(({ id }) => id === 'k2-surrogate-pair-split');
  if (pair?.input.kind !== 'deltas') throw new Error('the case is gone');
  const [first, second] = pair.input.deltas.map(([, text]) => text);
  expect(first?.charCodeAt(first.length - 1)).toBe(0xd83d);
  expect(second?.charCodeAt(0)).toBe(0xde80);
});

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'corpus-'));
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

const valid = {
  id: 'a-case',
  topic: 'text',
  source: 'project case',
  family: 'k2',
  note: 'plain text',
  input: { kind: 'deltas', deltas: [['content', 'Hi.']], finishReason: 'stop' },
  expected: { reasoning: '', content: 'Hi.', toolCalls: [], finishReason: 'stop' },
};

function write(file: string, content: unknown): void {
  mkdirSync(join(root, file, '..'), { recursive: true });
  writeFileSync(join(root, file), typeof content === 'string' ? content : JSON.stringify(content));
}

const load = (): unknown => loadCases({ folder: pathToFileURL(`${root}/`) });

test('reads another corpus', () => {
  write('text/a-case.json', valid);
  expect(load()).toEqual([valid]);
});

test.each([
  ['not JSON', '{', /^text\/a-case\.json: .*JSON/],
  ['an unknown field', { ...valid, tags: [] }, /^text\/a-case\.json: tags: unknown field$/],
  ['a missing field', { ...valid, note: undefined }, /note: missing$/],
  ['an unknown family', { ...valid, family: 'k1' }, /family: expected "k2" or .*, found "k1"$/],
  ['an unknown kind', { ...valid, input: { kind: 'text' } }, /input\.kind: expected "deltas" or /],
  ['a field of another kind', { ...valid, input: { ...valid.input, chunks: [] } }, /input\.chunks: unknown/],
  [
    'an unknown channel',
    {
      ...valid,
      input: {
        ...valid.input,
        deltas: [
          ['content', 'a'],
          ['thought', 'b'],
        ],
      },
    },
    /input\.deltas\[1\]\[0\]: expected "content" or "reasoning", found "thought"$/,
  ],
  ['an unknown option', { ...valid, options: { guided: true } }, /options\.guided: unknown field$/],
  ['a misspelt tool', { ...valid, tools: [{ type: 'tool' }] }, /tools\[0\]\.type: expected "function"/],
  ['nothing expected', { ...valid, expected: {} }, /expected: expected at least one field/],
  [
    'an unknown problem',
    { ...valid, expected: { ...valid.expected, problems: ['odd'] } },
    /expected\.problems\[0\]: expected .* found "odd"$/,
  ],
  [
    'a call without a name',
    { ...valid, expected: { ...valid.expected, toolCalls: [{ index: 0, arguments: '{}' }] } },
    /expected\.toolCalls\[0\]\.name: missing$/,
  ],
  ['another id', { ...valid, id: 'b-case' }, /says it is text\/b-case\.json$/],
  ['another topic', { ...valid, topic: 'ids' }, /says it is ids\/a-case\.json$/],
])('refuses %s', (_, content, message) => {
  write('text/a-case.json', content);
  expect(load).toThrow(DataError);
  expect(load).toThrow(message);
});

test('refuses an id that occurs twice', () => {
  write('text/a-case.json', valid);
  write('ids/a-case.json', { ...valid, topic: 'ids' });
  expect(load).toThrow('text/a-case.json: ids/a-case.json has the same id');
});
