import type { ModelProfile } from '../grammar/models.ts';
import type { ToolDefinition } from '../grammar/tools.ts';
import { type HistoryOptions, rewriteHistory, type StoredTextReader, toProfile } from './history.ts';
import { isObject, type JsonObject, listOf, mapShared, textOf, withChanges } from './json.ts';
import { normalizeParameters, readThinking, type ThinkingOption } from './parameters.ts';
import { createRequestLog, type RequestLog, type RequestProblem } from './request-problems.ts';
import { type Endpoint, type RequestRules, resolveRules } from './request-rules.ts';
import type { ToolCallIdMap } from './tool-call-ids.ts';
import { nameTools, type ToolNames } from './tool-names.ts';
import { rewriteToolSchema } from './tool-schema.ts';

/** Each part can be switched off; what is off is sent as it was given. */
export interface RequestOptions {
  /** Model id, family (`k2.5`), or profile. Default: the body's `model`. */
  model?: string | ModelProfile | undefined;
  /** Who answers. Default `router`: what suits both Moonshot's API and an engine. */
  endpoint?: Endpoint | undefined;
  /**
   * Thinking on or off, in the words of model and endpoint (`thinking`, `reasoning_effort`,
   * `chat_template_kwargs`), in place of what the body says. Default: what the body says.
   */
  thinking?: boolean | ThinkingOption | undefined;
  /** Throw a `KimiRequestError` where the request would ask for less than the caller did. Default false. */
  strict?: boolean | undefined;
  /**
   * Rewrite the ids of calls for the model. Default: for K2 models except at Moonshot's API, which
   * does that itself. `true`: there too.
   */
  ids?: boolean | undefined;
  /** Put contents, arguments and stored text of messages right. Default true. */
  messages?: boolean | undefined;
  /** Gather, recall and fill in reasoning. Default true. */
  reasoning?: boolean | undefined;
  /**
   * Put a space where a turn with calls has no reasoning, while the model thinks. Default true; a prompt that is
   * rendered from the body needs none.
   */
  reasoningPlaceholder?: boolean | undefined;
  /** Write the schemas of tools, and that of `response_format`, as the endpoint takes them. Default true. */
  toolSchemas?: boolean | undefined;
  /** Send tools whose name the endpoint refuses under an alias. Default true. */
  toolNames?: boolean | undefined;
  /** Drop and rewrite parameters. Default true. */
  parameters?: boolean | undefined;
  /** See `HistoryOptions`. */
  recallReasoning?: HistoryOptions['recallReasoning'];
}

/** A request that can be sent, and what was done to it. */
export interface NormalizedRequest<Body> {
  /** What to send: the given object if nothing had to change. */
  body: Body;
  /** What was changed or may be refused; paths begin at the body. */
  problems: RequestProblem[];
  /** From the ids of calls as sent to the caller's own. */
  ids: ToolCallIdMap;
  /** From the names of tools as sent to the caller's own; only those that differ. */
  toolNames: ReadonlyMap<string, string>;
}

export function rewriteRequest(
  given: JsonObject,
  options: RequestOptions,
  reader: StoredTextReader,
): NormalizedRequest<JsonObject> {
  const log = createRequestLog();
  const profile = toProfile(options.model ?? textOf(given.model));
  if (profile.family === 'unknown')
    return { body: given, problems: log.problems, ids: new Map(), toolNames: new Map() };
  const rules = resolveRules(profile.family, options.endpoint ?? 'router');
  const flavored = rules.schemas === 'flavored' && options.toolSchemas !== false;
  const { tools, names } = rewriteTools(given, rules, options, flavored, log);
  const parameters =
    options.parameters === false
      ? { body: given, ...readThinking(given, rules) }
      : normalizeParameters(given, rules, options.thinking, log);
  const history = Array.isArray(given.messages)
    ? rewriteHistory(given.messages, {
        profile,
        rules: { ...rules, ids: idsMode(profile, rules, options.ids) },
        base: '/messages',
        continued: given.continue_final_message === true,
        tools: listOf(tools).filter(isFunctionTool),
        toolNames: names.sent,
        thinking: parameters.thinking,
        reasoningPlaceholder: options.reasoningPlaceholder,
        preserveThinking: parameters.preserveThinking,
        messages: options.messages,
        reasoning: options.reasoning,
        recallReasoning: options.recallReasoning,
        log,
        reader,
      })
    : undefined;
  log.finish(options.strict);
  return {
    body: withChanges(parameters.body, {
      ...(tools && { tools }),
      ...(history && { messages: history.messages }),
      ...(flavored && { response_format: rewriteResponseFormat(parameters.body.response_format, log) }),
      tool_choice: renameChoice(parameters.body.tool_choice, names),
    }),
    problems: log.problems,
    ids: history?.ids ?? new Map(),
    toolNames: names.own,
  };
}

function idsMode(
  { grammar }: ModelProfile,
  rules: RequestRules,
  wanted: boolean | undefined,
): RequestRules['ids'] {
  if (wanted === undefined) return rules.ids;
  return wanted ? (grammar === 'k3' ? 'unique' : 'canonical') : 'keep';
}

function isFunctionTool(tool: unknown): tool is ToolDefinition {
  return isObject(tool) && isObject(tool.function) && textOf(tool.function.name) !== '';
}

function rewriteTools(
  { tools }: JsonObject,
  rules: RequestRules,
  options: RequestOptions,
  flavored: boolean,
  log: RequestLog,
): { tools: readonly unknown[] | undefined; names: ToolNames } {
  const list = listOf(tools);
  if (list.length > rules.mostTools && options.parameters !== false) {
    log.refuse(
      'too-many-tools',
      '/tools',
      `${list.length} tools are offered; the endpoint takes ${rules.mostTools}.`,
    );
  }
  const longest = options.toolNames === false ? Number.POSITIVE_INFINITY : rules.longestToolName;
  const names = nameTools(list, longest, '/tools', log);
  if (!flavored && names.own.size === 0) return { tools: undefined, names };
  const rewritten = mapShared(list, (tool, at) => {
    if (!isObject(tool) || !isObject(tool.function)) return tool;
    const { parameters, name } = tool.function;
    const schema =
      flavored && parameters !== undefined && parameters !== null
        ? rewriteToolSchema(parameters, `/tools/${at}/function/parameters`, log, textOf(name))
        : parameters;
    return withChanges(tool, {
      function: withChanges(tool.function, { name: names.aliases[at] ?? name, parameters: schema }),
    });
  });
  return { tools: Array.isArray(tools) ? rewritten : undefined, names };
}

/** The server checks the schema of an answer as those of tools. */
function rewriteResponseFormat(format: unknown, log: RequestLog): unknown {
  if (!isObject(format) || !isObject(format.json_schema)) return format;
  const { schema } = format.json_schema;
  if (schema === undefined || schema === null) return format;
  const written = rewriteToolSchema(schema, '/response_format/json_schema/schema', log, '');
  return withChanges(format, { json_schema: withChanges(format.json_schema, { schema: written }) });
}

function renameChoice(choice: unknown, { sent }: ToolNames): unknown {
  if (!isObject(choice) || !isObject(choice.function)) return choice;
  const name = sent.get(textOf(choice.function.name));
  return name === undefined ? choice : { ...choice, function: { ...choice.function, name } };
}
