import type { KimiEvent, Problem } from '@kimi-tc/core';
import type { KimiExtra, KimiIncompleteToolCall } from './kimi-chunk.ts';
import { mergeExtra } from './merge-extra.ts';

export interface ExtraCollector {
  push(event: KimiEvent): void;
  /**
   * The word for the wire and what there is to say about the choice, once the turn has ended. Nothing, if there
   * is nothing to add to what was told.
   * @param sent the server's finish reason; absent when it sent none
   * @param told what another reader of this package has said about the choice
   */
  finish(sent: string | undefined, told: unknown): { word: string; extra: KimiExtra | undefined };
}

/** @param streamed whether the calls' deltas are on the wire, under their index */
export function createExtraCollector(streamed: boolean): ExtraCollector {
  const problems: Problem[] = [];
  const rewritten: NonNullable<KimiExtra['tool_calls']> = [];
  const incomplete: KimiIncompleteToolCall[] = [];
  /** UTF-16 units of argument deltas that left, by call. */
  const sentLengths = new Map<number, number>();
  /** Indexes of the calls that are complete. */
  const complete = new Set<number>();
  /** Those of calls that started and were given up. */
  const givenUp: number[] = [];
  let finishReason: Extract<KimiEvent, { type: 'finish' }>['finishReason'] = {
    unified: 'other',
    raw: undefined,
  };

  function addIncomplete(event: Extract<KimiEvent, { type: 'tool-call-error' }>): void {
    const { index, id, name, reason } = event;
    const onWire = streamed && index >= 0;
    const told = onWire && sentLengths.get(index) === event.arguments.length;
    if (index >= 0) givenUp.push(index);
    incomplete.push({
      ...(index >= 0 && { index }),
      id,
      name,
      reason,
      ...(!told && { arguments: event.arguments }),
    });
  }

  /**
   * Gives what is about a call the index that the call has on the wire. A message holds the complete ones alone,
   * so there those that were given up count on behind them.
   */
  function createPlacing(): <About extends { index?: number }>(about: About) => About {
    if (streamed) return (about) => about;
    const order = [[...complete], givenUp].flatMap((indexes) => indexes.toSorted((a, b) => a - b));
    const places = new Map(order.map((index, place) => [index, place]));
    return (about) => {
      const place = places.get(about.index ?? -1);
      return place === undefined ? about : { ...about, index: place };
    };
  }

  return {
    push(event) {
      switch (event.type) {
        case 'tool-call-start':
          sentLengths.set(event.index, 0);
          if (event.id !== event.rawId)
            rewritten.push({ index: event.index, id: event.id, raw_id: event.rawId });
          return;
        case 'tool-call-delta':
          sentLengths.set(event.index, (sentLengths.get(event.index) ?? 0) + event.delta.length);
          return;
        case 'tool-call-end':
          complete.add(event.index);
          return;
        case 'tool-call-error':
          return addIncomplete(event);
        case 'problem': {
          const { type: _, ...problem } = event;
          problems.push(problem);
          return;
        }
        case 'finish':
          finishReason = event.finishReason;
      }
    },
    finish(sent, told) {
      const { unified, raw } = finishReason;
      const word = unified === 'other' ? (raw ?? 'stop') : unified.replace('-', '_');
      const toPlace = createPlacing();
      const calls = rewritten.filter(({ index }) => streamed || complete.has(index)).map(toPlace);
      const found: KimiExtra = {
        ...(problems.length > 0 && { problems: problems.map(toPlace) }),
        ...(calls.length > 0 && { tool_calls: calls }),
        ...(incomplete.length > 0 && { incomplete_tool_calls: incomplete.map(toPlace) }),
        ...(word !== sent && { finish_reason: sent ?? null }),
      };
      return { word, extra: Object.keys(found).length > 0 ? mergeExtra(told, found) : undefined };
    },
  };
}
