import type { CaseDelta, CaseInput, ChunksInput, DeltasInput } from './case.ts';
import { isObject, type JsonObject, type JsonValue } from './json.ts';

/** Every {@link Chunking}. */
export const chunkingNames = ['whole', 'as-given', 'units', 'cut-in-two'] as const;

/**
 * How an input is cut: neighbouring texts joined, as the case has them, in single UTF-16 units, or joined and cut
 * in two; the last stands for as many runs as there are positions.
 */
export type Chunking = (typeof chunkingNames)[number];

/** One way of handing in an input. */
export interface Chunked<Input extends CaseInput = CaseInput> {
  /** How it was cut. */
  readonly chunking: Chunking;
  /** For messages: `units`, or `cut-in-two at 17 of 120`. */
  readonly label: string;
  /** The input, cut; parts that need no cut are the given ones. */
  readonly input: Input;
}

/**
 * All ways in which an input is handed in (`cases/README.md` section 2); all of them must give the
 * same result.
 *
 * - `deltas`: whole, as given, in single UTF-16 units, and cut in two at every position.
 * - `chunks`: as given, and with every text field cut into single UTF-16 units.
 * - everything else: once, as given.
 *
 * Lazy: the cuts of a long text are made one at a time.
 */
export function* chunkings(input: CaseInput): Generator<Chunked> {
  if (input.kind === 'deltas') {
    yield* deltaChunkings(input);
    return;
  }
  yield { chunking: 'as-given', label: 'as given', input };
  if (input.kind === 'chunks') yield { chunking: 'units', label: 'units', input: cutChunks(input) };
}

function* deltaChunkings(input: DeltasInput): Generator<Chunked<DeltasInput>> {
  const whole = joinDeltas(input.deltas);
  yield { chunking: 'whole', label: 'whole', input: { ...input, deltas: whole } };
  yield { chunking: 'as-given', label: 'as given', input };
  yield { chunking: 'units', label: 'units', input: { ...input, deltas: whole.flatMap(toUnits) } };
  const length = whole.reduce((sum, [, text]) => sum + text.length, 0);
  for (let at = 1; at < length; at += 1) {
    const deltas = cutAt(whole, at);
    // Between two fields there is nothing to cut: that is the whole text once more.
    if (deltas.length === whole.length) continue;
    yield { chunking: 'cut-in-two', label: `cut-in-two at ${at} of ${length}`, input: { ...input, deltas } };
  }
}

/** Joins neighbouring deltas of one field; empty ones vanish. */
export function joinDeltas(deltas: readonly CaseDelta[]): CaseDelta[] {
  const joined: [CaseDelta[0], string][] = [];
  for (const [channel, text] of deltas) {
    if (text === '') continue;
    const last = joined.at(-1);
    if (last?.[0] === channel) last[1] += text;
    else joined.push([channel, text]);
  }
  return joined;
}

function toUnits([channel, text]: CaseDelta): CaseDelta[] {
  return units(text).map((unit) => [channel, unit]);
}

/** Single UTF-16 units: surrogate pairs are cut. */
function units(text: string): string[] {
  return text.split('');
}

/** Cuts the delta that the position, counted over all text, falls into. */
function cutAt(deltas: readonly CaseDelta[], position: number): CaseDelta[] {
  let start = 0;
  return deltas.flatMap(([channel, text]): CaseDelta[] => {
    const offset = position - start;
    start += text.length;
    if (offset <= 0 || offset >= text.length) return [[channel, text]];
    return [
      [channel, text.slice(0, offset)],
      [channel, text.slice(offset)],
    ];
  });
}

function cutChunks(input: ChunksInput): ChunksInput {
  return { ...input, chunks: input.chunks.flatMap(cutChunk) };
}

/**
 * Cuts the text of a chunk's first choice: reasoning, content and the arguments of calls, in the
 * order in which one delta is read. Names and ids are no text. What else the delta has goes first;
 * the finish reason and the usage stay on the last piece.
 */
function cutChunk(chunk: JsonObject): JsonObject[] {
  const [choice, ...others] = asList(chunk.choices);
  if (!isObject(choice) || !isObject(choice.delta)) return [chunk];
  const { reasoning_content, reasoning, content, tool_calls, ...rest } = choice.delta;
  const pieces: JsonObject[] = [
    ...cutFields({ reasoning_content, reasoning }),
    ...cutFields({ content }),
    ...asList(tool_calls).flatMap(cutCall),
  ] as JsonObject[];
  if (pieces.length <= 1) return [chunk];
  return pieces.map((delta, at) => {
    const whole = at === 0 ? { ...rest, ...delta } : delta;
    if (at === pieces.length - 1) {
      return { ...chunk, choices: [{ ...choice, delta: whole }, ...others] } as JsonObject;
    }
    return { choices: [{ index: choice.index, delta: whole, finish_reason: null }] } as JsonObject;
  });
}

/**
 * Cuts fields of one delta side by side, so that two names of the same text stay together; what the
 * longer one has left comes with the last piece of the first.
 */
function cutFields(fields: Record<string, unknown>): Record<string, unknown>[] {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  const texts = present.filter(([, value]) => typeof value === 'string' && value !== '');
  const length = (texts[0]?.[1] as string | undefined)?.length ?? 0;
  if (length <= 1) return present.length > 0 ? [Object.fromEntries(present)] : [];
  return Array.from({ length }, (_, at) =>
    Object.fromEntries(
      present.map(([name, value]) => {
        if (typeof value !== 'string') return [name, value];
        return [name, at === length - 1 ? value.slice(at) : value.slice(at, at + 1)];
      }),
    ),
  );
}

/** Cuts the arguments of one entry; its id and name come once, with the first piece. */
function cutCall(entry: JsonValue): JsonObject[] {
  const call = isObject(entry) && isObject(entry.function) ? entry.function : {};
  const text = call.arguments;
  if (!isObject(entry) || typeof text !== 'string' || text.length <= 1) return [callDelta(entry)];
  return units(text).map((unit, at) =>
    callDelta(
      at === 0
        ? ({ ...entry, function: { ...call, arguments: unit } } as JsonValue)
        : ({ index: entry.index, function: { arguments: unit } } as JsonValue),
    ),
  );
}

function callDelta(entry: JsonValue): JsonObject {
  return { tool_calls: [entry] };
}

function asList(value: unknown): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
