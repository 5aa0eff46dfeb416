import { toJson } from '../to-json.ts';
import { isObject, type JsonObject, listOf, share } from './json.ts';
import type { RequestLog } from './request-problems.ts';
import type { RequestRules } from './request-rules.ts';

/** Thinking as the caller wants it, in whatever words the endpoint has for it. */
export interface ThinkingOption {
  /** Keep the reasoning of finished turns, where the model can be asked to (K2.6). */
  preserve?: boolean | undefined;
  /** How much, where the model has levels (K3). */
  effort?: 'low' | 'medium' | 'high' | 'max' | undefined;
}

export interface ThinkingState {
  /** Whether the model will think; by the request, or else by its default. */
  thinking: boolean;
  /** Whether it is asked to keep the reasoning of finished turns. */
  preserveThinking: boolean;
}

export interface NormalizedParameters extends ThinkingState {
  body: JsonObject;
}

/** Values that a pinned parameter may have. */
const NEUTRAL: JsonObject = { n: 1, presence_penalty: 0, frequency_penalty: 0, store: false };

const BESIDE_THINKING = 'The endpoint refuses it beside thinking.';

export function readThinking(body: JsonObject, rules: RequestRules): ThinkingState {
  const { type, keep } = isObject(body.thinking) ? body.thinking : ({} as JsonObject);
  const { thinking, preserve_thinking } = templateArguments(body);
  // Where both speak, the one that the endpoint reads counts.
  const template = rules.thinkingField === 'chat_template_kwargs' && typeof thinking === 'boolean';
  const off = template ? !thinking : type === 'disabled' || thinking === false;
  return {
    thinking: rules.thinking === 'always' || (rules.thinking !== 'none' && !off),
    preserveThinking: keep === 'all' || preserve_thinking === true,
  };
}

function templateArguments({ chat_template_kwargs }: JsonObject): JsonObject {
  return isObject(chat_template_kwargs) ? chat_template_kwargs : {};
}

/** Writes the fields beside messages and tools as the endpoint has them. What is given up is reported. */
export function normalizeParameters(
  given: JsonObject,
  rules: RequestRules,
  option: boolean | ThinkingOption | undefined,
  log: RequestLog,
): NormalizedParameters {
  const body: Record<string, unknown> = { ...given };
  const isSet = (key: string) => body[key] !== undefined && body[key] !== null;

  function drop(key: string, why: string): void {
    if (isSet(key)) log.report('param-dropped', `/${key}`, why);
    delete body[key];
  }
  function change(key: string, value: unknown, why: string): void {
    log.report('param-changed', `/${key}`, why);
    body[key] = value;
  }

  for (const key of rules.dropped) {
    if (isSet(key) && body[key] !== NEUTRAL[key])
      drop(key, 'The endpoint refuses this parameter, or any other value than its own.');
  }
  if (body.store === false && rules.dropped.includes('store')) {
    change('store', undefined, 'The endpoint does not know it, and stores nothing.');
    delete body.store;
  }
  renameTokenLimit();
  if (option !== undefined) applyOption(typeof option === 'object' ? option : {}, option !== false);
  if (rules.thinkingField === 'thinking') readTemplateArguments();
  if (rules.thinking === 'effort') normalizeEffort();
  else if (rules.thinking !== 'none') normalizeSwitch(rules.thinking);
  normalizeForcedTool();
  const thinking = readThinking(body, rules);
  if (rules.thinkingField === 'chat_template_kwargs') writeTemplateArguments();
  for (const key of ['thinking', 'chat_template_kwargs'])
    if (toJson(body[key]) === toJson(given[key]) && key in given) body[key] = given[key];
  return { body: share(given, body), ...thinking };

  function renameTokenLimit(): void {
    const { tokenLimit } = rules;
    if (!tokenLimit) return;
    const other = tokenLimit === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
    if (!isSet(other)) return;
    if (isSet(tokenLimit)) {
      drop(other, `Given beside ${tokenLimit}, which the endpoint takes.`);
      return;
    }
    change(tokenLimit, body[other], `Was ${other}, which the endpoint may not know.`);
    delete body[other];
  }

  /** The one option stands in for the fields that other endpoints have. */
  function applyOption({ preserve, effort }: ThinkingOption, on: boolean): void {
    const noSuch = (what: string) => log.report('param-dropped', '/thinking', `The model has no ${what}.`);
    if (effort !== undefined && rules.thinking !== 'effort') noSuch('levels of thinking');
    if (preserve !== undefined && on && rules.keepsReasoning === 'never')
      noSuch('way to keep the reasoning of finished turns');
    if (rules.thinking === 'none' || rules.thinking === 'always') {
      if (on !== (rules.thinking === 'always')) noSuch(on ? 'thinking' : 'way to stop thinking');
      return;
    }
    const keeps = on && preserve !== undefined && rules.keepsReasoning === 'asked';
    body.thinking = { type: on ? 'enabled' : 'disabled', ...(keeps && { keep: preserve ? 'all' : null }) };
    if (rules.thinking === 'switch') delete body.reasoning_effort;
    else if (effort !== undefined) body.reasoning_effort = effort;
    const { thinking: _, preserve_thinking: __, ...rest } = templateArguments(body);
    if (isSet('chat_template_kwargs')) body.chat_template_kwargs = rest;
  }

  /** Moonshot's API has no template arguments: takes over what they say about thinking. */
  function readTemplateArguments(): void {
    if (!isSet('chat_template_kwargs')) return;
    const { thinking, preserve_thinking: preserve, ...others } = templateArguments(body);
    if (typeof thinking !== 'boolean' || isSet('thinking') || rules.thinking !== 'switch') {
      drop('chat_template_kwargs', 'The endpoint has no template arguments.');
      return;
    }
    const keeps = thinking && typeof preserve === 'boolean' && rules.keepsReasoning === 'asked';
    const keep = preserve ? 'all' : null;
    const value = { type: thinking ? 'enabled' : 'disabled', ...(keeps && { keep }) };
    change('thinking', value, 'Was in chat_template_kwargs, which the endpoint does not have.');
    const isLost = Object.values(others).some((other) => other !== undefined && other !== null);
    if (isLost || (preserve && !keeps))
      drop('chat_template_kwargs', 'The endpoint has no template arguments; not all of them can be said.');
    else delete body.chat_template_kwargs;
  }

  /** MoonshotAI/Kimi-K3#45, lemon07r/opencode-kimi-full#11 */
  function normalizeEffort(): void {
    if (rules.thinkingField === 'chat_template_kwargs') return;
    const effort = isObject(body.thinking) ? body.thinking.effort : undefined;
    if (typeof effort === 'string' && !isSet('reasoning_effort'))
      change('reasoning_effort', effort, 'Was in thinking, which the model does not have.');
    if (option === undefined || option === false)
      drop('thinking', 'The model is steered by reasoning_effort only, and always thinks.');
    else delete body.thinking;
  }

  function normalizeSwitch(kind: 'always' | 'switch'): void {
    const { thinking } = body;
    if (typeof thinking === 'boolean') {
      if (rules.thinkingField === 'chat_template_kwargs')
        change('thinking', { type: thinking ? 'enabled' : 'disabled' }, 'Was a boolean.');
      else drop('thinking', 'A boolean is refused; the field is an object.');
    }
    if (!isObject(body.thinking)) return;
    // HKUDS/nanobot#3939
    drop('reasoning_effort', BESIDE_THINKING);
    if (kind === 'always' && body.thinking.type !== 'enabled')
      drop('thinking', 'The model cannot be told to stop thinking.');
    else if (
      rules.keepsReasoning === 'asked' &&
      body.thinking.type === 'enabled' &&
      body.thinking.keep === undefined &&
      listOf(body.tools).length > 0
    ) {
      const kept = { ...body.thinking, keep: 'all' };
      change('thinking', kept, 'Tool loops need the reasoning of earlier steps; keep was added.');
    }
  }

  /** can1357/oh-my-pi#1077, UKGovernmentBEIS/inspect_ai#5152 */
  function normalizeForcedTool(): void {
    const { tool_choice: choice } = body;
    const named = isObject(choice) && isObject(choice.function);
    // Behind a router either of two fields that contradict each other may be read.
    const mayThink =
      readThinking(body, rules).thinking ||
      templateArguments(body).thinking === true ||
      (isObject(body.thinking) && body.thinking.type === 'enabled');
    if ((choice !== 'required' && !named) || rules.forcedTool === 'keep' || !mayThink) return;
    if (rules.forcedTool === 'thinking-off') {
      body.thinking = { type: 'disabled' };
      if (isObject(body.chat_template_kwargs))
        body.chat_template_kwargs = { ...body.chat_template_kwargs, thinking: false };
      drop('reasoning_effort', BESIDE_THINKING);
      const why = 'The endpoint refuses a forced tool while the model thinks.';
      log.report('thinking-disabled-for-forced-tool', '/thinking', why);
    } else if (rules.forcedTool === 'auto' || named) {
      body.tool_choice = rules.forcedTool;
      const why = `The endpoint refuses this choice while the model thinks; sent as ${rules.forcedTool}.`;
      log.report('tool-choice-downgraded', '/tool_choice', why);
    }
  }

  /** ggml-org/llama.cpp#19234: engines do not know `thinking`, and pass on the arguments of the template. */
  function writeTemplateArguments(): void {
    if (rules.thinking !== 'switch' && rules.thinking !== 'effort') return;
    const { thinking, reasoning_effort: level } = body;
    const { type, keep, effort = level } = isObject(thinking) ? thinking : ({} as JsonObject);
    const hasEffort = rules.thinking === 'effort' && typeof effort === 'string';
    if (type === undefined && !hasEffort) return;
    const value = {
      ...(type !== undefined && { thinking: type !== 'disabled' }),
      ...(keep === 'all' && type !== 'disabled' && { preserve_thinking: true }),
      ...(hasEffort && { thinking_effort: effort }),
      ...templateArguments(body),
    };
    delete body.thinking;
    if (hasEffort) delete body.reasoning_effort;
    if (option === undefined)
      change('chat_template_kwargs', value, 'Engines take the switches of thinking as template arguments.');
    else body.chat_template_kwargs = value;
  }
}
