import {
  type Assembler,
  createAssembler,
  createParser,
  type KimiEvent,
  type KimiTurn,
  type ParserOptions,
  type Problem,
} from '@kimi-tc/core';
import { isObject, type JsonObject, listOf, textOf } from './json.ts';
import { createIdGiver } from './unique-ids.ts';

export interface TurnSettings {
  parser: ParserOptions;
  takenToolCallIds: readonly string[];
  onProblem(problem: Problem): void;
  /** The turn is over; called before the `finish` event. */
  onTurn?: ((turn: KimiTurn) => void) | undefined;
}

/** Reads one choice of a reply: hands its fields to a parser of its own. */
export interface TurnReader {
  /** Takes the next delta of a stream (ruling 11: reasoning, content, calls). */
  readDelta(delta: JsonObject): void;
  /** Takes a whole message. The structured calls come first, so that they win over their textual twins. */
  readMessage(message: JsonObject): void;
  /** @param finishReason the server's word; absent when it sent none */
  end(finishReason: string | undefined): void;
}

/** @param onEvent told what the parser reports, with ids that are unique in the conversation */
export function createTurnReader(settings: TurnSettings, onEvent: (event: KimiEvent) => void): TurnReader {
  const { onProblem, onTurn } = settings;
  const giveId = createIdGiver(settings.takenToolCallIds);
  /** Ids by index of the call, where they differ from those of the parser. */
  const replaced = new Map<number, string>();
  const assembler: Assembler | undefined = onTurn && createAssembler();
  /** UTF-16 units fed so far, both channels. */
  let offset = 0;

  function emit(event: KimiEvent): void {
    if (event.type === 'problem') onProblem(toProblem(event));
    assembler?.push(event);
    if (assembler && event.type === 'finish') onTurn?.(assembler.turn);
    onEvent(event);
  }

  const parser = createParser({
    ...settings.parser,
    onEvent(event) {
      if (event.type === 'tool-call-start') {
        const id = giveId(event.id, event.name);
        if (id === event.id) return emit(event);
        replaced.set(event.index, id);
        emit({ ...event, id });
        const message = 'The id is that of an earlier call of the conversation, and was replaced.';
        return emit({ type: 'problem', code: 'id-rewritten', message, offset, index: event.index });
      }
      if (replaced.size > 0 && (event.type === 'tool-call-end' || event.type === 'tool-call-error')) {
        return emit({ ...event, id: replaced.get(event.index) ?? event.id });
      }
      emit(event);
    },
  });

  function feed(text: string, channel: 'content' | 'reasoning'): void {
    if (text === '') return;
    offset += text.length;
    parser.feed(text, channel);
  }

  function feedCall(entry: unknown, place?: number): void {
    if (!isObject(entry)) return;
    const { name, arguments: args } = isObject(entry.function) ? entry.function : entry;
    const index = typeof entry.index === 'number' ? entry.index : place;
    parser.feedToolCall({ index, id: textOf(entry.id), name: textOf(name), arguments: args });
  }

  return {
    readDelta(delta) {
      feed(reasoningOf(delta), 'reasoning');
      feed(textOf(delta.content), 'content');
      for (const entry of listOf(delta.tool_calls)) feedCall(entry);
    },
    readMessage(message) {
      for (const [place, entry] of listOf(message.tool_calls).entries()) feedCall(entry, place);
      feed(reasoningOf(message), 'reasoning');
      feed(textOf(message.content), 'content');
    },
    end: (finishReason) => parser.end(finishReason),
  };
}

/** The reasoning in a delta or message, whatever its server calls it (ruling 11). */
export function reasoningOf(fields: JsonObject): string {
  return textOf(fields.reasoning_content) || textOf(fields.reasoning);
}

function toProblem(event: Extract<KimiEvent, { type: 'problem' }>): Problem {
  const { type: _, ...problem } = event;
  return problem;
}
