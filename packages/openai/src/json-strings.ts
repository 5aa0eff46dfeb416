/** Bytes of text for which there is room. */
export const LONGEST_TEXT = 0x10000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const U = 0x75;

/** What stands behind a backslash, by its byte, and what both mean. */
const ESCAPES = new Map(
  [...'"\\/bfnrt'].map((char) => [char.charCodeAt(0), JSON.parse(`"\\${char}"`) as string]),
);

/** A JSON string without its last quote: what was copied last. One for all, as it is read before anything else is. */
const copied = new Uint8Array(LONGEST_TEXT + 1);
copied[0] = QUOTE;

/** `ignoreBOM`: one in a text is a part of it. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Copies the JSON string that begins at `start`, to be read by `readCopied`, behind `length` bytes of others. The
 * text has as many bytes as the string, but for its quotes.
 *
 * @returns where the string ends; -1 if none does, if its text is empty, or if it cannot be read with the others
 */
export function copyString(bytes: Uint8Array, start: number, length: number): number {
  if (bytes[start] !== QUOTE) return -1;
  // Behind another text it may become a character that neither has.
  if (length > 0 && isContinuation(bytes[start + 1])) return -1;
  let to = length;
  for (let at = start + 1; at < bytes.length && to <= LONGEST_TEXT; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) return at === start + 1 ? -1 : at + 1;
    if (byte < 0x20) return -1;
    copied[++to] = byte;
    if (byte !== BACKSLASH) continue;
    const next = bytes[++at] as number;
    if (!ESCAPES.has(next) && !(next === U && hasFourDigits(bytes, at + 1))) return -1;
    copied[++to] = next;
  }
  return -1;
}

/** The text of all strings that were copied, which have so many bytes: decoded once, as that costs most. */
export function readCopied(length: number): string {
  if (length > 64) return decodeCopied(length);
  let text = '';
  for (let at = 1; at <= length; at++) {
    const byte = copied[at] as number;
    const char = byte === BACKSLASH ? ESCAPES.get(copied[++at] as number) : String.fromCharCode(byte);
    if (char === undefined || byte > 0x7e) return decodeCopied(length);
    text += char;
  }
  return text;
}

function decodeCopied(length: number): string {
  return JSON.parse(`${decoder.decode(copied.subarray(0, length + 1))}"`) as string;
}

/** Whether a byte goes on with a character that bytes before it began. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte < 0xc0;
}

function hasFourDigits(bytes: Uint8Array, start: number): boolean {
  return /^[\da-f]{4}$/i.test(String.fromCharCode(...bytes.subarray(start, start + 4)));
}
