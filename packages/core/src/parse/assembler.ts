import type { Problem } from '../grammar/problems.ts';
import type { IncompleteToolCall, KimiEvent, KimiTurn, ToolCall } from './events.ts';
import { createTextBuilder } from './text-builder.ts';

/** Puts the events of one turn together; one for each turn. */
export interface Assembler {
  /** Takes the next event, in the order in which the parser reported them. */
  push(event: KimiEvent): void;
  /** The turn so far; a new object each time. */
  readonly turn: KimiTurn;
}

/** Folds the events of one turn into the turn. */
export function createAssembler(): Assembler {
  const reasoning = createTextBuilder();
  const content = createTextBuilder();
  const rawIds = new Map<number, string>();
  /** Complete calls under their event index: they stand in the order they started. */
  const complete = new Map<number, Omit<ToolCall, 'index'>>();
  const incompleteToolCalls: IncompleteToolCall[] = [];
  const problems: Problem[] = [];
  let finishReason: KimiTurn['finishReason'] = { unified: 'other', raw: undefined };

  return {
    push(event) {
      switch (event.type) {
        case 'reasoning-delta':
          reasoning.push(event.delta);
          break;
        case 'text-delta':
          content.push(event.delta);
          break;
        case 'tool-call-start':
          rawIds.set(event.index, event.rawId);
          break;
        case 'tool-call-end': {
          const { id, name, index } = event;
          const rawId = rawIds.get(index) ?? id;
          complete.set(index, { id, name, arguments: event.arguments, rawId });
          break;
        }
        case 'tool-call-error': {
          const { id, name, reason } = event;
          incompleteToolCalls.push({ id, name, arguments: event.arguments, reason });
          break;
        }
        case 'problem': {
          const { type: _, ...problem } = event;
          problems.push(problem);
          break;
        }
        case 'finish':
          finishReason = event.finishReason;
      }
    },
    get turn() {
      return {
        reasoning: reasoning.toString(),
        content: content.toString(),
        toolCalls: [...complete].sort(([a], [b]) => a - b).map(([, call], index) => ({ index, ...call })),
        incompleteToolCalls: [...incompleteToolCalls],
        finishReason,
        problems: [...problems],
      };
    },
  };
}
