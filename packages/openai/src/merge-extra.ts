import { isObject, type JsonObject, listOf } from './json.ts';
import type { KimiExtra, KimiIncompleteToolCall } from './kimi-chunk.ts';
import { EMPTY_TURN } from './turn-reader.ts';

/**
 * What there is to say about a choice that another reader of this package has had before, the gateway for
 * one. That one saw what the server sent, so its words come first, and what only it could see is kept: calls
 * that never got onto the wire, ids as the model wrote them, the server's own finish reason.
 *
 * @param told the `x_kimi` that came with the choice
 */
export function mergeExtra(told: unknown, found: KimiExtra): KimiExtra {
  if (!isObject(told)) return found;
  const incomplete = mergeIncomplete(listIn(told.incomplete_tool_calls), found.incomplete_tool_calls ?? []);
  const problems = mergeProblems(listIn(told.problems), found.problems ?? [], incomplete.length > 0);
  const calls = mergeCalls(listIn(told.tool_calls), found.tool_calls ?? []);
  const { finish_reason = found.finish_reason } = told as KimiExtra;
  return {
    ...(problems.length > 0 && { problems }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(incomplete.length > 0 && { incomplete_tool_calls: incomplete }),
    ...(finish_reason !== undefined && { finish_reason }),
  };
}

type Problems = NonNullable<KimiExtra['problems']>;
type Calls = NonNullable<KimiExtra['tool_calls']>;

function listIn<Item extends object>(value: unknown): Item[] {
  return listOf(value).filter((one: unknown): one is JsonObject & Item => isObject(one));
}

/**
 * The same about the same call is told once. A turn with a call that was given up is not empty, although here
 * nothing of the call may be seen.
 */
function mergeProblems(told: Problems, found: Problems, hasGivenUp: boolean): Problems {
  const about = ({ code, index }: Problems[number]) => `${code} ${index}`;
  const known = new Set(told.map(about));
  const isNew = (problem: Problems[number]) =>
    !known.has(about(problem)) && !(hasGivenUp && EMPTY_TURN.has(problem.code));
  return [...told, ...found.filter(isNew)];
}

function mergeIncomplete(
  told: KimiIncompleteToolCall[],
  found: KimiIncompleteToolCall[],
): KimiIncompleteToolCall[] {
  const places = new Set(told.map(({ index }) => index));
  return [...told, ...found.filter(({ index }) => index === undefined || !places.has(index))];
}

/** A call may have got another id at each reader: the one that it has now, and the one that was written. */
function mergeCalls(told: Calls, found: Calls): Calls {
  const written = new Map(told.map(({ index, raw_id }) => [index, raw_id]));
  const places = new Set(found.map(({ index }) => index));
  return [
    ...told.filter(({ index }) => !places.has(index)),
    ...found.map((call) => ({ ...call, raw_id: written.get(call.index) ?? call.raw_id })),
  ].toSorted((a, b) => a.index - b.index);
}
