import { checkCase } from '@kimi-tc/testing';
import { describe, expect, test } from 'vitest';
import { type Block, readDocuments } from './read-documents.ts';

const blocks = readDocuments()
  .flatMap((document) => document.blocks)
  .filter(({ language }) => language === 'json');

/** What has input and expectation is a case of the corpus, and has to be one that its check takes. */
function isCase(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'input' in value && 'expected' in value;
}

/** @throws what is wrong with a block */
function checkBlock({ file, line, code }: Block): void {
  const value: unknown = JSON.parse(code);
  if (isCase(value)) checkCase(value, `${file}:${line}`);
}

describe('the JSON of the documents', () => {
  test('is found, a case among it', () => {
    expect(blocks.length).toBeGreaterThan(5);
    expect(blocks.some(({ code }) => isCase(JSON.parse(code)))).toBe(true);
  });

  test.each(blocks)('is right: $file:$line', (block) => {
    checkBlock(block);
  });

  test('is missed where it is not', () => {
    const [found] = blocks.filter(({ code }) => isCase(JSON.parse(code)));
    if (!found) throw new Error('expected a case among the blocks');
    const spoil = (from: string, to: string) => () =>
      checkBlock({ ...found, code: found.code.replace(from, to) });
    expect(spoil('}', '')).toThrow(SyntaxError);
    expect(spoil('"topic"', '"subject"')).toThrow(/subject/);
    expect(spoil('"kind": "deltas"', '"kind": "letters"')).toThrow(/input\.kind/);
    expect(spoil('"problems"', '"problem"')).toThrow(/expected/);
  });
});
