import type { Channel, ParserOptions, ToolCallPiece } from '@kimi-tc/core';
import type { CaseInput, CorpusCase, Surface, TurnOutcome } from '@kimi-tc/testing';
import { type Piece, play, type Reply } from './reply.ts';

interface WireDelta {
  content?: string | null;
  reasoning_content?: string | null;
  reasoning?: string | null;
  tool_calls?: { index?: number; id?: string; function?: { name?: string; arguments?: unknown } }[] | null;
}
interface WireChoice {
  delta: WireDelta;
  message: WireDelta;
  finish_reason: string | null;
  usage?: unknown;
}
interface WireChunk {
  choices: WireChoice[];
  usage?: unknown;
}

function texts(delta: WireDelta): Piece[] {
  const fields: [Channel, string | null | undefined][] = [
    ['reasoning', delta.reasoning_content || delta.reasoning],
    ['content', delta.content],
  ];
  return fields.map(([channel, text]) => [channel, text ?? '']);
}

function calls(delta: WireDelta): ToolCallPiece[] {
  return (delta.tool_calls ?? []).map(
    ({ index, id, function: fn }) =>
      ({ index, id, name: fn?.name, arguments: fn?.arguments }) as ToolCallPiece,
  );
}

/** What a server sent in a case that is a reply; `undefined` for cases of requests. */
export function toReply(of: CorpusCase, input: CaseInput = of.input): Reply | undefined {
  const options = { ...(of.options as ParserOptions), tools: of.tools as ParserOptions['tools'] };
  if (input.kind === 'deltas') {
    return { options, pieces: input.deltas as readonly Piece[], finishReason: input.finishReason };
  }
  if (input.kind === 'chunks') {
    const choices = (input.chunks as unknown as WireChunk[]).flatMap((chunk) => chunk.choices);
    const finishReason = choices.find(({ finish_reason }) => finish_reason)?.finish_reason ?? null;
    return {
      options,
      pieces: choices.flatMap(({ delta }) => [...texts(delta), ...calls(delta)]),
      finishReason,
    };
  }
  if (input.kind !== 'message') return undefined;
  const { message, finish_reason } = input.choice as unknown as WireChoice;
  // In a message each entry is a call of its own, whatever its index says.
  const whole = calls(message).map((piece, index) => ({ ...piece, index }));
  return { options, pieces: [...whole, ...texts(message)], finishReason: finish_reason };
}

/** The parser, for whoever plays cases outside of a test runner. Does not watch when argument deltas leave. */
export const parserSurface: Surface = {
  name: 'createParser',
  run(of, input): TurnOutcome {
    const reply = toReply(of, input);
    if (reply === undefined) throw new TypeError(`${of.id}: expected a case of a reply`);
    const { turn, events } = play(reply);
    const chunks = input.kind === 'chunks' ? (input.chunks as unknown as WireChunk[]) : [];
    const usage = [...chunks, ...chunks.flatMap(({ choices }) => choices)].findLast(
      (part) => part.usage,
    )?.usage;
    return {
      ...turn,
      finishReason: turn.finishReason.unified.replace('-', '_') as TurnOutcome['finishReason'],
      problems: turn.problems.map(({ code }) => code),
      finishEvents: events.filter(({ type }) => type === 'finish').length,
      ...(usage === undefined ? {} : { usage }),
    } as TurnOutcome;
  },
};
