/** One line of a file of lines. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** `undefined`: longer than is read. */
  readonly text: string | undefined;
}

/**
 * Longest line that is read, in UTF-16 units: what one record may hold. Without a bound one file without
 * line ends would fill the memory.
 */
export const LONGEST_LINE = 2 ** 26;

/**
 * Cuts bytes into lines, and hands on those of each piece together. Lines end in LF or CR LF; other
 * separators, such as U+2028, may stand inside JSON and end none (so `node:readline` does not fit here).
 * Empty lines are counted and left out. Holds the one line that is not complete yet.
 */
export async function* readLines(
  bytes: AsyncIterable<Uint8Array>,
  longest: number = LONGEST_LINE,
): AsyncGenerator<readonly Line[]> {
  const decoder = new TextDecoder();
  /** The pieces of the line that is being read; dropped once it is too long. */
  let held: string[] = [];
  let length = 0;
  let number = 0;

  function take(text: string): void {
    length += text.length;
    if (length > longest) held = [];
    else if (text !== '') held.push(text);
  }

  function endLine(): Line[] {
    number += 1;
    const tooLong = length > longest;
    const text = held.join('').replace(/\r$/, '');
    held = [];
    length = 0;
    if (tooLong) return [{ number, text: undefined }];
    return text.trim() === '' ? [] : [{ number, text }];
  }

  for await (const piece of bytes) {
    const [first = '', ...rest] = decoder.decode(piece, { stream: true }).split('\n');
    take(first);
    const lines: Line[] = [];
    for (const text of rest) {
      lines.push(...endLine());
      take(text);
    }
    if (lines.length > 0) yield lines;
  }
  take(decoder.decode());
  const last = endLine();
  if (last.length > 0) yield last;
}
