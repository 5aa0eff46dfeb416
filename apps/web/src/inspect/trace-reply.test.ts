import { CUT_ARGUMENTS_SEAL, createParser, type KimiEvent } from '@kimi-tc/core';
import { type CorpusCase, loadCases } from '@kimi-tc/testing';
import { expect, test } from 'vitest';
import { cutEvery } from './cuts.ts';
import { fromCase } from './from-case.ts';
import { type Reply, textOf, toParserOptions } from './reply.ts';
import { toScore } from './to-score.ts';
import { traceParts } from './trace-parts.ts';
import { isSameTurn, readUncut, traceReply } from './trace-reply.ts';

const cases = loadCases({ kinds: ['deltas', 'chunks', 'message'] });
const nameOf = ({ topic, id }: CorpusCase) => `${topic}/${id}`;

function replyOf(of: CorpusCase): Reply {
  const reply = fromCase(of);
  if (!reply) throw new Error(`${of.id} is no reply`);
  return reply;
}

/** Events as the parser reports them, with the delta that each came out at. */
function readPlainly(reply: Reply): [number, KimiEvent][] {
  const events: [number, KimiEvent][] = [];
  let delta = 0;
  const parser = createParser({
    ...toParserOptions(reply),
    onEvent: (event) => events.push([delta, event]),
  });
  for (; delta < reply.deltas.length; delta++) {
    const one = reply.deltas[delta];
    if (!one) continue;
    if ('text' in one) parser.feed(one.text, one.channel);
    else parser.feedToolCall(one.piece);
  }
  parser.end(reply.finishReason);
  return events;
}

for (const of of cases) {
  const given = replyOf(of);
  const cuts = { 'as given': given, 'cut after each unit': { ...given, deltas: cutEvery(given.deltas, 1) } };
  for (const [name, reply] of Object.entries(cuts)) {
    test(`${nameOf(of)}, ${name}: the trace is what the parser does`, () => {
      const trace = traceReply(reply);
      expect(trace.events.map(({ delta, event }) => [delta, event])).toEqual(readPlainly(reply));
      const joined = trace.steps.map(({ lexeme, seen, taken }) => lexeme.text.slice(seen, taken)).join('');
      expect(joined).toBe(textOf(reply.deltas));
      expect(trace.deltas.map(({ delta }) => delta)).toEqual([...reply.deltas, undefined]);
      for (const { place, next, delta } of trace.steps) {
        expect([place.state, next.state].every((state) => state.length > 0)).toBe(true);
        expect(trace.deltas[delta]).toBeDefined();
      }
      for (const { origin, step, delta } of trace.events) {
        expect(origin.from).toBeGreaterThanOrEqual(0);
        expect(origin.to).toBeGreaterThanOrEqual(origin.from);
        expect(origin.to).toBeLessThanOrEqual(trace.deltas[delta]?.to ?? 0);
        if (step !== undefined) expect(trace.steps[step]?.delta).toBe(delta);
      }
      expect(isSameTurn(trace.turn, readUncut(given))).toBe(true);
    });

    test(`${nameOf(of)}, ${name}: each part stands under what it came of`, async () => {
      const trace = traceReply(reply);
      const parts = await traceParts(reply);
      const { columns, partOrigins } = toScore(trace, parts);
      expect(columns.flatMap(({ events }) => events)).toEqual(trace.events.map((_, index) => index));
      expect(columns.flatMap((column) => column.parts).sort((a, b) => a - b)).toEqual(
        parts.map((_, index) => index),
      );
      expect(partOrigins.length).toBe(parts.length);
      if (of.input.kind !== 'deltas') return;
      for (const { events, parts: own } of columns) {
        const pieces = events.flatMap((index) => {
          const event = trace.events[index]?.event;
          return event && 'delta' in event && event.delta !== '' ? [event.delta] : [];
        });
        const shown = own.flatMap((index) => {
          const part = parts[index]?.part;
          return part && 'delta' in part ? [part.delta] : [];
        });
        expect(shown.filter((piece) => piece !== CUT_ARGUMENTS_SEAL)).toEqual(pieces);
      }
      const calls = parts.flatMap(({ part }) => (part.type === 'tool-call' ? [part.toolName] : []));
      const { toolCalls, incompleteToolCalls } = trace.turn;
      expect(calls.length).toBe(toolCalls.length + incompleteToolCalls.length);
      const last = parts.at(-1)?.part;
      expect(last?.type === 'finish' && last.finishReason.unified).toBe(trace.turn.finishReason.unified);
    });
  }
}

const CALL = '<|tool_call_begin|>functions.save:0<|tool_call_argument_begin|>{"a":1}<|tool_call_end|>';

test('an event knows the text that it came of, also where that waited', () => {
  const text = `See functions.x now.${CALL}`;
  const deltas = [text.slice(0, 10), text.slice(10, 30), text.slice(30)].map((piece) => ({
    channel: 'content' as const,
    text: piece,
  }));
  const { events } = traceReply({ deltas, finishReason: 'stop', tools: [], options: {} });
  const origins = events.map(({ event, origin }) => [event.type, text.slice(origin.from, origin.to)]);
  expect(origins).toEqual([
    ['text-delta', 'See '],
    ['text-delta', 'functions.x now.'],
    ['tool-call-start', CALL.slice(0, 63)],
    ['tool-call-delta', '{"a":1}'],
    ['tool-call-end', CALL],
    ['finish', ''],
  ]);
});

test('what waits is told at the delta behind which it waits', () => {
  const deltas = ['One <|tool', '_call_begin|>functions.'].map((text) => ({
    channel: 'content' as const,
    text,
  }));
  const trace = traceReply({ deltas, finishReason: null, tools: [], options: {} });
  expect(trace.deltas.map(({ held }) => held)).toEqual([
    [{ reason: 'marker', length: 6 }],
    [{ reason: 'header', length: 10 }],
    [],
  ]);
});

test('a reply of many deltas is traced', async () => {
  const text = `${'Words, "quoted" and <plain>. '.repeat(3_400)}`;
  const deltas = cutEvery([{ channel: 'content', text }], 5);
  const reply: Reply = { deltas, finishReason: 'stop', tools: [], options: {} };
  const trace = traceReply(reply);
  const parts = await traceParts(reply);
  expect(toScore(trace, parts).columns.length).toBeGreaterThan(deltas.length);
});
