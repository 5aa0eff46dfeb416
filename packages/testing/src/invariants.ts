import type { CheckName, CorpusCase } from './case.ts';
import { isObject } from './json.ts';
import type { Outcome, RequestOutcome, TurnOutcome } from './outcome.ts';

/** The checks a case names, and the one that always holds: argument deltas are the arguments. */
export function checkInvariants(of: CorpusCase, outcome: Outcome): string[] {
  return [
    ...('toolCalls' in outcome ? joinedDeltasAreArguments(outcome) : []),
    ...(of.expected.checks ?? []).flatMap((name) => {
      const failure = invariants[name](of, outcome);
      return failure === undefined ? [] : [`${name}: ${failure}`];
    }),
  ];
}

type Invariant = (of: CorpusCase, outcome: Outcome) => string | undefined;

const invariants: Readonly<Record<CheckName, Invariant>> = {
  uniqueToolCallIds: (_, outcome) => {
    const ids = toolCallIds(outcome);
    const twice = ids.find((id, at) => ids.indexOf(id) !== at);
    return twice === undefined ? undefined : `${JSON.stringify(twice)} occurs twice`;
  },

  singleFinishEvent: (_, outcome) => {
    const { finishEvents } = outcome as TurnOutcome;
    return finishEvents === undefined || finishEvents === 1 ? undefined : `${finishEvents} finish events`;
  },

  argumentDeltasStreamed: (_, outcome) => {
    const { argumentDeltas, argumentsLeftEarly } = outcome as TurnOutcome;
    if (argumentDeltas?.some((deltas) => deltas.length < 2)) return 'a call came in fewer than two deltas';
    if (argumentsLeftEarly?.some((early) => !early)) return 'no delta left before the call was closed';
    return undefined;
  },

  everyToolResultMatchesNearestPrecedingCall: (of, outcome) => {
    const before = inputMessages(of);
    const after = outputMessages(outcome);
    if (before.length !== after.length) return `${before.length} messages went in, ${after.length} came out`;
    const expected = answeredCalls(before).map(([at, call]) => after[at]?.toolCalls[call]?.id);
    const actual = after.filter(({ role }) => role === 'tool').map(({ toolCallId }) => toolCallId);
    const wrong = actual.findIndex((id, at) => id === undefined || id !== expected[at]);
    return wrong === -1 ? undefined : `result ${wrong} refers to ${actual[wrong]}, not to ${expected[wrong]}`;
  },

  argumentsUnchanged: (of, outcome) => {
    const all = (messages: readonly Message[]): string =>
      JSON.stringify(messages.map(({ toolCalls }) => toolCalls.map((call) => call.arguments)));
    return all(inputMessages(of)) === all(outputMessages(outcome)) ? undefined : 'arguments were changed';
  },

  reasoningUnchanged: (of, outcome) => {
    const all = (messages: readonly Message[]): string =>
      JSON.stringify(messages.map(({ reasoning }) => reasoning ?? null));
    return all(inputMessages(of)) === all(outputMessages(outcome)) ? undefined : 'reasoning was changed';
  },
};

function joinedDeltasAreArguments(outcome: TurnOutcome): string[] {
  const { argumentDeltas, toolCalls } = outcome;
  if (argumentDeltas === undefined) return [];
  if (argumentDeltas.length !== toolCalls.length) {
    return [`argumentDeltas: of ${argumentDeltas.length} calls, but there are ${toolCalls.length}`];
  }
  return toolCalls.flatMap((call, at) => {
    const joined = argumentDeltas[at]?.join('');
    if (joined === call.arguments) return [];
    return [
      `argumentDeltas[${at}]: join to ${JSON.stringify(joined)}, not to ${JSON.stringify(call.arguments)}`,
    ];
  });
}

function toolCallIds(outcome: Outcome): unknown[] {
  if ('toolCalls' in outcome) return outcome.toolCalls.map(({ id }) => id);
  return outputMessages(outcome).flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id));
}

/** The fields of a history message that invariants look at. */
interface Message {
  readonly role: unknown;
  readonly toolCallId: unknown;
  readonly reasoning: unknown;
  readonly toolCalls: readonly { readonly id: unknown; readonly arguments: unknown }[];
}

function inputMessages(of: CorpusCase): Message[] {
  return of.input.kind === 'history' ? of.input.messages.map(toMessage) : [];
}

function outputMessages(outcome: Outcome): Message[] {
  return ((outcome as RequestOutcome).messages ?? []).map(toMessage);
}

function toMessage(value: unknown): Message {
  const message = isObject(value) ? value : {};
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  return {
    role: message.role,
    toolCallId: message.tool_call_id,
    reasoning: message.reasoning_content,
    toolCalls: calls.filter(isObject).map((call) => ({
      id: call.id,
      arguments: isObject(call.function) ? call.function.arguments : undefined,
    })),
  };
}

/**
 * For each tool result the place of the call it answers: in the nearest earlier message with a call
 * of that id, the first one of that id that has no answer yet.
 */
function answeredCalls(messages: readonly Message[]): [message: number, call: number][] {
  const answered = new Set<unknown>();
  return messages.flatMap((message, at) => {
    if (message.role !== 'tool') return [];
    for (let earlier = at - 1; earlier >= 0; earlier -= 1) {
      const calls = messages[earlier]?.toolCalls ?? [];
      const call = calls.findIndex((one) => one.id === message.toolCallId && !answered.has(one));
      if (call === -1) continue;
      answered.add(calls[call]);
      return [[earlier, call] as [number, number]];
    }
    return [[-1, -1] as [number, number]];
  });
}
