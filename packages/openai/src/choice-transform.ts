import type { KimiEvent, Problem } from '@kimi-tc/core';
import {
  bringsField,
  choiceOf,
  deltaOf,
  hasMore,
  restOf,
  saysNothing,
  usageAside,
  withOwnFieldsOf,
} from './chunk-fields.ts';
import { isObject, isThere, type JsonObject, listOf, textOf } from './json.ts';
import type { KimiExtra } from './kimi-chunk.ts';
import { createExtraCollector } from './kimi-extra.ts';
import { addPiece, isAlike, isSamePiece, type Piece, readPieces, type TextPiece } from './pieces.ts';
import { keepEntry, toContinuation, toDelta, withCallsFrom, withChoice } from './to-chunk.ts';
import { createTurnReader, hasCustomCall, hasFunctionCall, type TurnSettings } from './turn-reader.ts';
import { createWaitingChunks, type Passed, type SayingChunk } from './waiting-chunks.ts';

/** One choice of a stream: chunks in, chunks out. A chunk that needs no repair comes out as the same object. */
export interface ChoiceTransform {
  /** Takes a chunk whose only choice is this one. */
  push(chunk: JsonObject): JsonObject[];
  /**
   * Takes chunks that say nothing but parts of one text, and may pass if the text does.
   * @param like an earlier chunk, which they repeat but for that
   * @param piece what they say together
   */
  pushText(like: JsonObject, piece: TextPiece, split: SplitRun): KnownResult;
  /**
   * The choice is over: what was held, and one chunk with the finish reason. Later calls do nothing.
   * @param withUsage whether a usage that stands on the choice has to be told in the place where
   *   clients look for it
   */
  end(withUsage: boolean): JsonObject[];
  /** The reply failed: what was held, and one chunk with what there is to say about it, without a finish. */
  fail(): JsonObject[];
  /** A finish reason has come. */
  isFinished(): boolean;
}

/**
 * What stands for chunks of one text among those that pass, should they not pass at once: one for those that
 * say its first `length` UTF-16 units or less, and one for each of the others.
 */
export type SplitRun = (length: number) => readonly SayingChunk[];

/** What becomes of chunks whose text alone was taken. `unread`: nothing was taken, they have to be parsed. */
export type KnownResult = 'passes' | 'unread' | KnownOutput;

export interface KnownOutput {
  /** Chunks that pass, in order. */
  chunks: readonly JsonObject[];
  /** What leaves behind them, in chunks like those made before. */
  pieces: readonly Piece[];
  toChunk(piece: Piece): JsonObject;
}

interface FinishChunk {
  chunk: JsonObject;
  /**
   * Its delta says nothing (`bare`), something that may pass as it is (`healthy`), or something that
   * has been sent on by itself (`said`).
   */
  delta: 'bare' | 'healthy' | 'said';
}

export function createChoiceTransform(settings: TurnSettings): ChoiceTransform {
  const extras = createExtraCollector(true);
  /** What the parser made of the chunk at hand. */
  let made: Piece[] = [];
  /** Calls whose first fragment has been read. */
  const opened = new Set<unknown>();
  /** The first entries of calls, by their ids. */
  const entries = new Map<string, JsonObject>();
  let roleSent = false;
  /** The server fills `reasoning_content` and not `reasoning`: so do the chunks made here. */
  let mirrored = true;
  const waiting = createWaitingChunks();
  /**
   * The chunk with the finish reason, until it is certain that it is the last: some servers send it
   * twice, and usage may have to be added.
   */
  let finish: FinishChunk | undefined;
  /** The last chunk behind it that says nothing but usage. */
  let behind: JsonObject | undefined;
  /** The last usage that stood aside, or on a finish chunk that was replaced by a later one. */
  let choiceUsage: unknown;
  let latest: JsonObject = { choices: [{ index: 0 }] };
  /** A chunk whose fields of the server's own are told: the one before, or a finish, which keeps its own. */
  let telling: JsonObject = latest;
  /** What another reader of this package has said about the choice. */
  let told: unknown;
  let ended = false;
  /** The choice has a call in the API's older form: all from there on passes, the finish too. */
  let passing = false;
  /** Calls that were told, so far. */
  let calls = 0;

  function onProblem(problem: Problem): void {
    // That no call came is true of the parser alone.
    if (!passing) settings.onProblem(problem);
  }

  const reader = createTurnReader({ ...settings, onProblem }, (event: KimiEvent) => {
    extras.push(event);
    if (event.type === 'tool-call-start') calls++;
    // What was begun goes on in chunks that pass.
    if (passing && event.type === 'tool-call-error') return;
    addPiece(made, event, entries);
  });

  function takeMade(): Piece[] {
    const taken = made;
    made = [];
    return taken;
  }

  function readRole(delta: JsonObject): boolean {
    const { role } = delta;
    return roleSent ? role === undefined || role === null || textOf(role) !== '' : textOf(role) !== '';
  }

  /** What a delta that may pass as it is carries; `undefined` if it may not. */
  function readHealthy(delta: JsonObject): Piece[] | undefined {
    const pieces = readPieces(delta, (index) => opened.has(index));
    for (const entry of listOf(delta.tool_calls)) {
      if (!isObject(entry)) continue;
      if (!opened.has(entry.index)) keepEntry(entries, entry);
      opened.add(entry.index);
    }
    return readRole(delta) ? pieces : undefined;
  }

  /** What makes a delta the first of its choice, if it is. */
  function takeRole(delta: JsonObject): JsonObject {
    if (roleSent) return {};
    roleSent = true;
    return { role: textOf(delta.role) || 'assistant', content: '' };
  }

  /** Whether the chunk at hand says something besides what is read here, which no other chunk has said. */
  function saysMore(chunk: JsonObject, delta: JsonObject): boolean {
    return hasMore(chunk, delta) || bringsField(chunk, telling);
  }

  /** Chunks that carry `pieces`, the first of them with all else that stands in `chunk`. */
  function rewrite(chunk: JsonObject, pieces: readonly Piece[]): JsonObject[] {
    const choice = choiceOf(chunk);
    const delta = deltaOf(choice);
    const [first, ...others] = pieces;
    if (!first && roleSent && !saysMore(chunk, delta)) return [];
    const role = takeRole(delta);
    return [
      withChoice(chunk, choice, {
        delta: { ...role, ...restOf(delta), ...(first && toDelta(first, mirrored)) },
      }),
      ...others.map((piece) => toContinuation(chunk, choice, toDelta(piece, mirrored))),
    ];
  }

  /** What of the chunk just read, and of earlier ones, may pass. */
  function settle(
    chunk: JsonObject,
    said: readonly Piece[] | undefined,
    mayWait: boolean,
    rest?: JsonObject,
  ): Passed {
    const passed = said
      ? waiting.push([{ chunk, pieces: said, rest }], takeMade(), mayWait)
      : waiting.flush(takeMade());
    if (passed.chunks.length > 0) roleSent = true;
    return passed;
  }

  function settleDelta(chunk: JsonObject, said: readonly Piece[] | undefined): JsonObject[] {
    const choice = choiceOf(chunk);
    const delta = deltaOf(choice);
    const rest = saysMore(chunk, delta) ? withChoice(chunk, choice, { delta: restOf(delta) }) : undefined;
    // With the role a chunk of text is sent on at once, without the text.
    const mayWait = roleSent || (!rest && said?.some(({ type }) => type === 'tool-call') === true);
    const { chunks, pieces, own } = settle(chunk, said, mayWait, rest);
    if (own === 'changes') return [...chunks, ...rewrite(chunk, pieces)];
    return pieces.length === 0 ? chunks : [...chunks, ...continueWith(chunk, pieces)];
  }

  function pushDelta(chunk: JsonObject, delta: JsonObject): JsonObject[] {
    const said = readHealthy(delta);
    reader.readDelta(delta);
    if (said?.length === 0) {
      roleSent = true;
      return [chunk];
    }
    return settleDelta(chunk, said);
  }

  function pushFinish(given: JsonObject): JsonObject[] {
    const chunk = finish ? withOwnFieldsOf(finish.chunk, given, finish.delta === 'bare') : given;
    const delta = deltaOf(choiceOf(chunk));
    const said = readHealthy(delta);
    reader.readDelta(delta);
    if (said?.length === 0) {
      finish = { chunk, delta: 'bare' };
      return [];
    }
    const { chunks, pieces, own } = settle(chunk, said, false);
    if (own === 'passes') {
      chunks.pop();
      finish = { chunk, delta: 'healthy' };
      if (pieces.length === 0) return chunks;
      return [...chunks, ...sayApart(finish), ...continueWith(chunk, pieces)];
    }
    finish = { chunk, delta: 'said' };
    return [...chunks, ...rewrite(toContinuation(chunk, choiceOf(chunk), delta), pieces)];
  }

  /** Chunks shaped like one that has been said already. */
  function continueWith(chunk: JsonObject, pieces: readonly Piece[]): JsonObject[] {
    return pieces.length === 0 ? [] : rewrite(toContinuation(chunk, choiceOf(chunk), {}), pieces);
  }

  /** What a finish chunk says besides, when it must not pass as it is. */
  function sayApart(finish: FinishChunk): JsonObject[] {
    choiceUsage = finish.chunk.usage ?? choiceUsage;
    if (finish.delta !== 'healthy') return [];
    finish.delta = 'said';
    const choice = choiceOf(finish.chunk);
    return [toContinuation(finish.chunk, choice, deltaOf(choice))];
  }

  function toFinish(word: string, extra: object | undefined, withUsage: boolean): JsonObject {
    const from = finish?.chunk ?? toContinuation(latest, choiceOf(latest), {});
    const choice = choiceOf(from);
    const delta = deltaOf(choice);
    const usage = from.usage ?? (withUsage ? choiceUsage : undefined);
    return {
      ...from,
      choices: [
        {
          ...choice,
          delta: { ...takeRole(delta), ...(finish?.delta === 'bare' && restOf(delta)) },
          finish_reason: word,
          ...(extra && { x_kimi: extra }),
        },
      ],
      ...(isThere(usage) && { usage }),
    };
  }

  function push(chunk: JsonObject): JsonObject[] {
    if (passing) return [countOn(chunk)];
    const choice = choiceOf(chunk);
    const delta = deltaOf(choice);
    if (!ended && (hasCustomCall(delta) || (opened.size === 0 && hasFunctionCall(delta)))) {
      passing = true;
      return [...fail(), countOn(chunk)];
    }
    choiceUsage = usageAside(chunk, choice) ?? choiceUsage;
    if (isThere(choice.x_kimi)) told = choice.x_kimi;
    if (ended) return isThere(chunk.usage) ? [{ ...chunk, choices: [] }] : [];
    const finishes = textOf(choice.finish_reason) !== '';
    telling = finishes ? chunk : latest;
    latest = chunk;
    if (textOf(delta.reasoning_content) !== '') mirrored = textOf(delta.reasoning) !== '';
    if (finish && !finishes && isThere(chunk.usage) && readRole(delta) && saysNothing(delta)) {
      behind = chunk;
      return [];
    }
    const before = finish ? sayApart(finish) : [];
    const out = finishes ? pushFinish(chunk) : pushDelta(chunk, delta);
    return before.length === 0 ? out : [...before, ...out];
  }

  /** A chunk that passes, its calls counted on behind those that were text: the server does not know of them. */
  function countOn(chunk: JsonObject): JsonObject {
    return withCallsFrom(chunk, calls - opened.size);
  }

  function fail(): JsonObject[] {
    if (ended) return [];
    ended = true;
    const said = finish ? sayApart(finish) : [];
    const sent = finish && textOf(choiceOf(finish.chunk).finish_reason);
    reader.end(sent);
    const { chunks, pieces } = waiting.flush(takeMade());
    return [...said, ...chunks, ...continueWith(latest, pieces), ...toLast(extras.finish(sent, told).extra)];
  }

  /** What there is to say about a choice that has no finish to say it on. */
  function toLast(extra: KimiExtra | undefined): JsonObject[] {
    const { finish_reason: _, ...about } = extra ?? {};
    if (passing || Object.keys(about).length === 0) return [];
    const chunk = toContinuation(latest, choiceOf(latest), {});
    return [withChoice(chunk, choiceOf(chunk), { x_kimi: about })];
  }

  function toChunk(piece: Piece): JsonObject {
    return toContinuation(latest, choiceOf(latest), toDelta(piece, mirrored));
  }

  function pushText(like: JsonObject, piece: TextPiece, split: SplitRun): KnownResult {
    if (ended || finish || !roleSent) return 'unread';
    choiceUsage = usageAside(like, choiceOf(like)) ?? choiceUsage;
    latest = like;
    reader.readText(piece);
    const [first] = made;
    if (first && waiting.isEmpty()) {
      if (made.length === 1 && isSamePiece(first, piece)) {
        made = [];
        return 'passes';
      }
      if (!isAlike(first, piece)) return { ...waiting.flush(takeMade()), toChunk };
    }
    const own = made.find((one) => isAlike(one, piece));
    const length = own ? own.text.length - waiting.missing() : 0;
    return { ...waiting.push(split(length), takeMade(), true), toChunk };
  }

  return {
    push,
    pushText,
    end(withUsage) {
      if (ended) return [];
      ended = true;
      const sent = finish && textOf(choiceOf(finish.chunk).finish_reason);
      reader.end(sent);
      const { word, extra } = extras.finish(sent, told);
      const { chunks, pieces } = waiting.flush(takeMade());
      if (chunks.length > 0) roleSent = true;
      const last = behind ? [behind] : [];
      const mayLift = withUsage && !behind;
      const lifts = mayLift && isThere(choiceUsage) && !isThere(finish?.chunk.usage);
      const hasRole = roleSent || (finish && textOf(deltaOf(choiceOf(finish.chunk)).role) !== '');
      const passes = word === sent && !extra && !lifts && hasRole && pieces.length === 0;
      if (finish && finish.delta !== 'said' && passes) return [...chunks, finish.chunk, ...last];
      const said = finish ? sayApart(finish) : [];
      return [...said, ...chunks, ...continueWith(latest, pieces), toFinish(word, extra, mayLift), ...last];
    },
    fail,
    isFinished() {
      return finish !== undefined || ended;
    },
  };
}
