import {
  type Assembler,
  createAssembler,
  createParser,
  type KimiEvent,
  type KimiTurn,
  type ParserOptions,
  type Problem,
} from '@kimi-tc/core';
import { contentOf, hasOther, reasoningOf } from './chunk-fields.ts';
import { isObject, type JsonObject, listOf, textOf } from './json.ts';
import type { TextPiece } from './pieces.ts';

/** What the parser says of a turn in which it has found nothing to show or to run. */
export const EMPTY_TURN: ReadonlySet<string> = new Set(['empty-turn', 'reasoning-exhausted-budget']);

export interface TurnSettings {
  parser: ParserOptions;
  onProblem(problem: Problem): void;
  /** The turn is over; called before the `finish` event. */
  onTurn?: ((turn: KimiTurn) => void) | undefined;
}

/** Reads one choice of a reply: hands its fields to a parser of its own. */
export interface TurnReader {
  /** Takes the next delta of a stream (ruling 11: reasoning, content, calls). */
  readDelta(delta: JsonObject): void;
  /** Takes a piece of the text that a delta would carry. */
  readText(piece: TextPiece): void;
  /** Takes a whole message. The structured calls come first, so that they win over their textual twins. */
  readMessage(message: JsonObject): void;
  /** @param finishReason the server's word; absent when it sent none */
  end(finishReason: string | undefined): void;
}

export function createTurnReader(settings: TurnSettings, onEvent: (event: KimiEvent) => void): TurnReader {
  const { onProblem, onTurn } = settings;
  const assembler: Assembler | undefined = onTurn && createAssembler();

  /** The reply holds something that the parser does not see. */
  let saysElse = false;

  const parser = createParser({
    ...settings.parser,
    onEvent(event) {
      if (event.type === 'problem' && saysElse && EMPTY_TURN.has(event.code)) return;
      if (event.type === 'problem') onProblem(toProblem(event));
      if (assembler) {
        assembler.push(event);
        if (event.type === 'finish') onTurn?.(assembler.turn);
      }
      onEvent(event);
    },
  });

  function feed(text: string, channel: 'content' | 'reasoning'): void {
    if (text !== '') parser.feed(text, channel);
  }

  function feedCall(entry: unknown, place?: number): void {
    if (!isObject(entry)) return;
    const { name, arguments: args } = isObject(entry.function) ? entry.function : entry;
    // In a message each entry is a call of its own, also where all of them say that they are the first.
    const index = place ?? (typeof entry.index === 'number' ? entry.index : undefined);
    parser.feedToolCall({ index, id: textOf(entry.id), name: textOf(name), arguments: args });
  }

  return {
    readDelta(delta) {
      saysElse ||= hasOther(delta);
      feed(reasoningOf(delta), 'reasoning');
      feed(contentOf(delta), 'content');
      for (const entry of listOf(delta.tool_calls)) feedCall(entry);
    },
    readText(piece) {
      if (piece.type === 'arguments') parser.feedToolCall({ index: piece.index, arguments: piece.text });
      else feed(piece.text, piece.type);
    },
    readMessage(message) {
      saysElse = hasOther(message);
      for (const [place, entry] of listOf(message.tool_calls).entries()) feedCall(entry, place);
      feed(reasoningOf(message), 'reasoning');
      feed(contentOf(message), 'content');
    },
    end: (finishReason) => parser.end(finishReason),
  };
}

/**
 * Whether a delta or message has a call in the API's older form, which no server makes of a Kimi model's
 * text: there is nothing to repair, and the clients that asked for it know no other. Beside `tool_calls`
 * it is a copy of them.
 */
export function hasFunctionCall({ function_call: call, tool_calls }: JsonObject): boolean {
  return isObject(call) && textOf(call.name) !== '' && listOf(tool_calls).length === 0;
}

/** The same of a custom tool, whose input is no JSON. */
export function hasCustomCall({ tool_calls }: JsonObject): boolean {
  return listOf(tool_calls).some(isCustomCall);
}

export function isCustomCall(entry: unknown): boolean {
  return isObject(entry) && (isObject(entry.custom) || entry.type === 'custom');
}

function toProblem(event: Extract<KimiEvent, { type: 'problem' }>): Problem {
  const { type: _, ...problem } = event;
  return problem;
}
