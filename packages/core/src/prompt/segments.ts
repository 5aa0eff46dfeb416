import { SPECIAL_TOKEN } from '../grammar/special-tokens.ts';
import { KimiError } from '../kimi-error.ts';

/** A piece of a prompt. */
export interface PromptSegment {
  /** Never empty. */
  text: string;
  /**
   * True: one control token (or the placeholder that a media processor replaces by some). False: text
   * to be tokenized with no control tokens in it, whatever it spells.
   */
  special: boolean;
}

/** What becomes of text that spells a control token: see `PromptInput.specialTokensInText`. */
export type SpecialTokensInText = 'keep' | 'break' | 'reject';

/** Collects the segments of a prompt. */
export interface SegmentWriter {
  /** What the text written next belongs to, for errors: `messages[3]`. */
  field: string;
  special(token: string): void;
  /** Text; what stands side by side becomes one segment. */
  plain(text: string): void;
  /** A whole segment that should be JSON, and may turn out to be any text. */
  json(text: string): void;
  end(): PromptSegment[];
}

/** Zero width space: shows as nothing, and no token of the vocabulary has one inside. */
const BREAK = '\u200b';

export function createSegmentWriter(mode: SpecialTokensInText): SegmentWriter {
  const segments: PromptSegment[] = [];
  /** Text since the last token. Looked at as a whole, as parts of it may form a token together. */
  let run = '';

  function flush(isJson = false): void {
    if (run !== '') segments.push({ text: guard(run, isJson), special: false });
    run = '';
  }

  function guard(text: string, isJson: boolean): string {
    const token = mode === 'keep' ? undefined : text.match(SPECIAL_TOKEN)?.[0];
    if (token === undefined) return text;
    if (mode === 'reject')
      throw new KimiError(writer.field, `${writer.field}: the text contains the special token ${token}`);
    // In JSON a token can only stand in a string, where an escape keeps the value as it is.
    const breakToken =
      isJson && isValidJson(text)
        ? (found: string) => `\\u00${found.charCodeAt(0).toString(16)}${found.slice(1)}`
        : (found: string) => found[0] + BREAK + found.slice(1);
    return text.replace(SPECIAL_TOKEN, breakToken);
  }

  const writer: SegmentWriter = {
    field: '',
    special(token) {
      flush();
      segments.push({ text: token, special: true });
    },
    plain(text) {
      run += text;
    },
    json(text) {
      flush();
      run = text;
      flush(true);
    },
    end() {
      flush();
      return segments;
    },
  };
  return writer;
}

function isValidJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
