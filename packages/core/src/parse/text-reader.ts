import type { ToolBox } from '../grammar/tools.ts';
import { createBareIds } from './bare-ids.ts';
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
  /** The common case of `take`: text with nothing in it, all quoted or all plain. False, and nothing done, for any other. */
  takePlain(text: string, channel: Channel): boolean;
  /** An id that stands directly in front of this place, taken out of the text (ruling 15). */
  takeHeader(): string | undefined;
  /** Lets go of what is held. */
  release(): void;
  /** A piece of markup follows: nothing is held any more, the run ends. */
  endRun(): void;
  isQuoted(channel: Channel): boolean;
  /** Whether what was read last is quoted; asking changes nothing. */
  wasQuoted(channel: Channel): boolean;
  held(): string;
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

export function createTextReader({ tools, recover, output, isThinking }: TextReaderOptions): TextReader {
  const quotes = { content: createQuoteTracker(), reasoning: createQuoteTracker() };
  const ids = createBareIds(tools);
  /** The end of the text while it may become a header. */
  let held = '';
  let heldAtLineStart = false;
  let channel: Channel = 'content';
  /** The unit in front of `held`; NaN at the start of a run. */
  let before = Number.NaN;

  function write(text: string, quoted: boolean, atLineStart: boolean): void {
    if (text === '') return;
    before = text.charCodeAt(text.length - 1);
    if (isThinking(channel)) output.writeReasoning(text, quoted);
    else output.writeContent(text, quoted, atLineStart);
  }

  function release(): void {
    const text = held;
    held = '';
    write(text, false, heldAtLineStart);
  }

  function hold(text: string, lineStart: boolean): void {
    held = text;
    heldAtLineStart = lineStart;
  }

  function takePlain(delta: string, from: Channel): boolean {
    if (from !== channel) return false;
    const tracker = quotes[from];
    const quoted = tracker.wasQuoted();
    const text = held + delta;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === 0x3c /* < */ || unit === 0x5b /* [ */ || unit === 0x60 /* ` */) return false;
      if (unit === 0x7b /* { */ && !quoted) return false;
    }
    const lineStart = held === '' ? tracker.atLineStart() : heldAtLineStart;
    if (!tracker.takeUnticked(text)) return false;
    held = '';
    const stop = quoted ? text.length : ids.findHeld(text, 0, before);
    write(text.slice(0, stop), quoted, lineStart);
    if (stop < text.length) hold(text.slice(stop), stop === 0 ? lineStart : text[stop - 1] === '\n');
    return true;
  }

  /** Stretch by stretch: quoted, plain, quoted, … up to a token-stripped call. */
  function take(lexeme: Lexeme): StrippedCall | undefined {
    if (lexeme.channel !== channel) endWord();
    channel = lexeme.channel;
    const tracker = quotes[channel];
    const text = held + lexeme.text;
    const offset = lexeme.offset - held.length;
    /** The tracker has read what was held. */
    let read = held.length;
    let lineStart = held === '' ? tracker.atLineStart() : heldAtLineStart;
    held = '';
    let call = recover ? ids.findStripped(text, 0) : undefined;
    for (let at = 0; at < text.length; lineStart = tracker.atLineStart()) {
      const callStart = call?.start ?? text.length;
      const quoted = tracker.wasQuoted();
      const end = callStart < read ? callStart : tracker.advance(text, read, callStart);
      const atCall = call !== undefined && end === callStart && !tracker.isOpen();
      const stop = end < text.length || quoted ? end : ids.findHeld(text, at, before);
      const startsLine = (index: number) => (index === at ? lineStart : text[index - 1] === '\n');
      write(text.slice(at, stop), quoted, lineStart);
      if (call && atCall) {
        const startLine = startsLine(call.start);
        if (call.whole) {
          tracker.setLineStart(startLine);
          const rest = { ...lexeme, text: text.slice(call.brace), offset: offset + call.brace };
          return { header: text.slice(call.start, call.brace), offset: offset + call.start, rest };
        }
        tracker.advance(text, Math.max(read, call.start), text.length);
        hold(text.slice(call.start), startLine);
        return undefined;
      }
      if (stop < end) hold(text.slice(stop), startsLine(stop));
      if (call && end === callStart) call = ids.findStripped(text, call.brace + 1);
      at = read = end;
    }
    return undefined;
  }

  function endWord(): void {
    release();
    before = Number.NaN;
  }

  return {
    take,
    takePlain,
    release: endWord,
    takeHeader() {
      if (!ids.isHeader(held)) return undefined;
      const header = held;
      held = '';
      quotes[channel].setLineStart(heldAtLineStart);
      return header;
    },
    endRun() {
      endWord();
      output.endRun();
    },
    isQuoted: (of) => quotes[of].isOpen(),
    wasQuoted: (of) => quotes[of].wasQuoted(),
    held: () => held,
    resetQuotes(of) {
      if (of !== 'reasoning') quotes.content.reset();
      if (of !== 'content') quotes.reasoning.reset();
    },
    end: release,
  };
}
