import type { CorpusCase, TurnOutcome } from '@kimi-tc/testing';
import { describeCorpus } from '@kimi-tc/testing/vitest';
import { createAssembler } from './parse/assembler.ts';
import type { KimiEvent } from './parse/events.ts';
import { createParser, type ParserOptions } from './parse/parser.ts';

/** Plays text deltas, watching what a streaming reader would see. */
function playDeltas(
  of: CorpusCase,
  deltas: readonly (readonly ['content' | 'reasoning', string])[],
  finishReason: string | null,
): TurnOutcome {
  const { tools, options = {} } = of;
  const assembler = createAssembler();
  const argumentDeltas = new Map<number, string[]>();
  const leftEarly = new Map<number, boolean>();
  let finishEvents = 0;
  /** Calls that had a delta before the present input was handed in. */
  const earlier = new Set<number>();
  const ended: number[] = [];
  function onEvent(event: KimiEvent): void {
    assembler.push(event);
    if (event.type === 'tool-call-start') argumentDeltas.set(event.index, []);
    if (event.type === 'tool-call-delta') argumentDeltas.get(event.index)?.push(event.delta);
    if (event.type === 'tool-call-end') {
      ended.push(event.index);
      leftEarly.set(event.index, earlier.has(event.index));
    }
    if (event.type === 'finish') finishEvents++;
  }
  const parser = createParser({
    ...(options as ParserOptions),
    tools: tools as ParserOptions['tools'],
    onEvent,
  });
  for (const [channel, text] of deltas) {
    for (const [index, pieces] of argumentDeltas) if (pieces.length > 0) earlier.add(index);
    parser.feed(text, channel);
  }
  parser.end(finishReason);
  const { turn } = assembler;
  return {
    ...turn,
    finishReason: turn.finishReason.unified.replace('-', '_') as TurnOutcome['finishReason'],
    problems: turn.problems.map(({ code }) => code),
    argumentDeltas: ended.map((index) => argumentDeltas.get(index) ?? []),
    argumentsLeftEarly: ended.map((index) => leftEarly.get(index) ?? false),
    finishEvents,
  };
}

describeCorpus(
  {
    name: 'createParser',
    run(of, input) {
      if (input.kind !== 'deltas') throw new Error(`not a case of deltas: ${of.id}`);
      return playDeltas(of, input.deltas, input.finishReason);
    },
  },
  { kinds: ['deltas'] },
);
