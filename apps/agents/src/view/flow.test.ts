import { describe, expect, it } from 'vitest';
import { createColumn } from './column.ts';
import { createFlow } from './flow.ts';
import { createPaint } from './paint.ts';
import { textWidth } from './text-width.ts';

const paint = createPaint(false);

function layOut(deltas: readonly string[], width: number, label = 'text'): string[] {
  const column = createColumn(paint);
  column.paragraph(label);
  for (const delta of deltas) column.write(delta);
  return column.layOut(width).map(({ painted }) => painted);
}

describe('a flow', () => {
  it('breaks between words, and indents to the label', () => {
    expect(layOut(['The quick brown fox jumps over the dog.'], 30)).toEqual([
      'text      The quick brown fox',
      '          jumps over the dog.',
    ]);
  });

  it('keeps line breaks, one empty line at most, and indentation', () => {
    expect(layOut(['\n\nList:\n\n\n\n- a\n  - b\n\n'], 30)).toEqual([
      'text      List:',
      '',
      '          - a',
      '            - b',
    ]);
  });

  it('cuts a word that is longer than a line', () => {
    expect(layOut(['abcdefghijklmnopqrstuvwxyz'], 20)).toEqual([
      'text      abcdefghij',
      '          klmnopqrst',
      '          uvwxyz',
    ]);
  });

  it('counts wide characters twice and marks not at all', () => {
    expect(textWidth('你好 🙂 e\u0301')).toBe(9);
    expect(layOut(['你好你好你好'], 20)).toEqual(['text      你好你好你', '          好']);
  });

  it('shows control characters instead of obeying them', () => {
    expect(layOut(['a\u001b[2Jb\u0007\u009bc\u202ed'], 40)).toEqual(['text      a␛[2Jb␇�c�d']);
  });

  it.each([12, 20, 33, 80])('is the same in any chunking, at %d columns', (width) => {
    const text =
      '  Words, 你好 🙂 and a very/long/path/without/any/space.tsx\n\n  indented\tcode\n\nend of it. ';
    const whole = layOut([text], width);
    expect(layOut(text.split(''), width)).toEqual(whole);
    for (let at = 0; at <= text.length; at += 1) {
      expect(layOut([text.slice(0, at), text.slice(at)], width)).toEqual(whole);
    }
    for (const line of whole) expect(textWidth(line)).toBeLessThanOrEqual(Math.max(width, 20));
  });

  it('shows a word as soon as it is complete', () => {
    const shown: string[] = [];
    const flow = createFlow({ text: (text) => shown.push(text), lineEnd: () => shown.push('\n') }, 40);
    flow.paragraph('text');
    flow.write('Hello wor');
    expect(shown.join('')).toBe('text      Hello');
    flow.write('ld, ');
    expect(shown.join('')).toBe('text      Hello world,');
  });
});
