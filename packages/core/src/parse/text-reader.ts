import { END_OF_SEQUENCE } from '../grammar/special-tokens.ts';
import { LONGEST_BARE_ID } from '../grammar/tool-call-id.ts';
import type { ToolBox } from '../grammar/tools.ts';
import type { Channel } from './events.ts';
import type { Lexeme } from './lexer.ts';
import type { Output } from './output.ts';
import { createQuoteTracker } from './quotes.ts';

/** A call written without markers: `functions.NAME:IDX{…` (ruling 30). */
export interface StrippedCall {
  header: string;
  offset: number;
  /** From the brace on, to be read as arguments. */
  rest: Lexeme;
}

/** Reads plain text: follows quotes, finds token-stripped calls, and holds what may become a header. */
export interface TextReader {
  /** Passes text on; stops in front of a token-stripped call and returns it. */
  take(lexeme: Lexeme): StrippedCall | undefined;
  /** An id that stands directly in front of this place, taken out of the text (ruling 15). */
  takeHeader(channel: Channel): string | undefined;
  /** Lets go of what is held. */
  release(): void;
  /** A piece of markup follows: nothing is held any more, the run ends. */
  endRun(): void;
  isQuoted(channel: Channel): boolean;
  /** Quotes are over in one channel, or in both. */
  resetQuotes(channel?: Channel): void;
  end(): void;
}

export interface TextReaderOptions {
  tools: ToolBox;
  /** Read token-stripped calls. */
  recover: boolean;
  output: Output;
  isThinking(channel: Channel): boolean;
}

const PREFIX = 'functions.';
const STRIPPED_HEADER = /^functions\.([^\s<>{}"`]+):\d+$/;
const NOT_IN_ID = /[\s<>{}"`]/;

export function createTextReader({ tools, recover, output, isThinking }: TextReaderOptions): TextReader {
  const quotes = { content: createQuoteTracker(), reasoning: createQuoteTracker() };
  const offered = tools.names;
  const firstUnits = new Set(offered.map((name) => name[0]));
  /** The end of the text while it may become a header or is a possible last `[EOS]`; at most 512 units. */
  let held = '';
  let heldAtLineStart = false;
  let channel: Channel = 'content';
  /** The text in front of `held` ends inside a word, so that no offered name begins there. */
  let midWord = false;

  function write(text: string, quoted: boolean, atLineStart: boolean): void {
    if (text === '') return;
    midWord = !NOT_IN_ID.test(text.charAt(text.length - 1));
    output.write(text, { reasoning: isThinking(channel), quoted, atLineStart });
  }

  function release(): void {
    const text = held;
    held = '';
    write(text, false, heldAtLineStart);
  }

  /** The first token-stripped call at or behind `from`; `whole` unless more text must tell. */
  function findStripped(
    text: string,
    from: number,
  ): { start: number; brace: number; whole: boolean } | undefined {
    if (!recover) return undefined;
    for (let brace = text.indexOf('{', from); brace >= 0; brace = text.indexOf('{', brace + 1)) {
      const before = text[brace - 1];
      if (before === undefined || before < '0' || before > '9') continue;
      const window = text.slice(Math.max(from, brace - LONGEST_BARE_ID), brace);
      const at = window.lastIndexOf(PREFIX);
      const name = at < 0 ? undefined : STRIPPED_HEADER.exec(window.slice(at))?.[1];
      if (name === undefined || tools.find(name) === undefined) continue;
      const start = brace - window.length + at;
      const inside = text.slice(brace + 1, start + LONGEST_BARE_ID).trimStart();
      const whole = /^["}]/.test(inside);
      if (whole || (inside === '' && text.length < start + LONGEST_BARE_ID)) return { start, brace, whole };
    }
    return undefined;
  }

  /** Where the part of plain text begins that must wait for what follows it. */
  function findHeld(text: string, from: number): number {
    const earliest = Math.max(from, text.length - LONGEST_BARE_ID);
    let word = text.length;
    while (word > earliest && !NOT_IN_ID.test(text.charAt(word - 1))) word--;
    const id = text.lastIndexOf(PREFIX);
    if (id >= word) return id;
    for (let at = Math.max(word, text.length - PREFIX.length + 1); at < text.length; at++) {
      if (text[at] !== 'f' && text[at] !== '[') continue;
      const rest = text.slice(at);
      if (PREFIX.startsWith(rest) || END_OF_SEQUENCE.startsWith(rest)) return at;
    }
    const atWordStart = word > 0 ? word > earliest || NOT_IN_ID.test(text.charAt(word - 1)) : !midWord;
    if (!atWordStart || !firstUnits.has(text[word])) return text.length;
    return offered.some((name) => mayBeHeader(text.slice(word), name)) ? word : text.length;
  }

  function hold(text: string, lineStart: boolean): void {
    held = text;
    heldAtLineStart = lineStart;
  }

  function take(lexeme: Lexeme): StrippedCall | undefined {
    if (lexeme.channel !== channel) endWord();
    channel = lexeme.channel;
    const tracker = quotes[channel];
    const text = held + lexeme.text;
    const offset = lexeme.offset - held.length;
    /** The tracker has read what was held. */
    let read = held.length;
    let lineStart = read > 0 ? heldAtLineStart : tracker.atLineStart;
    held = '';
    let stripped = findStripped(text, 0);
    for (let at = 0; at < text.length; lineStart = tracker.atLineStart) {
      const quoted = tracker.open;
      const inHeld = stripped !== undefined && stripped.start < read;
      const end = inHeld
        ? (stripped?.start ?? 0)
        : tracker.advance(text, read, stripped?.start ?? text.length);
      const atCall = end === stripped?.start && !tracker.isOpen();
      const stop = end < text.length || quoted ? end : findHeld(text, at);
      write(text.slice(at, stop), quoted, lineStart);
      const lineStartAt = (index: number) => (index === at ? lineStart : text[index - 1] === '\n');
      if (stripped && atCall) {
        const { start, brace, whole } = stripped;
        if (!whole) {
          tracker.advance(text, Math.max(read, start), text.length);
          hold(text.slice(start), lineStartAt(start));
          return undefined;
        }
        tracker.atLineStart = lineStartAt(start);
        const rest: Lexeme = { kind: 'text', text: text.slice(brace), channel, offset: offset + brace };
        return { header: text.slice(start, brace), offset: offset + start, rest };
      }
      if (stop < end) hold(text.slice(stop), lineStartAt(stop));
      if (end === stripped?.start) stripped = findStripped(text, stripped.brace + 1);
      at = read = end;
    }
    return undefined;
  }

  function endWord(): void {
    release();
    midWord = false;
  }

  return {
    take,
    release: endWord,
    takeHeader(of) {
      if (of !== channel) return undefined;
      const isHeader = STRIPPED_HEADER.test(held) || offered.some((name) => isCounted(held, name));
      if (!isHeader) return undefined;
      const header = held;
      held = '';
      quotes[channel].atLineStart = heldAtLineStart;
      return header;
    },
    endRun() {
      endWord();
      output.endRun();
    },
    isQuoted: (of) => quotes[of].isOpen(),
    resetQuotes(of) {
      if (of !== 'reasoning') quotes.content.reset();
      if (of !== 'content') quotes.reasoning.reset();
    },
    end() {
      if (held.endsWith(END_OF_SEQUENCE)) held = held.slice(0, -END_OF_SEQUENCE.length);
      release();
    },
  };
}

/** `NAME:IDX` */
function isCounted(text: string, name: string): boolean {
  return text.startsWith(name) && /^:\d+$/.test(text.slice(name.length));
}

/** `NAME:IDX`, or a beginning of it. */
function mayBeHeader(text: string, name: string): boolean {
  return name.startsWith(text) || (text.startsWith(name) && /^:\d*$/.test(text.slice(name.length)));
}
