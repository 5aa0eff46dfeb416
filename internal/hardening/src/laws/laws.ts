import assert from 'node:assert/strict';
import type { KimiEvent, ProblemCode } from '@kimi-tc/core';
import { cutPieces, isText, joinPieces, type Played, play, type Reply, textOf } from './reply.ts';

/** One reply, read in several chunkings. */
export interface Plays {
  /** With neighbouring texts joined. */
  reply: Reply;
  whole: Played;
  /** One UTF-16 unit per piece. */
  units: Played;
  /** In pieces of the lengths that were asked for. */
  cut: Played;
  /** Units of text after which `short` ends. */
  cutAt: number;
}

/** @param sizes lengths of pieces, used in turn; at least one, all above 0 */
export function playAll(given: Reply, sizes: readonly number[]): Plays {
  const reply = { ...given, pieces: joinPieces(given.pieces) };
  let turn = 0;
  const nextSize = () => sizes[turn++ % sizes.length] as number;
  const inPieces = (size: () => number) => play({ ...reply, pieces: cutPieces(reply.pieces, size) });
  return {
    reply,
    whole: play(reply),
    units: inPieces(() => 1),
    cut: inPieces(nextSize),
    cutAt: ((sizes[0] as number) * 7919) % (textOf(reply.pieces).length + 1),
  };
}

/** Takes one reply in several chunkings; throws where the law is broken. */
export type Law = (plays: Plays) => void;

const inEach =
  (check: (played: Played, reply: Reply) => void): Law =>
  ({ reply, whole, units, cut }) => {
    for (const played of [whole, units, cut]) check(played, reply);
  };

type CallEnd = Extract<KimiEvent, { type: 'tool-call-end' }>;

function callEnds({ events }: Played): CallEnd[] {
  return events.filter((event) => event.type === 'tool-call-end');
}

function isReported({ events }: Played, code: ProblemCode, index: number): boolean {
  return events.some((event) => event.type === 'problem' && event.code === code && event.index === index);
}

function offeredNames({ options }: Reply): string[] {
  return (options.tools ?? []).flatMap((tool) => (tool.function ? [tool.function.name] : []));
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** The argument texts that the server parsed itself; `undefined` where its pieces do not say what belongs together. */
function structuredArguments({ pieces }: Reply): string[] | undefined {
  const byIndex = new Map<number, string>();
  for (const piece of pieces) {
    if (isText(piece)) continue;
    const { index, arguments: args } = piece;
    if (typeof index !== 'number') return undefined;
    if (args === undefined || args === null) continue;
    const text = typeof args === 'string' ? args : JSON.stringify(args);
    byIndex.set(index, (byIndex.get(index) ?? '') + text);
  }
  return [...byIndex.values()];
}

function isSubsequence(text: string, of: string): boolean {
  let at = 0;
  for (const unit of text.split('')) {
    at = of.indexOf(unit, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

const ENDED_IN_STRING: ReadonlySet<ProblemCode> = new Set([
  'invalid-arguments',
  'unresolved-tool',
  'malformed-call',
  'limit-exceeded',
]);

const VISIBLE_MARKER =
  /<\| ?(?:tool_calls?_section_(?:begin|end)|tool_call_(?:begin|end|argument_begin)|im_end) ?\|>|<\/?think>/;

const RESCUED = '{"from":"the wreck"}';
const WHOLE_SECTION =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.rescue:77<|tool_call_argument_begin|>' +
  `${RESCUED}<|tool_call_end|><|tool_calls_section_end|>`;

/** What holds for any reply, whatever it is and however it is cut. */
export const LAWS: Record<string, Law> = {
  'chunking never shows'({ whole, units, cut }) {
    assert.deepEqual(units.turn, whole.turn);
    assert.deepEqual(cut.turn, whole.turn);
  },

  'a started call ends once, its deltas are its arguments, and finish comes last': inEach(({ events }) => {
    const started: { deltas: string; ended: boolean }[] = [];
    for (const event of events) {
      if (event.type === 'tool-call-start') {
        assert.equal(event.index, started.length);
        assert.notEqual(event.name, '');
        started.push({ deltas: '', ended: false });
      } else if (event.type === 'tool-call-delta') {
        const call = started[event.index];
        assert.equal(call?.ended, false);
        if (call) call.deltas += event.delta;
      } else if (event.type === 'tool-call-end' || (event.type === 'tool-call-error' && event.index >= 0)) {
        const call = started[event.index];
        assert.equal(call?.ended, false);
        assert.equal(call?.deltas, event.arguments);
        if (call) call.ended = true;
      }
    }
    assert.ok(started.every((call) => call.ended));
    assert.equal(
      events.findIndex((event) => event.type === 'finish'),
      events.length - 1,
    );
  }),

  'ids are given once, and none under tool choice none': inEach(({ turn }, { options }) => {
    const ids = turn.toolCalls.map((call) => call.id);
    assert.equal(new Set(ids).size, ids.length);
    for (const id of options.takenToolCallIds ?? []) assert.ok(!ids.includes(id), id);
    if (options.toolChoice === 'none') assert.deepEqual(ids, []);
  }),

  'a delivered call is a JSON object, or says that it is not': inEach((played) => {
    for (const call of callEnds(played)) {
      assert.ok(
        isObjectText(call.arguments) || isReported(played, 'invalid-arguments', call.index),
        call.arguments,
      );
    }
  }),

  'limits hold, and only take away'({ reply, whole, units, cut }) {
    const { limits, ...unlimited } = reply.options;
    if (limits === undefined) return;
    const { maxArgumentsLength = Infinity, maxToolCalls = Infinity } = limits;
    const all = new Set(
      callEnds(play({ ...reply, options: unlimited })).map((call) => `${call.name} ${call.arguments}`),
    );
    for (const { turn, events } of [whole, units, cut]) {
      assert.ok(turn.toolCalls.length <= maxToolCalls);
      for (const call of turn.toolCalls) assert.ok(all.has(`${call.name} ${call.arguments}`), call.arguments);
      for (const event of events) {
        if (event.type !== 'tool-call-end' && event.type !== 'tool-call-error') continue;
        assert.ok(event.arguments.length <= maxArgumentsLength, event.arguments);
      }
    }
  },

  'a delivered name is offered, or reported as unknown': inEach((played, reply) => {
    const names = offeredNames(reply);
    if (names.length === 0) return;
    for (const call of callEnds(played)) {
      const known = names.includes(call.name) && !isReported(played, 'unknown-tool', call.index);
      assert.ok(
        known || (!names.includes(call.name) && isReported(played, 'unknown-tool', call.index)),
        call.name,
      );
    }
  }),

  'arguments are a part of the input, or reported as repaired': inEach((played, reply) => {
    const structured = structuredArguments(reply);
    if (structured === undefined || reply.options.recoverTextCalls === 'lenient') return;
    // A turn end says nothing in a call without markers (ruling 5).
    const text = textOf(reply.pieces).replaceAll(/<\| ?im_end ?\|>/g, '');
    const written = [textOf(reply.pieces), text, ...structured];
    for (const call of callEnds(played)) {
      const isPart = call.arguments === '{}' || written.some((part) => part.includes(call.arguments));
      assert.ok(isPart || isReported(played, 'arguments-repaired', call.index), call.arguments);
    }
  }),

  'text is never invented, doubled or moved': inEach(({ turn }, { pieces }) => {
    const text = textOf(pieces);
    assert.ok(isSubsequence(turn.content, text));
    assert.ok(isSubsequence(turn.reasoning, text));
    assert.ok(turn.content.length + turn.reasoning.length <= text.length);
  }),

  'no marker shows in a visible delta, quotes apart': inEach(({ events }, { pieces }) => {
    // Where a marker is taken out of the middle of another one, the halves that stay are text (ruling 6).
    if (/`|<[|/ \w]*<[|/t]/i.test(textOf(pieces))) return;
    for (const event of events) {
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
        assert.doesNotMatch(event.delta, VISIBLE_MARKER);
      }
    }
  }),

  'problems stand in the text, and about calls that started': inEach(({ events }, { pieces }) => {
    const { length } = textOf(pieces);
    let started = 0;
    for (const event of events) {
      if (event.type === 'tool-call-start') started++;
      if (event.type !== 'problem') continue;
      assert.ok(event.offset >= 0 && event.offset <= length, `${event.code} at ${event.offset} of ${length}`);
      assert.ok(event.index === undefined || (event.index >= 0 && event.index < started), event.code);
    }
  }),

  'a problem of a call stands at its header': inEach(({ events }, { pieces }) => {
    const text = textOf(pieces);
    // A turn end that is taken out of a header makes it shorter than what was sent.
    if (!pieces.every(isText) || /im_end/.test(text)) return;
    const rawIds = events.flatMap((event) => (event.type === 'tool-call-start' ? [event.rawId] : []));
    for (const event of events) {
      const rawId = event.type === 'problem' && event.index !== undefined ? rawIds[event.index] : undefined;
      if (event.type !== 'problem' || !rawId) continue;
      const header = text.slice(event.offset).replace(/^<\| ?tool_call_begin ?\|>/, '');
      assert.ok(header.trimStart().startsWith(rawId), event.code);
    }
  }),

  'a reply that is cut delivers no call that the whole one does not'({ reply, whole, cutAt }) {
    const { recoverTextCalls, guidedJson } = reply.options;
    const text = textOf(reply.pieces);
    const isLate = recoverTextCalls === 'lenient' || guidedJson || text.includes('`');
    if (isLate || !reply.pieces.every(isText)) return;
    let left = cutAt;
    const pieces = reply.pieces.flatMap((piece): Reply['pieces'] => {
      const kept = isText(piece) ? piece[1].slice(0, left) : '';
      left -= kept.length;
      return isText(piece) ? [[piece[0], kept]] : [];
    });
    const short = play({ ...reply, pieces, finishReason: 'length' });
    // A call that ended in a string, as the stream did: what stood in the string is read (ruling 22).
    // A limit forgets which it was.
    if (short.turn.problems.some(({ code }) => ENDED_IN_STRING.has(code))) return;
    const all = new Set(callEnds(whole).map((call) => `${call.index} ${call.name} ${call.arguments}`));
    for (const call of callEnds(short)) {
      assert.ok(all.has(`${call.index} ${call.name} ${call.arguments}`), call.arguments);
    }
  },

  'behind any wreck a whole section is read'({ reply }) {
    const { recoverTextCalls, guidedJson, toolChoice, limits } = reply.options;
    const mayHold = recoverTextCalls !== 'off' || guidedJson || toolChoice === 'none' || limits !== undefined;
    if (mayHold || textOf(reply.pieces).includes('`')) return;
    const end = `<|tool_call_end|><|tool_calls_section_end|>\n${WHOLE_SECTION}`;
    // A value that is one string takes all of it up to a quotation mark, as its JSON is whole then (ruling 22).
    const isRead = [end, `"${end}`].some((behind) =>
      play({ ...reply, pieces: [...reply.pieces, ['content', behind]] }).turn.toolCalls.some(
        (call) => call.arguments === RESCUED,
      ),
    );
    assert.ok(isRead);
  },
};

/** @throws the first broken law, named in the message */
export function checkLaws(reply: Reply, sizes: readonly number[]): { deltas: number; calls: number } {
  const plays = playAll(reply, sizes);
  for (const [name, law] of Object.entries(LAWS)) {
    try {
      law(plays);
    } catch (error) {
      throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }
  const { whole, units, cut } = plays;
  return { deltas: whole.deltas + units.deltas + cut.deltas, calls: whole.turn.toolCalls.length };
}
