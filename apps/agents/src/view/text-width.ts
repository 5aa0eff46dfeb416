const wide =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]|\p{Emoji_Presentation})$/u;
const narrowest = /^[\p{Mark}\p{Format}]$/u;

/** Columns that one character takes in a terminal. */
export function characterWidth(character: string): 0 | 1 | 2 {
  if (character < '\u0300') return 1;
  if (narrowest.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** Columns that a text takes in a terminal. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** The start of a text that fits into so many columns; cut text ends in an ellipsis. */
export function cutToWidth(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let cut = '';
  let left = width - 1;
  for (const character of text) {
    left -= characterWidth(character);
    if (left < 0) break;
    cut += character;
  }
  return `${cut}…`;
}

/**
 * Text from elsewhere must not steer the terminal: control characters become the pictures of
 * themselves, line breaks and tabs excepted.
 */
export function showControls(text: string): string {
  return text.replace(/[^\n\t\P{Control}]|[\u202a-\u202e\u2066-\u2069]/gu, (control) => {
    const code = control.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '␡' : '�';
  });
}
