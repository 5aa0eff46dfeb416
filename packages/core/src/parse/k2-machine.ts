import type { ProblemCode } from '../grammar/problems.ts';
import type { ToolBox } from '../grammar/tools.ts';
import { type CallReader, createCallReader, type Left } from './call-reader.ts';
import type { Channel, KimiEvent } from './events.ts';
import { deriveFinishReason } from './finish-reason.ts';
import { createGuidedTrial, type GuidedTrial } from './guided-calls.ts';
import { createLastWord, type LastWord } from './last-word.ts';
import { createLexer, type Lexeme, type Lexer, tailOf } from './lexer.ts';
import { createQuotedCallTrial, type QuotedCallTrial } from './open-quote.ts';
import { createOutput, type Output } from './output.ts';
import { PROBLEM_MESSAGES } from './problem-messages.ts';
import { createStructuredCalls, type ToolCallPiece } from './structured-calls.ts';
import type { TextCall } from './text-calls.ts';
import { createTextReader, type TextReader } from './text-reader.ts';
import { createCallLog } from './tool-calls.ts';

export interface MachineSettings {
  tools: ToolBox;
  /** Tool choice `none`. */
  suppress: boolean;
  promptOpensThink: boolean;
  /** Read `functions.NAME:IDX{…}` without markers. */
  recoverStripped: boolean;
  recoverLenient: boolean;
  guidedJson: boolean;
  takenToolCallIds: readonly string[];
  limits: { maxArgumentsLength?: number | undefined; maxToolCalls?: number | undefined };
  emit(event: KimiEvent): void;
  /** Puts itself around the reading of each lexeme; see `trace.ts`. Default: nothing does. */
  trace?: ((parts: MachineParts) => (lexeme: Lexeme) => void) | undefined;
}

/** The inside of a machine at work, for a tracer: to look at, never to change. */
export interface MachineParts {
  read(lexeme: Lexeme): void;
  /** Text, section, header, arguments, trial of quoted calls, trial of guided JSON. */
  states: readonly State[];
  thinking: Readonly<Record<Channel, boolean>>;
  /** Lexemes to read again, the next one last. */
  input: readonly Lexeme[];
  lexer: Lexer;
  reader: TextReader;
  output: Output;
  look(): {
    state: State;
    header: string;
    noise: readonly Lexeme[];
    trial: QuotedCallTrial | undefined;
    guided: GuidedTrial | undefined;
    open: CallReader | undefined;
  };
}

export interface Machine {
  feed(delta: string, channel: Channel): void;
  feedToolCall(piece: ToolCallPiece): void;
  end(finishReason: string | undefined): void;
}

/** Takes a lexeme, does what it means, and returns the state that reads the next one. */
export type State = (lexeme: Lexeme) => State;

/** The K2 grammar: lexemes to events. One state function per place that the text can be in. */
export function createK2Machine(settings: MachineSettings): Machine {
  const { tools, suppress, recoverStripped, limits, emit } = settings;
  /** Text of a channel is reasoning while its thought is open. */
  const thinking = { content: settings.promptOpensThink, reasoning: true };
  /** Lexemes to read again, the next one last. */
  const input: Lexeme[] = [];
  let state: State = inText;
  /** Where what is being read begins; at the end, the end. */
  let position = 0;
  /** Inside a section: the calls opened in it so far. Outside: -1. */
  let callsInSection = -1;

  const lexer = createLexer((lexeme) => {
    read(lexeme);
    if (input.length > 0) drain();
  });
  const calls = createCallLog({
    tools,
    suppress,
    takenToolCallIds: settings.takenToolCallIds,
    maxToolCalls: limits.maxToolCalls,
    emit,
    report,
    onOpen() {
      if (callsInSection >= 0) callsInSection++;
      output.callOpened();
    },
  });
  const output = createOutput({
    tools,
    lenient: settings.recoverLenient,
    emit,
    onCall: (call) => deliver(call, 'text-call-recovered'),
  });
  const structured = createStructuredCalls({
    tools,
    calls,
    maxArgumentsLength: limits.maxArgumentsLength,
    offset: lexer.offset,
    onOpen: () => output.callOpened(),
  });
  const reader = createTextReader({
    tools,
    recover: recoverStripped,
    output,
    isThinking: (channel) => thinking[channel],
  });

  function report(code: ProblemCode, offset: number, index?: number): void {
    const message = PROBLEM_MESSAGES[code] ?? code;
    emit({ type: 'problem', code, message, offset, ...(index !== undefined && { index }) });
  }

  /** A call that was read as a whole. */
  function deliver({ name, arguments: text, repaired }: TextCall, code?: ProblemCode): void {
    const call = calls.openNamed(name, position);
    const over = text.length > (limits.maxArgumentsLength ?? Infinity);
    if (!over) call.delta(text);
    if (code) call.report(code);
    call.finish({ text: over ? '' : text, state: 'whole', isObject: true, repaired, over }, 'closed');
  }

  function readAgain(lexemes: readonly Lexeme[]): void {
    for (let at = lexemes.length - 1; at >= 0; at--) input.push(lexemes[at] as Lexeme);
  }

  function drain(): void {
    for (let lexeme = input.pop(); lexeme; lexeme = input.pop()) read(lexeme);
  }

  function readLexeme(lexeme: Lexeme): void {
    // A server that fills the reasoning field has split the thought off itself (ruling 10). In a trial the
    // text in front has not been read yet.
    if (lexeme.channel === 'reasoning' && thinking.content && state !== inTrial) {
      reader.release();
      closeThink('content');
    }
    position = lexeme.offset;
    state = state(lexeme);
  }

  function openThink(channel: Channel): void {
    thinking[channel] = true;
    reader.resetQuotes(channel);
  }

  function closeThink(channel: Channel): void {
    // The quotes of a thought end with it.
    if (thinking[channel]) reader.resetQuotes(channel);
    thinking[channel] = false;
  }

  /**
   * Plain text, in a thought or not.
   *
   *     I will look.<|tool_calls_section_begin|>
   *     ^
   */
  function inText(lexeme: Lexeme): State {
    const { kind, channel, offset, text } = lexeme;
    if (kind === 'text') {
      if (mayBeGuided && channel === 'content' && !thinking.content && text.trim() !== '') {
        mayBeGuided = false;
        if (/^\s*[[{]/.test(text)) return inGuided(lexeme);
      }
      const found = reader.take(lexeme);
      if (!found) return inText;
      position = found.offset;
      reader.endRun();
      readAgain([found.rest]);
      return beginArguments(found.header, found.offset, 'json');
    }
    const endsThought = kind === 'think-close' && channel === 'content' && thinking.content;
    if (!endsThought && reader.isQuoted(channel)) {
      const mayBeCalls = (kind === 'section-begin' || kind === 'call-begin') && !lexeme.tried && !suppress;
      if (mayBeCalls) return inTrial(lexeme);
      reader.take({ ...lexeme, kind: 'text' });
      return inText;
    }
    const bareHeader = kind === 'argument-begin' ? reader.takeHeader() : undefined;
    reader.endRun();
    switch (kind) {
      case 'section-begin':
        return beginSection();
      case 'call-begin':
        return beginHeader(offset);
      case 'think-open':
        openThink(channel);
        return inText;
      case 'think-close':
        closeThink(channel);
        return inText;
      case 'argument-begin':
        if (bareHeader !== undefined) return beginArguments(bareHeader, offset - bareHeader.length, 'markup');
        report('stray-markup', offset);
        return inText;
      case 'call-end':
      case 'section-end':
        report('stray-markup', offset);
        return inText;
      default:
        return inText; // turn ends, and what was cut at the end of the stream
    }
  }

  // --- guided JSON (ruling 33) ---

  /** The content has not begun yet. */
  let mayBeGuided = settings.guidedJson;
  let guided: GuidedTrial | undefined;

  /**
   * In content that may as a whole be a list of calls.
   *
   *     [{"name":"get_weather","arguments":{}}]
   *      ^
   */
  function inGuided(lexeme: Lexeme): State {
    guided ??= createGuidedTrial(tools);
    if (guided.take(lexeme)) return inGuided;
    input.push(lexeme);
    readAgain(guided.held);
    return inText;
  }

  function endGuided({ held, end }: GuidedTrial): State {
    const found = end();
    if (!found) {
      readAgain(held);
      return inText;
    }
    reader.endRun();
    position = lexer.offset();
    for (const call of found) deliver(call);
    return inText;
  }

  // --- calls in an open quote (ruling 7) ---

  let trial: QuotedCallTrial | undefined;
  /** The stream ended inside a call in an open quote. */
  let cutInQuote = false;

  /**
   * In an open quote, behind a begin: nothing may show or run until it is clear what this is.
   *
   *     ```\n<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|>
   *                             ^
   */
  function inTrial(lexeme: Lexeme): State {
    trial ??= createQuotedCallTrial(tools);
    if (trial.take(lexeme)) return inTrial;
    input.push(lexeme);
    return failTrial(trial);
  }

  function failTrial({ held }: QuotedCallTrial): State {
    readAgain(held.map((lexeme) => ({ ...lexeme, tried: true })));
    trial = undefined;
    return inText;
  }

  function endTrial(ending: QuotedCallTrial): State {
    const verdict = ending.end();
    cutInQuote ||= verdict === 'cut';
    if (verdict !== 'calls') return failTrial(ending);
    report('call-in-open-quote', ending.held[0]?.offset ?? 0);
    reader.resetQuotes();
    readAgain(ending.held);
    trial = undefined;
    return inText;
  }

  // --- sections ---

  /** Text of the section since the last marker: noise, unless the section is never closed (ruling 13). */
  let noise: Lexeme[] = [];
  let noiseEnd: LastWord;

  function beginSection(): State {
    callsInSection = 0;
    return clearNoise();
  }

  function clearNoise(): State {
    noise = [];
    noiseEnd = createLastWord((word) => tools.readHeader(word).kind === 'named');
    return inSection;
  }

  /**
   * In a section, outside of its calls.
   *
   *     <|tool_calls_section_begin|><|tool_call_begin|>
   *                                 ^
   */
  function inSection(lexeme: Lexeme): State {
    const { kind, channel, offset, text } = lexeme;
    switch (kind) {
      case 'text': {
        const found = noiseEnd.take(text);
        if (!found) {
          noise.push(lexeme);
          return inSection;
        }
        readAgain([tailOf(lexeme, found.brace)]);
        return beginArguments(found.word, offset + found.brace - found.word.length, 'markup');
      }
      case 'call-begin':
        return beginHeader(offset);
      case 'argument-begin': {
        const word = noiseEnd.word();
        return word === '' ? clearNoise() : beginArguments(word, offset - noiseEnd.reach(), 'markup');
      }
      case 'section-end':
        if (callsInSection === 0) report('empty-section', offset);
        callsInSection = -1;
        return inText;
      case 'think-open':
        callsInSection = -1;
        openThink(channel);
        return inText;
      case 'think-close':
        closeThink(channel);
        return clearNoise();
      case 'turn-end':
      case 'cut-marker':
      case 'end-of-sequence':
        return inSection;
      default:
        return clearNoise();
    }
  }

  function endSection(): void {
    const text = noise.map((lexeme) => lexeme.text).join('');
    callsInSection = -1;
    if (/^\s*functions\S*\s*$/.test(text)) {
      openAtEnd = true;
      calls.open({ kind: 'malformed' }, text.trim(), noise[0]?.offset ?? 0).giveUp('truncated-call');
    } else if (text.trim() !== '') readAgain(noise);
    noise = [];
    state = inText;
  }

  // --- headers ---

  let header = '';
  let headerOffset = 0;

  function beginHeader(offset: number): State {
    header = '';
    headerOffset = offset;
    return inHeader;
  }

  /**
   * In a header: the id is being read, arguments have not begun.
   *
   *     <|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{}
   *                        ^
   */
  function inHeader(lexeme: Lexeme): State {
    const { kind, text, offset } = lexeme;
    switch (kind) {
      case 'text': {
        const brace = text.indexOf('{');
        header += brace < 0 ? text : text.slice(0, brace);
        if (brace < 0) return inHeader;
        readAgain([tailOf(lexeme, brace)]);
        return beginArguments(header, headerOffset, 'markup');
      }
      case 'argument-begin':
        return beginArguments(header, headerOffset, 'markup');
      case 'call-end':
        closeHeader();
        return leaveCall({ again: [] });
      case 'section-end':
        closeHeader();
        return leaveCall({ again: [lexeme] });
      case 'call-begin':
        if (header.trim() !== '') giveUpHeader('malformed-call');
        return beginHeader(offset);
      case 'section-begin':
        giveUpHeader('malformed-call');
        return beginSection();
      case 'think-open':
      case 'think-close':
        giveUpHeader('malformed-call');
        callsInSection = -1;
        return inText(lexeme);
      default:
        return inHeader;
    }
  }

  function giveUpHeader(reason: ProblemCode): void {
    calls.open({ kind: 'malformed' }, header.trim(), headerOffset).giveUp(reason);
  }

  /** A header without arguments (ruling 16). */
  function closeHeader(): void {
    const read = tools.readHeader(header);
    if (read.kind === 'malformed') giveUpHeader('malformed-call');
    else if (read.kind === 'anonymous') giveUpHeader('unresolved-tool');
    else {
      const call = calls.open(read, header.trim(), headerOffset);
      call.report('missing-arguments');
      call.finish({ text: '', state: 'empty', isObject: false, repaired: false, over: false }, 'closed');
    }
  }

  // --- arguments ---

  let open: CallReader;
  /** A call was open when the stream ended. */
  let openAtEnd = false;

  function beginArguments(header: string, offset: number, endsBy: 'markup' | 'json'): State {
    open = createCallReader({
      call: calls.open(tools.readHeader(header), header.trim(), offset),
      tools,
      endsBy,
      inSection: callsInSection >= 0,
      recoverStripped,
      maxArgumentsLength: limits.maxArgumentsLength,
    });
    return inArguments;
  }

  /**
   * In the arguments, or behind their complete value and before the end of the call.
   *
   *     <|tool_call_argument_begin|>{"city":"Oban"}<|tool_call_end|>
   *                                  ^
   */
  function inArguments(lexeme: Lexeme): State {
    const left = open.take(lexeme);
    return left ? leaveCall(left) : inArguments;
  }

  function leaveCall({ again, next }: Left): State {
    readAgain(again);
    if (next) return beginArguments(next.header, next.offset, 'markup');
    return callsInSection < 0 ? inText : clearNoise();
  }

  // --- the end ---

  function endOfStream(): void {
    lexer.end();
    for (;;) {
      drain();
      if (state === inGuided && guided) state = endGuided(guided);
      else if (trial) state = endTrial(trial);
      else if (state === inArguments) {
        const left = open.end();
        openAtEnd = left.cut;
        state = leaveCall(left);
      } else if (state === inHeader) {
        openAtEnd = true;
        giveUpHeader('truncated-call');
        callsInSection = -1;
        state = inText;
      } else if (state === inSection) endSection();
      else break;
    }
  }

  const read =
    settings.trace?.({
      read: readLexeme,
      states: [inText, inSection, inHeader, inArguments, inTrial, inGuided],
      thinking,
      input,
      lexer,
      reader,
      output,
      look: () => ({ state, header, noise, trial, guided, open }),
    }) ?? readLexeme;

  return {
    feed(delta, channel) {
      const plain =
        lexer.isIdle() &&
        !(channel === 'reasoning' && thinking.content) &&
        ((state === inArguments && open.takePlain(delta)) ||
          (state === inText && !mayBeGuided && reader.takePlain(delta, channel)));
      if (plain) lexer.count(delta, channel);
      else lexer.feed(delta, channel);
    },
    feedToolCall: structured.feed,
    end(finishReason) {
      endOfStream();
      position = lexer.offset();
      reader.end();
      output.end();
      openAtEnd = structured.end(finishReason) || openAtEnd;
      calls.settle();
      const { complete, incomplete, suppressed } = calls.seen;
      const { visible, reasoning, suspicious } = output.summary();
      if ((suspicious || cutInQuote) && complete + incomplete + suppressed === 0) {
        report('suspected-tool-call', position);
      }
      const turn = { complete, incomplete, suppressed, openAtEnd, visible, reasoning };
      emit({
        type: 'finish',
        finishReason: deriveFinishReason(finishReason, turn, (code) => report(code, position)),
      });
    },
  };
}
