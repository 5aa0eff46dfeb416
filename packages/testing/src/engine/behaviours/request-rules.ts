import { isObject } from '../../json.ts';
import type { Behaviour, RequestBody } from '../behaviour.ts';

export type RequestRule =
  | 'reasoning-replay-required'
  | 'empty-content-refused'
  | 'null-character-refused'
  | 'sampling-pinned'
  | 'forced-tool-refused'
  | 'thinking-beside-effort-refused'
  | 'tool-limit'
  | 'strict-tool-names'
  | 'type-beside-any-of-refused';

/** What some servers do not accept; status 400. A request that keeps the rule is answered as ever. */
export const requestRules: Readonly<Record<RequestRule, Behaviour>> = {
  'reasoning-replay-required': {
    doc: 'With thinking on, every assistant message with calls has to carry `reasoning_content`.',
    source: 'mastra-ai/mastra#12592, openclaw/openclaw#70565',
    refuse: (body) => {
      if (thinkingIsOff(body)) return undefined;
      const at = messagesOf(body).findIndex(
        (message) => callsOf(message).length > 0 && (message.reasoning_content ?? '') === '',
      );
      return at === -1
        ? undefined
        : `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`;
    },
  },
  'empty-content-refused': {
    doc: 'The content of an assistant message must not be an empty string.',
    source: 'vercel/ai#13744',
    refuse: (body) => {
      const at = messagesOf(body).findIndex(({ role, content }) => role === 'assistant' && content === '');
      return at === -1 ? undefined : `the message at position ${at} with role 'assistant' must not be empty`;
    },
  },
  'null-character-refused': {
    doc: 'No message may hold the character U+0000.',
    source: 'MoonshotAI/kimi-cli#99',
    refuse: (body) => {
      const at = messagesOf(body).findIndex(({ content }) =>
        JSON.stringify(content ?? '').includes('\\u0000'),
      );
      return at === -1 ? undefined : `the message at position ${at} holds a null character`;
    },
  },
  'sampling-pinned': {
    doc: 'Only `temperature` 1 and `top_p` 0.95 are allowed.',
    source: 'anomalyco/opencode#10811, xuy/sgo#1',
    refuse: ({ temperature = 1, top_p = 0.95 }) => {
      if (temperature !== 1) return 'invalid temperature: only 1 is allowed for this model';
      return top_p === 0.95 ? undefined : 'invalid top_p: only 0.95 is allowed for this model';
    },
  },
  'forced-tool-refused': {
    doc: 'With thinking on, `tool_choice` must be `auto` or `none`.',
    source: 'can1357/oh-my-pi#827',
    refuse: (body) => {
      const { tool_choice = 'auto' } = body;
      if (thinkingIsOff(body) || tool_choice === 'auto' || tool_choice === 'none') return undefined;
      const shown = typeof tool_choice === 'string' ? tool_choice : 'specified';
      return `tool_choice '${shown}' is incompatible with thinking enabled`;
    },
  },
  'thinking-beside-effort-refused': {
    doc: '`thinking` and `reasoning_effort` must not be set together.',
    source: 'HKUDS/nanobot#3939',
    refuse: ({ thinking, reasoning_effort }) =>
      thinking === undefined || reasoning_effort === undefined
        ? undefined
        : 'thinking and reasoning_effort cannot be set at the same time',
  },
  'tool-limit': {
    doc: 'At most 128 tools.',
    source: 'MoonshotAI/Kimi-K2#90',
    refuse: (body) => (toolsOf(body).length > 128 ? 'tools: at most 128 are allowed' : undefined),
  },
  'strict-tool-names': {
    doc: 'Tool names begin with a letter or `_`; letters, digits, `_` and `-` follow.',
    source: 'MoonshotAI/kimi-cli#2164',
    refuse: (body) =>
      toolsOf(body).every(({ name }) => /^[A-Za-z_][A-Za-z0-9_-]*$/.test(String(name)))
        ? undefined
        : 'function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes',
  },
  'type-beside-any-of-refused': {
    doc: 'No schema of a tool may have `type` beside `anyOf`.',
    source: 'MoonshotAI/kimi-code#2661',
    refuse: (body) =>
      toolsOf(body).some(({ parameters }) => hasTypeBesideAnyOf(parameters))
        ? 'tools.function.parameters is not a valid moonshot flavored json schema: when using anyOf, type should be defined in anyOf items instead of the parent schema'
        : undefined,
  },
};

function messagesOf(body: RequestBody): Record<string, unknown>[] {
  return Array.isArray(body.messages) ? body.messages.filter(isObject) : [];
}

function callsOf(message: Record<string, unknown>): readonly unknown[] {
  return Array.isArray(message.tool_calls) ? message.tool_calls : [];
}

function toolsOf(body: RequestBody): Record<string, unknown>[] {
  const tools = Array.isArray(body.tools) ? body.tools.filter(isObject) : [];
  return tools.map((tool) => tool.function).filter(isObject);
}

function thinkingIsOff(body: RequestBody): boolean {
  return isObject(body.thinking) && body.thinking.type === 'disabled';
}

function hasTypeBesideAnyOf(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasTypeBesideAnyOf);
  if (!isObject(schema)) return false;
  if (Array.isArray(schema.anyOf) && typeof schema.type === 'string') return true;
  return Object.values(schema).some(hasTypeBesideAnyOf);
}
