import type { KimiEvent } from '@kimi-tc/core';
import { isObject, type JsonObject, listOf, textOf } from './json.ts';
import { createExtraCollector } from './kimi-extra.ts';
import { addPiece, equalPieces, joinPieces, type Piece, readPieces } from './pieces.ts';
import { toContinuation, toDelta, withChoice } from './to-chunk.ts';
import { createTurnReader, type TurnSettings } from './turn-reader.ts';

/** One choice of a stream: chunks in, chunks out. A chunk that needs no repair comes out as the same object. */
export interface ChoiceTransform {
  /** Takes a chunk whose only choice is this one. */
  push(chunk: JsonObject): JsonObject[];
  /**
   * The choice is over: what was held, and one chunk with the finish reason. Later calls do nothing.
   * @param withUsage whether a usage that stands on the choice has to be told in the place where
   *   clients look for it
   */
  end(withUsage: boolean): JsonObject[];
  /** The reply failed: what was held, and nothing that says how it ended. */
  fail(): JsonObject[];
  /** A finish reason has come. */
  readonly finished: boolean;
}

/** A chunk whose pieces the parser has taken without a word so far. */
interface WaitingChunk {
  chunk: JsonObject;
  pieces: readonly Piece[];
}

interface FinishChunk {
  chunk: JsonObject;
  /**
   * Its delta says nothing (`bare`), something that may pass as it is (`healthy`), or something that
   * has been sent on by itself (`said`).
   */
  delta: 'bare' | 'healthy' | 'said';
}

/** More waiting chunks than this are not worth keeping to be passed on as they are. */
const MAX_WAITING = 64;

/** What a delta can hold that is read here; all else is passed on. */
const READ_FIELDS = new Set(['role', 'content', 'reasoning_content', 'reasoning', 'tool_calls']);

export function createChoiceTransform(settings: TurnSettings): ChoiceTransform {
  const extras = createExtraCollector(true);
  /** What the parser made of the chunk at hand. */
  let made: Piece[] = [];
  /** Calls whose first fragment has been read. */
  const opened = new Set<unknown>();
  let roleSent = false;
  /** The server fills `reasoning_content` and not `reasoning`: so do the chunks made here. */
  let mirrored = true;
  /**
   * Chunks that carry nothing but what the parser holds, until its next word: if that is what they
   * say, they pass as they are. The first fragment of a call always waits here for its arguments, as
   * a name may still go on.
   */
  let waiting: WaitingChunk[] = [];
  /**
   * The chunk with the finish reason, until it is certain that it is the last: some servers send it
   * twice, and usage may have to be added.
   */
  let finish: FinishChunk | undefined;
  /** The last usage that stood on the choice, or on a finish chunk that was replaced by a later one. */
  let choiceUsage: unknown;
  let latest: JsonObject = { choices: [{ index: 0 }] };
  let ended = false;

  const reader = createTurnReader(settings, (event: KimiEvent) => {
    extras.push(event);
    addPiece(made, event);
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
    for (const entry of listOf(delta.tool_calls)) if (isObject(entry)) opened.add(entry.index);
    return readRole(delta) ? pieces : undefined;
  }

  /** The chunks that waited, as they are, if what they carry is what the parser has made by now. */
  function takeWaiting(pieces: readonly Piece[], own: readonly Piece[]): JsonObject[] | undefined {
    if (waiting.length === 0) return equalPieces(own, pieces) ? [] : undefined;
    if (!equalPieces(joinPieces([...waiting.map((one) => one.pieces), own]), pieces)) return undefined;
    const chunks = waiting.map(({ chunk }) => chunk);
    waiting = [];
    roleSent = true;
    return chunks;
  }

  function mayWait(chunk: JsonObject, delta: JsonObject, pieces: readonly Piece[]): boolean {
    if (waiting.length >= MAX_WAITING || hasMore(chunk, delta)) return false;
    // With the role a chunk of text is sent on at once, without the text.
    return roleSent || waiting.length > 0 || pieces.some(({ type }) => type === 'tool-call');
  }

  /** What makes a delta the first of its choice, if it is. */
  function takeRole(delta: JsonObject): JsonObject {
    if (roleSent) return {};
    roleSent = true;
    return { role: textOf(delta.role) || 'assistant', content: '' };
  }

  /** Chunks that carry `pieces`, the first of them with all else that stands in `chunk`. */
  function rewrite(chunk: JsonObject, pieces: readonly Piece[]): JsonObject[] {
    waiting = [];
    const choice = choiceOf(chunk);
    const delta = deltaOf(choice);
    const [first, ...others] = pieces;
    if (!first && roleSent && !hasMore(chunk, delta)) return [];
    const role = takeRole(delta);
    return [
      withChoice(chunk, choice, {
        delta: { ...role, ...restOf(delta), ...(first && toDelta(first, mirrored)) },
      }),
      ...others.map((piece) => toContinuation(chunk, choice, toDelta(piece, mirrored))),
    ];
  }

  function pushDelta(chunk: JsonObject, delta: JsonObject): JsonObject[] {
    const own = readHealthy(delta);
    reader.readDelta(delta);
    const pieces = takeMade();
    if (own) {
      if (own.length === 0 && pieces.length === 0) {
        roleSent = true;
        return [chunk];
      }
      const before = takeWaiting(pieces, own);
      if (before) {
        roleSent = true;
        return [...before, chunk];
      }
      if (pieces.length === 0 && mayWait(chunk, delta, own)) {
        waiting.push({ chunk, pieces: own });
        return [];
      }
    }
    return rewrite(chunk, pieces);
  }

  function pushFinish(chunk: JsonObject, delta: JsonObject): JsonObject[] {
    const before = finish ? sayApart(finish) : [];
    const own = readHealthy(delta);
    reader.readDelta(delta);
    const pieces = takeMade();
    if (own?.length === 0 && pieces.length === 0) {
      finish = { chunk, delta: 'bare' };
      return before;
    }
    const out = own && takeWaiting(pieces, own);
    if (out) {
      finish = { chunk, delta: 'healthy' };
      roleSent = true;
      return [...before, ...out];
    }
    finish = { chunk, delta: 'said' };
    const { usage: _, ...body } = withChoice(
      chunk,
      { index: choiceOf(chunk).index },
      { delta, finish_reason: null },
    );
    return [...before, ...rewrite(body, pieces)];
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

  return {
    push(chunk) {
      const choice = choiceOf(chunk);
      if (isThere(choice.usage)) choiceUsage = choice.usage;
      if (ended) return isThere(chunk.usage) ? [{ ...chunk, choices: [] }] : [];
      latest = chunk;
      const delta = deltaOf(choice);
      if (textOf(delta.reasoning_content) !== '') mirrored = textOf(delta.reasoning) !== '';
      return textOf(choice.finish_reason) === '' ? pushDelta(chunk, delta) : pushFinish(chunk, delta);
    },
    end(withUsage) {
      if (ended) return [];
      ended = true;
      const sent = finish && textOf(choiceOf(finish.chunk).finish_reason);
      reader.end(sent);
      const { word, extra } = extras.finish(sent);
      const pieces = takeMade();
      const lifts = withUsage && isThere(choiceUsage) && !isThere(finish?.chunk.usage);
      const held = waiting.length > 0 ? takeWaiting(pieces, []) : undefined;
      const before = held ?? [];
      if (finish && word === sent && !extra && !lifts && roleSent && (held || pieces.length === 0)) {
        return [...before, finish.chunk];
      }
      const said = finish ? sayApart(finish) : [];
      const shape = toContinuation(latest, choiceOf(latest), {});
      const rest = held || pieces.length === 0 ? [] : rewrite(shape, pieces);
      return [...said, ...before, ...rest, toFinish(word, extra, withUsage)];
    },
    fail() {
      if (ended) return [];
      ended = true;
      const said = finish ? sayApart(finish) : [];
      reader.end(undefined);
      const pieces = takeMade();
      if (pieces.length === 0) return said;
      return [...said, ...rewrite(toContinuation(latest, choiceOf(latest), {}), pieces)];
    },
    get finished() {
      return finish !== undefined || ended;
    },
  };
}

/** Whether a chunk says something besides the fields that are read here, so that it must not vanish. */
function hasMore(chunk: JsonObject, delta: JsonObject): boolean {
  const choice = choiceOf(chunk);
  return (
    isThere(chunk.usage) ||
    isThere(choice.logprobs) ||
    Object.entries(delta).some(([name, value]) => !READ_FIELDS.has(name) && isThere(value))
  );
}

/** The fields of a delta that are not read here. */
function restOf(delta: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(delta).filter(([name]) => !READ_FIELDS.has(name)));
}

function choiceOf(chunk: JsonObject): JsonObject {
  const [choice] = listOf(chunk.choices);
  return isObject(choice) ? choice : {};
}

function deltaOf(choice: JsonObject): JsonObject {
  return isObject(choice.delta) ? choice.delta : {};
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}
