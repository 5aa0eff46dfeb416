import type { ToolBox } from '../grammar/tools.ts';
import { type CallSuspicion, createCallSuspicion } from './call-suspicion.ts';
import type { KimiEvent } from './events.ts';
import { createLenientFinder, type LenientFinder, readLenientCalls, type TextCall } from './text-calls.ts';

export interface OutputOptions {
  tools: ToolBox;
  /** Look for calls in the forms of ruling 31. */
  lenient: boolean;
  emit(event: KimiEvent): void;
  /** A call was read from the text; it stood where the text written next stands. */
  onCall(call: TextCall): void;
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
  /** White space that may still show, and content that may be a call. */
  held(): [space: string, maybeCall: string];
  /**
   * What left so far. `visible`: content other than white space. `suspicious`: unquoted text that looks
   * like a call of an offered tool.
   */
  summary(): { visible: boolean; reasoning: boolean; suspicious: boolean };
}

export function createOutput({ tools, lenient, emit, onCall }: OutputOptions): Output {
  const contentSuspicion = createCallSuspicion(tools);
  const reasoningSuspicion = createCallSuspicion(tools);
  const findLenientStart = lenient ? createLenientFinder(tools) : undefined;
  let anyCall = false;
  let visible = false;
  let reasoning = false;
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

  function watch(text: string, suspicion: CallSuspicion): void {
    if (tools.known && !anyCall) suspicion.watch(text);
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

  function decideMaybeCall(): void {
    if (maybeCall === '') return;
    const pieces = opened ? readLenientCalls(maybeCall, maybeCallAtLineStart, tools) : [maybeCall];
    maybeCall = '';
    opened = false;
    for (const piece of pieces) {
      if (typeof piece === 'string') show(piece);
      else onCall(piece);
    }
  }

  function writeLenient(text: string, quoted: boolean, atLineStart: boolean, find: LenientFinder): void {
    if (opened) {
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

  return {
    writeReasoning(text, quoted) {
      if (!quoted) watch(text, reasoningSuspicion);
      reasoning = true;
      emit({ type: 'reasoning-delta', delta: text });
    },
    writeContent(text, quoted, atLineStart) {
      if (!quoted) watch(text, contentSuspicion);
      if (findLenientStart) writeLenient(text, quoted, atLineStart, findLenientStart);
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
      decideMaybeCall();
      endShownRun();
      if (blank !== '') emit({ type: 'text-delta', delta: blank });
    },
    held: () => [blank + leading, maybeCall],
    summary: () => ({
      visible,
      reasoning,
      suspicious: contentSuspicion.end() || reasoningSuspicion.end(),
    }),
  };
}
