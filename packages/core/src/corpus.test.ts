import { type CorpusCase, loadCases, type TurnOutcome } from '@kimi-tc/testing';
import { type DescribeCorpusOptions, describeCorpus } from '@kimi-tc/testing/vitest';
import { createAssembler } from './parse/assembler.ts';
import type { Channel, KimiEvent } from './parse/events.ts';
import { createParser, type KimiParser, type ParserOptions } from './parse/parser.ts';
import type { ToolCallPiece } from './parse/structured-calls.ts';

/** One thing to hand to a parser. */
type Step = (parser: KimiParser) => void;

/** Hands the steps to a parser, watching what a streaming reader would see. */
function play(of: CorpusCase, steps: readonly Step[], finishReason: string | null): TurnOutcome {
  const { tools, options } = of;
  const assembler = createAssembler();
  const argumentDeltas = new Map<number, string[]>();
  const leftEarly = new Map<number, boolean>();
  let finishEvents = 0;
  /** Calls that had a delta before the present step. */
  const earlier = new Set<number>();
  function onEvent(event: KimiEvent): void {
    assembler.push(event);
    if (event.type === 'tool-call-start') argumentDeltas.set(event.index, []);
    if (event.type === 'tool-call-delta') argumentDeltas.get(event.index)?.push(event.delta);
    if (event.type === 'tool-call-end') leftEarly.set(event.index, earlier.has(event.index));
    if (event.type === 'finish') finishEvents++;
  }
  const parser = createParser({
    ...(options as ParserOptions),
    tools: tools as ParserOptions['tools'],
    onEvent,
  });
  for (const step of steps) {
    for (const [index, pieces] of argumentDeltas) if (pieces.length > 0) earlier.add(index);
    step(parser);
  }
  parser.end(finishReason);
  const { turn } = assembler;
  const complete = [...leftEarly.keys()].sort((a, b) => a - b);
  return {
    ...turn,
    finishReason: turn.finishReason.unified.replace('-', '_') as TurnOutcome['finishReason'],
    problems: turn.problems.map(({ code }) => code),
    argumentDeltas: complete.map((index) => argumentDeltas.get(index) ?? []),
    argumentsLeftEarly: complete.map((index) => leftEarly.get(index) ?? false),
    finishEvents,
  };
}

interface WireDelta {
  content?: string | null;
  reasoning_content?: string | null;
  reasoning?: string | null;
  tool_calls?: { index?: number; id?: string; function?: { name?: string; arguments?: unknown } }[] | null;
}

const text =
  (delta: string | null | undefined, channel: Channel): Step =>
  (parser) =>
    parser.feed(delta ?? '', channel);

const calls = (delta: WireDelta): Step[] =>
  (delta.tool_calls ?? []).map(({ index, id, function: fn }) => (parser) => {
    parser.feedToolCall({ index, id, name: fn?.name, arguments: fn?.arguments } as ToolCallPiece);
  });

/** In a message each entry is a call of its own, whatever its index says. */
const inPlace = ({ tool_calls, ...message }: WireDelta): WireDelta => ({
  ...message,
  tool_calls: (tool_calls ?? []).map((entry, index) => ({ ...entry, index })),
});

interface WireChoice {
  delta: WireDelta;
  finish_reason: string | null;
  usage?: unknown;
}

interface WireChunk {
  choices: WireChoice[];
  usage?: unknown;
}

const textSteps = (delta: WireDelta): Step[] => [
  text(delta.reasoning_content || delta.reasoning, 'reasoning'),
  text(delta.content, 'content'),
];

/** Ruling 11: reasoning, then content, then calls. */
const chunkSteps = (delta: WireDelta): Step[] => [...textSteps(delta), ...calls(delta)];

/** Mutation testing plays the corpus hundreds of times: it does without the many cuts in two, and the longest cases. */
const quick: DescribeCorpusOptions | undefined =
  process.env.KIMI_CORPUS_QUICK === undefined
    ? undefined
    : {
        chunkings: ['whole', 'as-given', 'units'],
        cases: loadCases().filter(({ input }) => JSON.stringify(input).length < 5000),
      };

describeCorpus(
  {
    name: 'createParser',
    run(of, input) {
      if (input.kind === 'deltas') {
        const steps = input.deltas.map(([channel, delta]) => text(delta, channel));
        return play(of, steps, input.finishReason);
      }
      if (input.kind === 'chunks') {
        const chunks = input.chunks as unknown as WireChunk[];
        const choices = chunks.flatMap((chunk) => chunk.choices);
        const finish = choices.find(({ finish_reason }) => finish_reason)?.finish_reason ?? null;
        const usage = [...chunks, ...choices].findLast((part) => part.usage)?.usage;
        const steps = choices.flatMap(({ delta }) => chunkSteps(delta));
        return { ...play(of, steps, finish), ...(usage === undefined ? {} : { usage }) };
      }
      if (input.kind === 'message') {
        const { message, finish_reason } = input.choice as unknown as WireChoice & { message: WireDelta };
        return play(of, [...calls(inPlace(message)), ...textSteps(message)], finish_reason);
      }
      throw new Error(`not a reply: ${of.id}`);
    },
  },
  { kinds: ['deltas', 'chunks', 'message'], ...quick },
);
