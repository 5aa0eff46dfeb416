import type { ToolDefinition } from '@kimi-tc/core';
import { createCallsFixture, createFixtures, type Fixture } from './fixtures.ts';

/** What a client has to have in the end. */
export interface WireTurn {
  content: string;
  calls: { id: string; name: string; arguments: string }[];
  finish: string | null;
}

/** One streamed reply of a server, event by event. */
export interface WireFixture {
  name: string;
  /** Each with its empty line; the last is `[DONE]`. */
  events: string[];
  /** Chunks among the events. */
  chunks: number;
  /** The tools of the request. */
  tools: ToolDefinition[];
  /** What a client without help reads: what the server says. */
  said: WireTurn;
  /** What is to be read. */
  turn: WireTurn;
}

/** How many events a server writes at once. */
export const EVENTS_PER_WRITE = [1, 8, Infinity] as const;

export const MODEL = 'moonshotai/Kimi-K2-Instruct-0905';

/** Cuts a text into `count` parts. */
export type Cut = (text: string, count: number) => string[];

/** Parts of about the same length, cut anywhere. */
export const cutEvenly: Cut = (text, count) => joinInto([...text], count);

/** Parts of one token, or of two. */
const cutAtTokens: Cut = (text, count) => joinInto(toTokens(text), count);

/** Cuts a text where tokenizers do: words with the space in front of them, marks, control tokens. */
export function toTokens(text: string): string[] {
  return text.match(/<\|\w+\|>| ?[\p{L}\p{N}]{1,7}| ?[^\p{L}\p{N}\s]{1,2}|\s+/gu) ?? [];
}

function joinInto(pieces: readonly string[], count: number): string[] {
  if (pieces.length < count) throw new Error(`${pieces.length} pieces for ${count} deltas`);
  const at = (part: number) => Math.floor((part * pieces.length) / count);
  return Array.from({ length: count }, (_, part) => pieces.slice(at(part), at(part + 1)).join(''));
}

/** The deltas as events of a server, between one with the role and one with the finish reason. */
export function toEvents(deltas: readonly object[], finish: string): string[] {
  const toEvent = (delta: object, reason: string | null = null) =>
    `data: ${JSON.stringify({
      id: 'chatcmpl-7d1f0c7be2a94f6c8a30',
      object: 'chat.completion.chunk',
      created: 1785542400,
      model: MODEL,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
    })}\n\n`;
  return [
    toEvent({ role: 'assistant', content: '' }),
    ...deltas.map((delta) => toEvent(delta)),
    toEvent({}, finish),
    'data: [DONE]\n\n',
  ];
}

/** The calls as a server that parses them streams them: `count` deltas in all. */
export function toCallDeltas(calls: WireTurn['calls'], count: number, cut: Cut): object[] {
  return calls.flatMap((call, index) => {
    const share =
      Math.floor(((index + 1) * count) / calls.length) - Math.floor((index * count) / calls.length);
    const { id, name } = call;
    return [
      { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
      ...cut(call.arguments, share - 1).map((args) => ({
        tool_calls: [{ index, function: { arguments: args } }],
      })),
    ];
  });
}

export const toTextDeltas = (parts: readonly string[]): object[] => parts.map((content) => ({ content }));

function turnOf({ turn }: Fixture): WireTurn {
  return {
    content: turn.content,
    calls: turn.toolCalls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
    finish: turn.finishReason.raw ?? null,
  };
}

/** The shortest reply with calls whose arguments have so many tokens. */
function createLongEnough(tokens: number): Fixture {
  for (let calls = 1; ; calls++) {
    const fixture = createCallsFixture('calls', calls);
    const shortest = Math.min(...fixture.turn.toolCalls.map((call) => toTokens(call.arguments).length));
    if (shortest * calls >= tokens) return fixture;
  }
}

/** The replies, each of so many chunks. */
export function createWireFixtures(chunks: number): WireFixture[] {
  const deltas = chunks - 2;
  const fixture = createLongEnough(deltas);
  const { tools } = fixture;
  const calling = turnOf(fixture);
  const preamble = toTextDeltas(toTokens(calling.content));
  const prose = toTokens((createFixtures()[0] as Fixture).text).slice(0, deltas);
  const answer: WireTurn = { content: prose.join(''), calls: [], finish: 'stop' };
  const leaked: WireTurn = { content: fixture.text, calls: [], finish: 'stop' };
  return [
    {
      name: 'healthy, native calls',
      events: toEvents(
        [...preamble, ...toCallDeltas(calling.calls, deltas - preamble.length, cutAtTokens)],
        'tool_calls',
      ),
      chunks,
      tools,
      said: calling,
      turn: calling,
    },
    {
      name: 'healthy, prose',
      events: toEvents(toTextDeltas(prose), 'stop'),
      chunks,
      tools,
      said: answer,
      turn: answer,
    },
    {
      name: 'raw tokens in content',
      events: toEvents(toTextDeltas(cutAtTokens(fixture.text, deltas)), 'stop'),
      chunks,
      tools,
      said: leaked,
      turn: calling,
    },
  ];
}
