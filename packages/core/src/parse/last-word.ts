import { isIdUnit, LONGEST_BARE_ID } from '../grammar/tool-call-id.ts';

/** The end of a text that arrives in pieces, where a word may turn out to be the id of a call. */
export interface LastWord {
  /**
   * Takes text up to a brace that stands directly behind an accepted word.
   * @returns that word and the brace's index in `text`; `undefined` if there is none
   */
  take(text: string): { word: string; brace: number } | undefined;
  /** The last word; white space may stand behind it. Empty if there is none. */
  word(): string;
  /** How many units in front of the end the last word begins. */
  reach(): number;
  /** Something visible stands in front of the last word. */
  hasMore(): boolean;
}

/** The id units that a text ends in. */
function endingWord(text: string): string {
  let start = text.length;
  while (start > 0 && isIdUnit(text.charCodeAt(start - 1))) start--;
  return text.slice(start);
}

export function createLastWord(accepts: (word: string) => boolean): LastWord {
  /** The end of the text, long enough for any id. */
  let edge = '';
  /** Something visible stood in front of `edge`. */
  let more = false;

  function extend(text: string): void {
    const all = edge + text;
    const cut = Math.max(0, all.length - LONGEST_BARE_ID);
    more ||= all.slice(0, cut).trim() !== '';
    edge = all.slice(cut);
  }

  const word = () => endingWord(edge.trimEnd());

  return {
    take(text) {
      for (let brace = text.indexOf('{'); brace >= 0; brace = text.indexOf('{', brace + 1)) {
        const near = text.slice(Math.max(0, brace - LONGEST_BARE_ID), brace);
        const found = endingWord((edge + near).slice(-LONGEST_BARE_ID));
        if (found === '' || !accepts(found)) continue;
        extend(text.slice(0, brace));
        return { word: found, brace };
      }
      extend(text);
      return undefined;
    },
    word,
    reach: () => edge.length - edge.trimEnd().length + word().length,
    hasMore: () => more || edge.trim().length > word().length,
  };
}
