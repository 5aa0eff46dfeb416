import { formatToolCallId } from '../grammar/tool-call-id.ts';
import { isObject, type JsonObject, listOf, mapShared, textOf, withChanges } from './json.ts';
import type { RequestLog } from './request-problems.ts';
import type { RequestRules } from './request-rules.ts';

/** From the id of each call as it is sent to the caller's own; both are equal where nothing was changed. */
export type ToolCallIdMap = ReadonlyMap<string, string>;

interface Call {
  sent: string;
  answered: boolean;
  path: string;
}

/** Calls of one message that share an id; `next` is the first that may be unanswered. */
interface Group {
  calls: Call[];
  next: number;
}

/**
 * Gives every call of a history its id and lets every tool result follow its call.
 *
 * A result belongs to the nearest earlier call with its id, the first unanswered one where a turn has
 * the id several times. A result that no id connects belongs to the first unanswered call of the turn
 * in front of it. One that is left over stays as it is, and so does a call without a result: both are
 * reported, as an endpoint may refuse them, and nothing is invented or thrown away for them.
 */
export function normalizeToolCallIds(
  messages: readonly unknown[],
  mode: RequestRules['ids'],
  base: string,
  log: RequestLog,
): { messages: readonly unknown[]; ids: ToolCallIdMap } {
  const ids = new Map<string, string>();
  const giveId = createIds(messages, mode);
  /** By id those of the nearest message that has it. */
  const groups = new Map<string, Group>();
  const latest = new Map<string, Call>();
  /** The calls of the assistant message in front of the results being read. */
  let turn: Call[] = [];
  let rewritten = false;

  function readCalls(message: JsonObject, path: string): JsonObject {
    turn = [];
    const ofMessage = new Map<string, Group>();
    const calls = mapShared(listOf(message.tool_calls), (call, at) => {
      if (!isObject(call) || !isObject(call.function)) return call;
      const own = textOf(call.id);
      const entry: Call = {
        sent: giveId(textOf(call.function.name), own),
        answered: false,
        path: `${path}/tool_calls/${at}`,
      };
      turn.push(entry);
      if (own !== '') {
        latest.set(own, entry);
        const group = ofMessage.get(own);
        if (group) group.calls.push(entry);
        else ofMessage.set(own, { calls: [entry], next: 0 });
      }
      if (entry.sent === '') return call;
      ids.set(entry.sent, own || entry.sent);
      if (own !== '' && own !== entry.sent) reportRewritten(`${entry.path}/id`);
      return withChanges(call, { id: entry.sent });
    });
    for (const [own, group] of ofMessage) groups.set(own, group);
    return calls.length > 0 ? withChanges(message, { tool_calls: calls }) : message;
  }

  /** Once for a history: that ids are foreign is a property of the caller, not of each call. */
  function reportRewritten(path: string): void {
    if (!rewritten) log.report('id-rewritten', path, 'Ids of calls were replaced, here and in what follows.');
    rewritten = true;
  }

  /** A result that comes a second time is no answer to an older call of the same id. */
  function takeById(own: string): Call | undefined {
    const group = groups.get(own);
    while (group && group.next < group.calls.length) {
      const call = group.calls[group.next++] as Call;
      if (call.answered) continue;
      call.answered = true;
      return call;
    }
    return undefined;
  }

  /** Results that name their call come first, so that none is taken from them. */
  function readResults(results: readonly JsonObject[], from: number): JsonObject[] {
    const named = results.map(({ tool_call_id }) => takeById(textOf(tool_call_id)));
    let next = 0;
    return results.map((result, at) => {
      let call = named[at];
      const own = textOf(result.tool_call_id);
      if (!call && !latest.has(own)) {
        while (turn[next]?.answered) next++;
        call = turn[next];
        if (call) call.answered = true;
      }
      if (!call) {
        log.report('unmatched-result', `${base}/${from + at}`, 'The tool result answers no call.');
        call = latest.get(own);
      }
      return call?.sent ? withChanges(result, { tool_call_id: call.sent }) : result;
    });
  }

  function closeTurn(): void {
    const open = turn.find(({ answered }) => !answered);
    if (open) log.report('unanswered-call', open.path, 'No tool result answers the call.');
    turn = [];
  }

  const normalized: unknown[] = [];
  while (normalized.length < messages.length) {
    const at = normalized.length;
    const message = messages[at];
    if (isResult(message)) {
      let end = at;
      while (isResult(messages[end])) end++;
      for (const result of readResults(messages.slice(at, end) as JsonObject[], at)) normalized.push(result);
      continue;
    }
    closeTurn();
    const hasCalls = isObject(message) && message.role === 'assistant';
    normalized.push(hasCalls ? readCalls(message, `${base}/${at}`) : message);
  }
  closeTurn();
  return { messages: mapShared(messages, (_, at) => normalized[at]), ids };
}

export function isResult(message: unknown): message is JsonObject {
  return isObject(message) && message.role === 'tool';
}

/** Called for each call in order; an empty id is none. */
function createIds(
  messages: readonly unknown[],
  mode: RequestRules['ids'],
): (name: string, own: string) => string {
  if (mode === 'keep') return (_, own) => own;
  if (mode === 'canonical') {
    let number = 0;
    // A call without a name keeps its place in the count.
    return (name) => (name === '' ? `functions.:${number++}` : formatToolCallId(name, number++));
  }
  const taken = new Set<string>();
  for (const message of messages) {
    if (!isObject(message)) continue;
    for (const call of listOf(message.tool_calls)) if (isObject(call)) taken.add(textOf(call.id));
  }
  const given = new Set<string>();
  const repeats = new Map<string, number>();
  return (_, own) => {
    let id = own || 'call';
    if (own === '' || given.has(own)) {
      const stem = id;
      let number = repeats.get(stem) ?? 1;
      do id = `${stem}_${++number}`;
      while (taken.has(id) || given.has(id));
      repeats.set(stem, number);
    }
    given.add(id);
    return id;
  };
}
