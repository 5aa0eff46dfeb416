import type { Style } from './paint.ts';
import { characterWidth, showControls, textWidth } from './text-width.ts';

/** Where a flow puts its lines. */
export interface FlowTarget {
  text(text: string, style: Style): void;
  lineEnd(): void;
}

/**
 * Lays running text out in lines, word by word, while it comes. Text stands in paragraphs; a label
 * stands at the left of the first line, the other lines are indented to the same column.
 */
export interface Flow {
  /** Ends the paragraph and begins another. */
  paragraph(label: string): void;
  write(text: string, style?: Style): void;
  /** Ends the paragraph. */
  end(): void;
}

/** Columns that labels take, with the space behind them. */
export const labelWidth = 10;

export function createFlow(target: FlowTarget, width: number): Flow {
  const room = Math.max(width - labelWidth, 10);
  let inParagraph = false;
  /** Columns of the current line that are taken. */
  let column = 0;
  /** A word that may still go on: what it is made of, until a space or another style comes. Never longer than a line. */
  let word = '';
  let wordStyle: Style = 'plain';
  let wordWidth = 0;
  /** Spaces and line breaks that show only if something visible follows in the paragraph. */
  let spaces = 0;
  let breaks = 0;
  /** Half a character at the end of a delta, until the other half comes. */
  let half = '';

  const startLine = (): void => {
    target.text(' '.repeat(labelWidth), 'plain');
    column = 0;
  };

  const flushWord = (): void => {
    if (word === '') return;
    const isStart = column === 0 && breaks === 0;
    if (breaks > 0) {
      for (; breaks > 0; breaks -= 1) target.lineEnd();
      startLine();
    }
    if (column > 0 && column + spaces + wordWidth > room) {
      target.lineEnd();
      startLine();
    } else if (!isStart && spaces > 0 && spaces + wordWidth <= room) {
      target.text(' '.repeat(spaces), 'plain');
      column += spaces;
    }
    target.text(word, wordStyle);
    column += wordWidth;
    word = '';
    wordWidth = 0;
    spaces = 0;
  };

  const put = (character: string, style: Style): void => {
    if (character === '\n') {
      flushWord();
      if (column > 0) breaks = Math.min(breaks + 1, 2);
      spaces = 0;
      return;
    }
    if (character === ' ' || character === '\t') {
      flushWord();
      spaces += character === ' ' ? 1 : 2;
      return;
    }
    const extra = characterWidth(character);
    if (style !== wordStyle || wordWidth + extra > room) flushWord();
    word += character;
    wordStyle = style;
    wordWidth += extra;
  };

  const end = (): void => {
    if (!inParagraph) return;
    flushWord();
    target.lineEnd();
    inParagraph = false;
    column = 0;
    spaces = 0;
    breaks = 0;
    half = '';
  };

  return {
    paragraph(label) {
      end();
      inParagraph = true;
      target.text(label + ' '.repeat(Math.max(labelWidth - textWidth(label), 1)), 'faint');
    },
    write(text, style = 'plain') {
      const whole = half + text;
      const cut = /[\ud800-\udbff]$/.test(whole) ? whole.length - 1 : whole.length;
      half = whole.slice(cut);
      if (style === 'token') flushWord();
      for (const character of showControls(whole.slice(0, cut))) put(character, style);
    },
    end,
  };
}
