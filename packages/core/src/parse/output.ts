import type { ToolBox } from '../grammar/tools.ts';
import type { Channel, KimiEvent } from './events.ts';
import { createTextBuilder } from './text-builder.ts';
import {
  createCallSuspicion,
  createLenientFinder,
  type LenientFinder,
  readGuidedCalls,
  readLenientCalls,
  type TextCall,
  type TextPiece,
} from './text-calls.ts';

export interface OutputOptions {
  tools: ToolBox;
  /** Look for calls in the forms of ruling 31. */
  lenient: boolean;
  /** The whole content may be a JSON list of calls (ruling 33). */
  guided: boolean;
  emit(event: KimiEvent): void;
  /** A call was read from the text; it stood where the text written next stands. */
  onCall(call: TextCall, from: 'guided' | 'lenient'): void;
}

/** Where text leaves: reasoning as it is, content by the white space rule (ruling 2). */
export interface Output {
  writeReasoning(text: string, quoted: boolean): void;
  writeContent(text: string, quoted: boolean, atLineStart: boolean): void;
  /** A piece of markup: the text run ends. */
  endRun(): void;
  /** A call was opened: runs of white space do not show any more. */
  callOpened(): void;
  end(): void;
  /** Anything but white space left as content. */
  readonly visible: boolean;
  readonly reasoning: boolean;
  /** Unquoted text looked like a call of an offered tool. */
  readonly suspicious: boolean;
}

export function createOutput({ tools, lenient, guided, emit, onCall }: OutputOptions): Output {
  const looksLikeCall = { content: createCallSuspicion(tools), reasoning: createCallSuspicion(tools) };
  const findLenientStart = lenient ? createLenientFinder(tools) : undefined;
  let anyCall = false;
  let visible = false;
  let reasoning = false;
  let suspicious = false;
  /** Whether the present run holds something visible. */
  let runVisible = false;
  /** White space at the start of the present run, until something visible follows. */
  let leading = '';
  /** White space of earlier runs: shown with the next visible text or at the end, unless a call was opened. */
  let blank = '';
  /** Content that may be a call: in lenient mode from the first sign of one to the end of its run. */
  let maybeCall = '';
  let maybeCallAtLineStart = false;
  /** `maybeCall` holds a whole opener; before that it is let go as soon as it cannot become one. */
  let opened = false;
  /** Quoted stretches of `maybeCall`, as index pairs. */
  let quotes: [number, number][] = [];
  /** Content that may as a whole be guided JSON; `undefined` once it cannot be. */
  let guidedText = guided ? createTextBuilder() : undefined;
  /** Something visible stands in `guidedText`. */
  let guidedBegan = false;

  function watch(text: string, channel: Channel): void {
    if (tools.known && !suspicious && !anyCall) suspicious = looksLikeCall[channel](text);
  }

  function show(text: string): void {
    if (text === '') return;
    if (!runVisible) {
      if (text.trim() === '') {
        leading += text;
        return;
      }
      text = blank + leading + text;
      blank = leading = '';
      runVisible = visible = true;
    }
    emit({ type: 'text-delta', delta: text });
  }

  function endShownRun(): void {
    if (!anyCall) blank += leading;
    leading = '';
    runVisible = false;
  }

  function letGo(pieces: TextPiece[], from: 'guided' | 'lenient'): void {
    for (const piece of pieces) {
      if (typeof piece === 'string') show(piece);
      else {
        endShownRun();
        onCall(piece, from);
      }
    }
  }

  function decideMaybeCall(): void {
    if (maybeCall === '') return;
    const text = maybeCall;
    maybeCall = '';
    letGo(opened ? readLenientCalls(text, maybeCallAtLineStart, quotes, tools) : [text], 'lenient');
    opened = false;
    quotes = [];
  }

  function writeLenient(text: string, quoted: boolean, atLineStart: boolean, find: LenientFinder): void {
    if (opened) {
      if (quoted) quotes.push([maybeCall.length, maybeCall.length + text.length]);
      maybeCall += text;
      return;
    }
    if (quoted) {
      decideMaybeCall();
      show(text);
      return;
    }
    const looked = maybeCall + text;
    const lineStart = maybeCall === '' ? atLineStart : maybeCallAtLineStart;
    const start = find(looked, lineStart);
    show(looked.slice(0, start.at));
    maybeCall = looked.slice(start.at);
    maybeCallAtLineStart = start.at === 0 ? lineStart : looked[start.at - 1] === '\n';
    opened = start.opened;
  }

  function writeGuided(text: string, quoted: boolean, atLineStart: boolean): void {
    guidedText?.push(text);
    guidedBegan ||= /^\s*[[{]/.test(text);
    if (guidedBegan || text.trim() === '') return;
    const all = guidedText?.toString() ?? '';
    guidedText = undefined;
    if (findLenientStart) writeLenient(all, quoted, atLineStart, findLenientStart);
    else show(all);
  }

  function decideGuided(): void {
    if (guidedText === undefined) return;
    const text = guidedText.toString();
    guidedText = undefined;
    letGo(readGuidedCalls(text, tools) ?? [text], 'guided');
  }

  return {
    writeReasoning(text, quoted) {
      if (!quoted) watch(text, 'reasoning');
      reasoning = true;
      emit({ type: 'reasoning-delta', delta: text });
    },
    writeContent(text, quoted, atLineStart) {
      if (!quoted) watch(text, 'content');
      if (guidedText !== undefined) writeGuided(text, quoted, atLineStart);
      else if (findLenientStart) writeLenient(text, quoted, atLineStart, findLenientStart);
      else show(text);
    },
    endRun() {
      decideMaybeCall();
      endShownRun();
    },
    callOpened() {
      anyCall = true;
      blank = '';
    },
    end() {
      decideGuided();
      decideMaybeCall();
      endShownRun();
      if (blank !== '') emit({ type: 'text-delta', delta: blank });
    },
    get visible() {
      return visible;
    },
    get reasoning() {
      return reasoning;
    },
    get suspicious() {
      return suspicious;
    },
  };
}
