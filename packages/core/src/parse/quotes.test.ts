import { describe, expect, test } from 'vitest';
import { createQuoteTracker, type QuoteTracker } from './quotes.ts';

/** The text in stretches of one kind each, the first one plain. */
function split(text: string, length: number, quotes: QuoteTracker = createQuoteTracker()): string[] {
  const stretches = [''];
  for (let at = 0; at < text.length; ) {
    const quoted = quotes.wasQuoted();
    const end = quotes.advance(text, at, Math.min(text.length, at + length));
    if (quoted !== (stretches.length % 2 === 0) && end > at) stretches.push('');
    stretches.push(stretches.pop() + text.slice(at, end));
    at = end;
  }
  return stretches;
}

describe('quoted and plain', () => {
  test.each([
    ['a b'],
    ['`', 'a`', ' b'],
    ['``', 'a`b``', ' c'],
    ['`', 'a', '\nb`', ' c`', ' d'],
    ['``\nb'],
    ['a ```', 'b', '\nc'],
    ['a\n ```', 'b', '\nc'],
    ['```', '\na\n```', '\nb'],
    ['```', '\na\n`````', '\nb'],
    ['````', '\n```\na\n````', '\nb'],
    ['```', '\na ```\n`b\n```', '\nc'],
    ['a\n```', '\nb\n```', '\n`', 'c`', ' d'],
    ['`', 'a```b`', ' c'],
    ['```', 'a`\n``\nb'],
  ])('%j %j %j', (...stretches) => {
    const text = stretches.join('');
    expect(split(text, text.length)).toEqual(stretches);
    expect(split(text, 1)).toEqual(stretches);
    expect(split(text, 3)).toEqual(stretches);
  });
});

test('a line starts where its tracker is told', () => {
  const quotes = createQuoteTracker();
  expect(quotes.atLineStart()).toBe(true);
  quotes.setLineStart(false);
  expect(split('```\na', 4, quotes)).toEqual(['```\na']);
  expect(quotes.atLineStart()).toBe(false);
  quotes.advance('a\n', 0, 2);
  expect(quotes.atLineStart()).toBe(true);
  quotes.advance('a\n', 1, 1);
  quotes.advance('', 0, 0);
  expect(quotes.atLineStart()).toBe(true);
  quotes.advance('`', 0, 1);
  expect(quotes.atLineStart()).toBe(false);
});

test('backticks are undecided until something follows', () => {
  const quotes = createQuoteTracker();
  expect(quotes.takeUnticked('a')).toBe(true);
  expect([quotes.isOpen(), quotes.wasQuoted()]).toEqual([false, false]);
  quotes.advance('\n```', 0, 4);
  expect([quotes.takeUnticked('a'), quotes.wasQuoted()]).toEqual([false, false]);
  expect(quotes.isOpen()).toBe(true);
  expect([quotes.takeUnticked('a'), quotes.wasQuoted()]).toEqual([true, true]);
  quotes.advance('\n```', 0, 4);
  expect(quotes.takeUnticked('a')).toBe(false);
  expect(quotes.isOpen()).toBe(false);
  expect([quotes.takeUnticked('a'), quotes.wasQuoted()]).toEqual([true, false]);
});

test('a text without backticks changes no quotes but at the end of a line', () => {
  const quotes = createQuoteTracker();
  split('a `b', 9, quotes);
  expect(quotes.takeUnticked('c d')).toBe(true);
  expect(quotes.takeUnticked('e\nf')).toBe(false);
  expect(quotes.advance('e\nf', 0, 3)).toBe(1);
  split('\n```', 9, quotes);
  quotes.isOpen();
  expect(quotes.takeUnticked('a\nb\n')).toBe(true);
  expect(quotes.takeUnticked('')).toBe(true);
  expect([quotes.wasQuoted(), quotes.atLineStart()]).toEqual([true, true]);
  expect(quotes.takeUnticked('c')).toBe(true);
  expect(quotes.atLineStart()).toBe(false);
});

test('nothing is open behind a reset', () => {
  for (const opener of ['```\na', 'a `b', 'a `']) {
    const quotes = createQuoteTracker();
    split(opener, 9, quotes);
    quotes.reset();
    expect([quotes.takeUnticked(''), quotes.wasQuoted(), quotes.atLineStart()]).toEqual([true, false, true]);
    expect(split('```\na', 9, quotes)).toEqual(['```', '\na']);
  }
});
