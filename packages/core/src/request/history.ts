import { type ModelProfile, resolveModel } from '../grammar/models.ts';
import type { ProblemCode } from '../grammar/problems.ts';
import type { ToolDefinition } from '../grammar/tools.ts';
import { toJson } from '../to-json.ts';
import { isObject, type JsonObject, listOf, mapShared, share, textOf, withChanges } from './json.ts';
import { foldReasoning, writeReasoning } from './reasoning.ts';
import type { RequestLog, RequestProblem } from './request-problems.ts';
import type { RequestRules } from './request-rules.ts';
import { isResult, normalizeToolCallIds, type ToolCallIdMap } from './tool-call-ids.ts';
import { clean, cleanTexts, toWireMessages } from './wire-messages.ts';

/** How a history is to be put right. */
export interface HistoryOptions {
  /**
   * Whether the model is asked to think. With `true`, a turn with calls that has no reasoning gets a
   * single space in its place, as servers refuse it otherwise. Default: not asked for.
   */
  thinking?: boolean | undefined;
  /** The model is asked to keep the reasoning of finished turns (K2.6). Default false. */
  preserveThinking?: boolean | undefined;
  /** The tools of the request, for calls in stored text that do not name theirs plainly. */
  tools?: readonly ToolDefinition[] | undefined;
  /**
   * Ids of calls: `functions.NAME:N`, counted over the history; or any, each once; or as they are.
   * Default: `canonical` for K2 models, `unique` for K3, whose prompts hold no ids.
   */
  ids?: 'canonical' | 'unique' | 'keep' | undefined;
  /** Put message contents, arguments and stored text right. Default true. */
  messages?: boolean | undefined;
  /** Gather, recall and fill in reasoning. Default true. */
  reasoning?: boolean | undefined;
  /**
   * Asked for the reasoning of an assistant message that came without, where the model needs it.
   * Gets the message as it was given, and its position; returns `undefined` for "not known".
   */
  recallReasoning?: ((message: JsonObject, index: number) => string | undefined) | undefined;
  /** Throw where reasoning had to be made up. Default false. */
  strict?: boolean | undefined;
}

/** A history that can be sent, and what was done to it. */
export interface NormalizedHistory<Messages extends readonly object[]> {
  /** The messages to send; the list and messages that needed nothing are the given ones. */
  messages: Messages;
  /** What was changed or may be refused; paths begin at the list of messages. */
  problems: RequestProblem[];
  /** From the ids of calls as sent to the caller's own. */
  ids: ToolCallIdMap;
}

/** What reads the model's text, lent by whoever stands above this station and the parser. */
export interface StoredTextReader {
  /** Reads the text of a stored reply: its calls, and what is left of both fields. */
  readReply(
    reply: { reasoning: string; content: string },
    options: { tools: readonly ToolDefinition[] | undefined; calls: boolean },
  ): StoredReply;
  /** The arguments of one call, put right; not `valid` where they are no JSON object. */
  readArguments(text: string): { text: string; repaired: boolean; valid: boolean };
}

export interface StoredReply {
  reasoning: string;
  content: string;
  calls: readonly { id: string; name: string; arguments: string }[];
  problems: readonly ProblemCode[];
}

/** What one pass over a history needs to know. */
export interface HistorySettings extends Omit<HistoryOptions, 'strict' | 'ids'> {
  profile: ModelProfile;
  rules: RequestRules;
  /** The body asks for the last message to be continued (`continue_final_message`). Default false. */
  continued?: boolean | undefined;
  /** JSON pointer of the list. */
  base: string;
  /** Default true. */
  reasoningPlaceholder?: boolean | undefined;
  /** From the caller's tool names to those that are sent. */
  toolNames: ReadonlyMap<string, string>;
  log: RequestLog;
  reader: StoredTextReader;
}

/** Special tokens that a client may have stored as text. */
const LEAKED = /<\/?think>|<\| ?(?:tool_call|im_end)/;
/** About the end of a reply; of no use for one that is long over. */
const ABOUT_THE_END: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'empty-turn',
  'missing-call',
  'reasoning-exhausted-budget',
  'stream-ended-early',
  'suspected-tool-call',
]);
/** What is missing is refused (mastra-ai/mastra#12592), and so is nothing; this is not (openclaw/openclaw#70565). */
const PLACEHOLDER = ' ';

export function rewriteHistory(
  given: readonly unknown[],
  settings: HistorySettings,
): { messages: readonly unknown[]; ids: ToolCallIdMap } {
  const { rules, base, log, profile, reader, toolNames } = settings;
  const keepsReasoning =
    rules.keepsReasoning === 'always' || (rules.keepsReasoning === 'asked' && settings.preserveThinking);

  function toCall(call: unknown, path: string): unknown {
    if (!isObject(call) || !isObject(call.function)) return call;
    const { name, arguments: args } = call.function;
    const sentName = toolNames.get(textOf(name)) ?? name;
    if (settings.messages === false)
      return withChanges(call, { function: withChanges(call.function, { name: sentName }) });
    const text = typeof args === 'string' ? args : args === undefined || args === null ? '' : toJson(args);
    let read = reader.readArguments(text);
    // In a string it was escaped; anywhere else it means nothing.
    if (read.text.includes('\0')) read = reader.readArguments(clean(read.text));
    if (read.repaired) log.report('arguments-repaired', path, 'The arguments of the call were put right.');
    if (!read.valid)
      log.report('invalid-arguments', path, 'The arguments of the call are not a JSON object.');
    return withChanges(call, {
      type: call.type ?? 'function',
      function: withChanges(call.function, { name: sentName, arguments: read.text }),
    });
  }

  /** Special tokens in stored text would be tokens again in the next prompt: reads them as what they are. */
  function readLeaks(message: JsonObject, index: number): JsonObject {
    const path = `${base}/${index}`;
    const content = textOf(message.content);
    const reasoning = textOf(message.reasoning_content);
    if (!LEAKED.test(content) && !LEAKED.test(reasoning)) return message;
    const calls = listOf(message.tool_calls);
    const read = reader.readReply(
      { reasoning, content },
      { tools: settings.tools, calls: calls.length === 0 },
    );
    // Text that is accepted is not to become a call that is refused.
    if (read.calls.length > 0 && rules.answersDemanded && !isResult(given[index + 1])) {
      log.report(
        'unanswered-call',
        path,
        'Calls stand in the stored text; as nobody answered them, they stay.',
      );
      return message;
    }
    for (const code of new Set(read.problems)) {
      if (!ABOUT_THE_END.has(code)) log.report(code, path, 'Found in the stored text of the reply.');
    }
    if (read.calls.length > 0)
      log.report('text-call-recovered', path, 'Calls were read from the stored text of the reply.');
    return withChanges(message, {
      content: read.content === content ? message.content : read.content || null,
      ...(read.reasoning !== reasoning && { reasoning_content: read.reasoning || undefined }),
      ...(read.calls.length > 0 && {
        tool_calls: read.calls.map(({ id, name, arguments: args }) => ({
          id,
          type: 'function',
          function: { name, arguments: args },
        })),
      }),
    });
  }

  function addReasoning(message: JsonObject, original: unknown, index: number): JsonObject {
    const folded = foldReasoning(message);
    const hasCalls = listOf(message.tool_calls).length > 0;
    const thinks = profile.thinking !== 'none' && settings.thinking !== false;
    if (folded.text.trim() === '' && thinks && (hasCalls || keepsReasoning)) {
      const recalled = settings.recallReasoning?.(original as JsonObject, index);
      if (recalled) folded.text = settings.messages === false ? recalled : clean(recalled);
      if (folded.text === '' && hasCalls && settings.thinking && settings.reasoningPlaceholder !== false) {
        folded.text = PLACEHOLDER;
        log.report(
          'reasoning-placeholder-inserted',
          `${base}/${index}`,
          'The turn has calls but no reasoning, which servers refuse; a space was put in its place.',
        );
      }
    }
    return writeReasoning(message, folded, rules.reasoningFields);
  }

  function toAssistant(message: JsonObject, original: unknown, index: number): JsonObject {
    const path = `${base}/${index}`;
    // Gathered first: what leaked stands in the field that the client kept the reasoning in.
    let result =
      settings.reasoning === false
        ? message
        : writeReasoning(message, foldReasoning(message), ['reasoning_content']);
    if (settings.messages !== false) {
      result = readLeaks(cleanTexts(result), index);
    }
    const calls = mapShared(listOf(result.tool_calls), (call, at) =>
      toCall(call, `${path}/tool_calls/${at}/function/arguments`),
    );
    if (calls.length > 0) {
      result = withChanges(result, {
        tool_calls: calls,
        ...(settings.messages !== false && { content: result.content || null }),
      });
    }
    return settings.reasoning === false ? result : share(message, addReasoning(result, original, index));
  }

  /** A prefill ends where the model is to go on: half a thought or call is no damage there. */
  function isContinued(message: JsonObject, index: number): boolean {
    const asked = settings.continued || message.partial === true;
    return asked && message.role === 'assistant' && index === given.length - 1;
  }

  function toMessages(message: unknown, index: number): readonly unknown[] {
    if (!isObject(message)) return [message];
    const continued = isContinued(message, index);
    const wired = settings.messages === false || continued ? [message] : toWireMessages(message);
    return wired.map((one) => {
      if (one.role === 'assistant' && !continued) return toAssistant(one, message, index);
      return settings.messages === false ? one : cleanTexts(one);
    });
  }

  const rewritten = given.flatMap(toMessages);
  const shared = rewritten.length === given.length ? mapShared(given, (_, at) => rewritten[at]) : rewritten;
  return normalizeToolCallIds(shared, rules.ids, base, log);
}

/** The profile of a model id; a profile as it is. */
export function toProfile(model: string | ModelProfile): ModelProfile {
  return typeof model === 'string' ? resolveModel(model) : model;
}
