import { LONGEST_BARE_ID } from '../grammar/tool-call-id.ts';

/** The end of a text that arrives in pieces, where a word may turn out to be the id of a call. */
export interface LastWord {
  /**
   * Takes text up to a brace that stands directly behind an accepted word.
   * @returns that word and the brace's index in `text`; `undefined` if there is none
   */
  take(text: string): { word: string; brace: number } | undefined;
  /** The last word; white space may stand behind it. Empty if there is none. */
  word(): string;
  /** Something visible stands in front of the last word. */
  hasMore(): boolean;
}

const ENDING_WORD = /[^\s<>{}"`]+$/;

export function createLastWord(accepts: (word: string) => boolean): LastWord {
  /** The end of the text, long enough for any id. */
  let edge = '';
  /** Something visible stood in front of `edge`. */
  let more = false;
  const endingWord = (text: string) => ENDING_WORD.exec(text.slice(-LONGEST_BARE_ID))?.[0] ?? '';

  return {
    take(text) {
      const looked = edge + text;
      for (let at = looked.indexOf('{', edge.length); at >= 0; at = looked.indexOf('{', at + 1)) {
        const word = endingWord(looked.slice(Math.max(0, at - LONGEST_BARE_ID), at));
        if (word === '' || !accepts(word)) continue;
        const brace = at - edge.length;
        edge = looked.slice(0, at);
        return { word, brace };
      }
      more ||= looked.slice(0, -LONGEST_BARE_ID).trim() !== '';
      edge = looked.slice(-LONGEST_BARE_ID);
      return undefined;
    },
    word: () => endingWord(edge.trimEnd()),
    hasMore: () => more || edge.trim().length > endingWord(edge.trimEnd()).length,
  };
}
