import type { Redact } from './redact-text.ts';

type Json = Record<string, unknown>;

/** Where a piece of text stands, and which text it is a piece of. */
interface Piece {
  of: string;
  text: string;
  put(text: string): void;
}

/** Fields of a chunk or completion that are kept as they are; texts are redacted, everything else is left out. */
const HEAD = ['id', 'object', 'created', 'model'];
const USAGE = ['prompt_tokens', 'completion_tokens', 'total_tokens'];
/** In the order in which they are read: one text, which a call may begin in one field and end in another. */
const TEXTS = ['reasoning_content', 'reasoning', 'content'];

/**
 * The chunks of one reply with its texts redacted. A text is redacted as a whole and cut again where it was cut,
 * as what a piece means may depend on the one before.
 */
export function redactChunks(chunks: readonly Json[], redact: Redact): Json[] {
  const pieces: Piece[] = [];
  const copies = chunks.map((chunk) => ({
    ...pick(chunk, HEAD),
    ...(Array.isArray(chunk.choices) && {
      choices: chunk.choices.map((choice) => copyChoice(choice, 'delta', pieces, redact)),
    }),
    ...copyUsage(chunk),
  }));
  putBack(pieces, redact);
  return copies;
}

/** One choice of a completion that was not streamed, likewise. */
export function redactChoice(choice: unknown, redact: Redact): Json {
  const pieces: Piece[] = [];
  const copy = copyChoice(choice, 'message', pieces, redact);
  putBack(pieces, redact);
  return copy;
}

/** Deltas of raw text, likewise. */
export function redactDeltas(deltas: readonly string[], redact: Redact): string[] {
  const copies = [...deltas];
  putBack(
    copies.map((text, at) => ({
      of: '',
      text,
      put(redacted: string) {
        copies[at] = redacted;
      },
    })),
    redact,
  );
  return copies;
}

function copyChoice(given: unknown, field: 'delta' | 'message', pieces: Piece[], redact: Redact): Json {
  const choice = Object(given) as Json;
  const body = choice[field];
  return {
    ...pick(choice, ['index', 'finish_reason']),
    ...(isJson(body) && { [field]: copyBody(body, `${String(choice.index)}`, pieces, redact) }),
    ...copyUsage(choice),
  };
}

function copyBody(body: Json, choice: string, pieces: Piece[], redact: Redact): Json {
  const copy = pick(body, ['role']);
  // What stands in both fields of the thought is read once.
  const twice = typeof body.reasoning_content === 'string' && typeof body.reasoning === 'string';
  for (const name of TEXTS) {
    const of = name === 'reasoning' && twice ? `${choice} reasoning` : `${choice} text`;
    if (name in body) copyText(body, copy, name, of, pieces);
  }
  if (Array.isArray(body.tool_calls))
    copy.tool_calls = body.tool_calls.map((call, at) => copyCall(call, at, choice, pieces, redact));
  return copy;
}

function copyCall(given: unknown, at: number, choice: string, pieces: Piece[], redact: Redact): unknown {
  if (!isJson(given)) return null;
  const call = pick(given, ['index', 'id', 'type']);
  if (!isJson(given.function)) return call;
  const copy = pick(given.function, ['name']);
  const of = `${choice} call ${String(given.index ?? at)}`;
  const args = given.function.arguments;
  if (isJson(args)) copy.arguments = redactValue(args, redact);
  else if ('arguments' in given.function) copyText(given.function, copy, 'arguments', of, pieces);
  return { ...call, function: copy };
}

/** Texts are put in later; what is no text is not known to be harmless, but for `null`. */
function copyText(from: Json, to: Json, name: string, of: string, pieces: Piece[]): void {
  const text = from[name];
  if (typeof text === 'string')
    pieces.push({
      of,
      text,
      put(redacted) {
        to[name] = redacted;
      },
    });
  if (text === null || typeof text === 'string') to[name] = text;
}

function putBack(pieces: readonly Piece[], redact: Redact): void {
  const texts = new Map<string, Piece[]>();
  for (const piece of pieces) {
    const ofOne = texts.get(piece.of);
    if (ofOne) ofOne.push(piece);
    else texts.set(piece.of, [piece]);
  }
  for (const ofOne of texts.values()) {
    const whole = redact(ofOne.map(({ text }) => text).join(''));
    let at = 0;
    for (const { text, put } of ofOne) {
      put(whole.slice(at, at + text.length));
      at += text.length;
    }
  }
}

/** Arguments that a server sent as an object. */
function redactValue(value: unknown, redact: Redact): unknown {
  return JSON.parse(redact(JSON.stringify(value)));
}

function copyUsage(from: Json): Json {
  if (!('usage' in from)) return {};
  return { usage: isJson(from.usage) ? pick(from.usage, USAGE) : null };
}

function pick(from: Json, names: readonly string[]): Json {
  return Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]]));
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
