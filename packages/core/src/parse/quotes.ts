/**
 * Follows the quotes of one channel (ruling 7): a fenced block runs from a line that starts with three
 * or more backticks to one that starts with at least as many; an inline span from a run of backticks to
 * the next run of the same length, at most to the end of the line.
 */
export interface QuoteTracker {
  /**
   * Reads `text` from `from` on, up to the next change between quoted and plain or to `to`.
   * A run of backticks belongs to what stands in front of it.
   */
  advance(text: string, from: number, to: number): number;
  /** Reads a text without a backtick. False, and nothing done, if quotes may change in it. */
  takeUnticked(text: string): boolean;
  /** Whether what was read last is quoted. */
  wasQuoted(): boolean;
  /** Whether what comes next is quoted; for use where no backtick comes next. */
  isOpen(): boolean;
  /** At the start of a line of what shows. */
  atLineStart(): boolean;
  /** To be set back when text turns out to be a call and is taken out. */
  setLineStart(value: boolean): void;
  reset(): void;
}

/** The index of a character in a stretch of a text; the stretch's end if it is not there. */
function indexIn(text: string, char: string, from: number, to: number): number {
  const at = text.slice(from, to).indexOf(char);
  return at < 0 ? to : from + at;
}

export function createQuoteTracker(): QuoteTracker {
  /** Backticks that opened the fence or span; 0: none is open. */
  let fence = 0;
  let span = 0;
  /** Length of the run being read, and whether it began its line. */
  let run = 0;
  let runStartsLine = false;
  let atLineStart = true;

  function settleRun(): void {
    if (fence > 0) {
      if (runStartsLine && run >= fence) fence = 0;
    } else if (span > 0) {
      if (run === span) span = 0;
    } else if (runStartsLine && run >= 3) fence = run;
    else span = run;
    run = 0;
  }

  function isOpen(): boolean {
    if (run > 0) settleRun();
    return fence > 0 || span > 0;
  }

  function advance(text: string, from: number, to: number): number {
    const before = fence + span > 0;
    for (let at = from; at < to; ) {
      if (text[at] === '`') {
        if (run++ === 0) runStartsLine = atLineStart;
        atLineStart = false;
        at++;
        continue;
      }
      if (run > 0) settleRun();
      if (span > 0 && text[at] === '\n') span = 0;
      if (fence + span > 0 !== before) return at;
      // Nothing happens before the next backtick or, in a span, the end of its line. The line end is looked for only
      // up to that backtick: many spans in a long line must not look for its end each.
      const tick = indexIn(text, '`', at, to);
      at = span > 0 ? indexIn(text, '\n', at, tick) : tick;
      atLineStart = text[at - 1] === '\n';
    }
    return to;
  }

  return {
    advance,
    takeUnticked(text) {
      if (run > 0 || (span > 0 && text.includes('\n'))) return false;
      if (text !== '') atLineStart = text[text.length - 1] === '\n';
      return true;
    },
    isOpen,
    wasQuoted() {
      return fence + span > 0;
    },
    atLineStart: () => atLineStart,
    setLineStart(value) {
      atLineStart = value;
    },
    reset() {
      fence = span = run = 0;
      atLineStart = true;
    },
  };
}
