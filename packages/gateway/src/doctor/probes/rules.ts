import type { JsonObject } from '../../json.ts';
import type { Reply } from '../endpoint.ts';
import { excerpt, type FaultCode } from '../faults.ts';
import type { Probe, Verdict } from '../probe.ts';
import { tools } from '../tools.ts';
import { ask, askWeather, asRule, continueWeather } from './messages.ts';

const hello = 'Say hello.';

function offer(name: string, parameters: JsonObject): JsonObject {
  return { type: 'function', function: { name, description: 'Looks something up.', parameters } };
}

const noParameters = { type: 'object', properties: {} };
const query = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };
const native = 'functions.get_weather:0';

/**
 * Requests that the OpenAI API takes, each with one thing that some endpoint refuses. All others keep
 * that rule, so that a refusal tells which it was.
 */
export const rules: readonly Probe[] = [
  createRule(
    'history-without-reasoning',
    'a history whose calls have lost their reasoning',
    'reasoning-replay-required',
    continueWeather(native, { reasoning_content: undefined }),
  ),
  createRule(
    'empty-content',
    'a call with empty content in the history',
    'empty-content-refused',
    continueWeather(native, { content: '' }),
  ),
  createRule(
    'null-character',
    'a tool result that holds U+0000',
    'null-character-refused',
    continueWeather(native, {}, '{"city":"Paris"}\u0000'),
  ),
  createRule(
    'sampling',
    'temperature and top_p',
    'sampling-pinned',
    ask(hello, { temperature: 0.2, top_p: 0.8 }),
  ),
  createRule(
    'thinking-and-effort',
    '`thinking` beside `reasoning_effort`',
    'thinking-beside-effort-refused',
    ask(hello, { thinking: { type: 'enabled' }, reasoning_effort: 'high' }),
    ask(hello, { thinking: { type: 'enabled' } }),
  ),
  createRule(
    'many-tools',
    '129 tools',
    'tool-limit',
    ask(hello, { tools: Array.from({ length: 129 }, (_, at) => offer(`tool_${at}`, noParameters)) }),
  ),
  createRule(
    'tool-names',
    'a tool whose name begins with a digit',
    'tool-names-restricted',
    ask(hello, { tools: [offer('2nd_lookup', query)] }),
  ),
  createRule(
    'any-of',
    'a schema with `type` beside `anyOf`',
    'any-of-refused',
    ask(hello, {
      tools: [
        offer('look_up', {
          type: 'object',
          properties: { key: { type: 'string', anyOf: [{ pattern: '^[a-z]+$' }, { pattern: '^[0-9]+$' }] } },
        }),
      ],
    }),
  ),
  createRule(
    'schema-keywords',
    'a schema with the keywords that clients send',
    'schema-keywords-refused',
    ask(hello, {
      tools: [
        offer('look_up', {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          type: 'object',
          properties: {
            query: { type: 'string', pattern: '^.+$', default: 'kimi' },
            since: { type: ['string', 'null'], format: 'date' },
            limit: { type: 'integer', exclusiveMinimum: 0 },
          },
          required: ['query'],
          additionalProperties: false,
        }),
      ],
    }),
  ),
  createRule('developer-role', 'a message of the role developer', 'developer-role-refused', {
    ...ask(hello),
    messages: [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: hello },
    ],
  }),
  createRule('content-parts', 'contents of a user and of a tool in parts', 'content-parts-refused', {
    ...continueWeather(native, {}, [{ type: 'text', text: '{"city":"Paris","celsius":21}' }]),
  }),
  createRule(
    'client-fields',
    'fields that clients send',
    'client-fields-refused',
    ask(askWeather, {
      tools,
      tool_choice: 'auto',
      parallel_tool_calls: true,
      store: false,
      prompt_cache_key: 'kimi-tc-doctor',
    }),
  ),
];

/**
 * @param control the same without what the rule is about, where that is not asked elsewhere: if it is refused,
 *   too, the rule is not to blame
 */
function createRule(
  name: string,
  asks: string,
  code: FaultCode,
  body: JsonObject,
  control?: JsonObject,
): Probe {
  const bodies = control ? [body, control] : [body];
  return {
    name,
    asks,
    requests: bodies.map(asRule),
    judge: ([reply, controlled]) => judgeRule(code, reply, controlled),
  };
}

function judgeRule(code: FaultCode, reply: Reply | undefined, control: Reply | undefined): Verdict {
  const { failure } = reply ?? {};
  if (!failure) return { findings: [] };
  if (failure.kind !== 'status' || failure.status === 429) {
    return { findings: [], inconclusive: failure.message || `status ${failure.status}` };
  }
  if (control?.failure)
    return { findings: [], inconclusive: `refused without it, too: ${excerpt(control.failure.message)}` };
  return { findings: [{ code, detail: excerpt(`${failure.status}: ${failure.message}`) }] };
}
