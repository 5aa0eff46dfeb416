import type { ModelProfile } from './grammar/models.ts';
import { expectObject, expectOption } from './kimi-error.ts';
import { createArgumentReader } from './parse/arguments.ts';
import { createAssembler } from './parse/assembler.ts';
import { createParser } from './parse/parser.ts';
import {
  type HistoryOptions,
  type NormalizedHistory,
  rewriteHistory,
  type StoredTextReader,
  toProfile,
} from './request/history.ts';
import { isObject, type JsonObject } from './request/json.ts';
import { type NormalizedRequest, type RequestOptions, rewriteRequest } from './request/normalize-request.ts';
import { createRequestLog } from './request/request-problems.ts';
import { resolveRules } from './request/request-rules.ts';
import { type NormalizedSchema, rewriteToolSchema } from './request/tool-schema.ts';

/**
 * What the request side asks of the parser. It stands here, beside the front door, as no station of
 * the flow imports another.
 */
const reader: StoredTextReader = {
  readReply({ reasoning, content }, { tools, calls }) {
    const assembler = createAssembler();
    const parser = createParser({
      tools,
      toolChoice: calls ? 'auto' : 'none',
      recoverTextCalls: 'off',
      onEvent: assembler.push,
    });
    parser.feed(reasoning, 'reasoning');
    parser.feed(content);
    parser.end('stop');
    const { turn } = assembler;
    return {
      reasoning: turn.reasoning,
      content: turn.content,
      calls: turn.toolCalls,
      problems: turn.problems.map(({ code }) => code),
    };
  },
  readArguments(text) {
    // Valid JSON, by far the most of it, is not read a second time.
    try {
      if (isObject(JSON.parse(text))) return { text: text.trim(), repaired: false, valid: true };
    } catch {
      // Read below.
    }
    const scanner = createArgumentReader({ onDelta: () => {}, markup: true });
    const taken = scanner.takeText(text);
    const hasTail = typeof taken === 'object' && 'behind' in taken && taken.behind.trim() !== '';
    const read = scanner.finish();
    if (read.state === 'empty') return { text: '{}', repaired: false, valid: true };
    if (read.state === 'part') return { text: text.trim(), repaired: false, valid: false };
    return { text: read.text, repaired: read.repaired || hasTail, valid: read.isObject };
  },
};

/**
 * Makes the body of a chat completion request what the model was trained on and the endpoint accepts:
 * ids, reasoning and contents of the history, names and schemas of tools, parameters. Each change that
 * takes something away is reported.
 *
 * Bodies of models that are not Kimi models, and parts that need nothing, are returned as the given
 * objects; no input is changed. Messages and tools keep their number and order, save that an AI SDK
 * tool message with several results becomes one message for each. Idempotent.
 *
 * @param body OpenAI-shaped; `messages` may also be AI SDK model messages
 * @throws KimiRequestError for what the endpoint would refuse anyway: `too-many-tools`,
 *   `unresolvable-schema`; with `strict` for every loss
 * @throws KimiError naming the option that is wrong
 */
export function normalizeRequest<Body extends object>(
  body: Body,
  options: RequestOptions = {},
): NormalizedRequest<Body> {
  expectObject('body', body);
  expectObject('options', options);
  const { model, endpoint, thinking } = options;
  expectModel(model);
  const endpoints: unknown[] = [undefined, 'moonshot', 'self-hosted', 'router'];
  expectOption(endpoints.includes(endpoint), 'endpoint', "'moonshot', 'self-hosted' or 'router'", endpoint);
  const isThinking = thinking === undefined || typeof thinking === 'boolean' || isObject(thinking);
  expectOption(isThinking, 'thinking', 'a boolean or { preserve, effort }', thinking);
  expectRecall(options.recallReasoning);
  expectSwitches(options as JsonObject);
  expectSwitch('ids', options.ids);
  return rewriteRequest(
    body as JsonObject,
    options,
    reader,
  ) as NormalizedRequest<object> as NormalizedRequest<Body>;
}

/**
 * Makes a history what the model was trained on: ids, reasoning, contents, arguments. The part of
 * `normalizeRequest` that is about messages. A last message with `partial: true` is to be continued, and stays.
 *
 * @param messages OpenAI-shaped, or AI SDK model messages; never changed
 * @param model model id, family, or profile; with one that is no Kimi model the history is returned as it is
 * @throws KimiError naming the option that is wrong
 * @throws KimiRequestError with `strict`, where reasoning had to be made up
 */
export function normalizeHistory<Messages extends readonly object[]>(
  messages: Messages,
  model: string | ModelProfile,
  options: HistoryOptions = {},
): NormalizedHistory<Messages> {
  expectOption(Array.isArray(messages), 'messages', 'an array', messages);
  expectOption(model !== undefined, 'model', 'a model id, family or profile', model);
  expectModel(model);
  expectObject('options', options);
  const { ids, strict, ...settings } = options;
  const modes: unknown[] = [undefined, 'canonical', 'unique', 'keep'];
  expectOption(modes.includes(ids), 'ids', "'canonical', 'unique' or 'keep'", ids);
  expectRecall(options.recallReasoning);
  expectSwitches(options as JsonObject);
  expectSwitch('thinking', options.thinking);
  const log = createRequestLog();
  const profile = toProfile(model);
  if (profile.family === 'unknown') return { messages, problems: log.problems, ids: new Map() };
  const rules = resolveRules(profile.family);
  const rewritten = rewriteHistory(messages, {
    ...settings,
    profile,
    rules: { ...rules, ids: ids ?? rules.ids },
    base: '',
    toolNames: new Map(),
    log,
    reader,
  });
  log.finish(strict);
  return {
    messages: rewritten.messages as readonly unknown[] as Messages,
    problems: log.problems,
    ids: rewritten.ids,
  };
}

/**
 * Writes the JSON Schema of a tool's arguments in the subset that Moonshot's API takes. The given
 * schema is never changed, and stays the one to validate arguments with.
 *
 * - References are replaced by what they refer to, what stands beside them winning; those that are
 *   recursive stay, below `$defs`. `allOf` is merged, `oneOf` becomes `anyOf`, `const` an `enum`,
 *   `nullable` a type, a list of types beside other keywords an `anyOf`; what stands beside `anyOf`
 *   moves into its branches, tuples into `prefixItems`. Missing types are inferred.
 * - The root becomes one object: one validator refuses `type` beside `anyOf` there, another one a root
 *   without `type`.
 * - Keywords that the server refuses go. Where values are accepted that were not, that is
 *   `schema-relaxed`; short ones are told in the description.
 * - `null` in place of a keyword is its absence, `properties: []` (PHP) an empty object; any other malformed
 *   keyword that would be sent is refused.
 *
 * Without a problem, both schemas accept the same values, save that a type which was missing beside
 * other keywords is taken to have been meant.
 *
 * Source: MoonshotAI/walle, the server's checker, and its limits; section 7 of the corpus README.
 * @throws KimiRequestError with `unresolvable-schema` and a JSON pointer for what has no such form:
 *   boolean schemas, references out of the document or in circles, reserved property names, schemas
 *   that nothing can satisfy, sizes beyond the limits; with `strict` also where more is accepted
 */
export function normalizeToolSchema<Schema>(
  schema: Schema,
  options: { strict?: boolean | undefined } = {},
): NormalizedSchema<Schema> {
  expectSwitch('strict', options.strict);
  const log = createRequestLog();
  const rewritten = rewriteToolSchema(schema, '', log, '') as Schema;
  log.finish(options.strict);
  return { schema: rewritten, problems: log.problems };
}

function expectModel(model: unknown): void {
  const isModel = model === undefined || typeof model === 'string' || (isObject(model) && 'family' in model);
  expectOption(isModel, 'model', 'a model id, family or profile', model);
}

/** Those that are on or off wherever they are options. */
const SWITCHES = [
  'strict',
  'messages',
  'reasoning',
  'reasoningPlaceholder',
  'preserveThinking',
  'toolSchemas',
  'toolNames',
  'parameters',
];

function expectSwitches(options: JsonObject): void {
  for (const name of SWITCHES) expectSwitch(name, options[name]);
}

function expectSwitch(name: string, value: unknown): void {
  expectOption(value === undefined || typeof value === 'boolean', name, 'a boolean', value);
}

function expectRecall(recall: unknown): void {
  expectOption(recall === undefined || typeof recall === 'function', 'recallReasoning', 'a function', recall);
}
