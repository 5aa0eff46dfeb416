import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  KimiError,
  KimiRequestError,
  normalizeHistory,
  normalizeRequest,
  normalizeToolSchema,
} from '../index.ts';

/** Runs of each property; the nightly setting asks for more. */
const numRuns = Number(process.env.KIMI_LAW_RUNS ?? 400);

const MODELS = [
  'kimi-k2-0905-preview',
  'kimi-k2-thinking',
  'kimi-k2.5',
  'kimi-k2.6',
  'kimi-k2.7-code',
  'kimi-k3',
];

const LEAK =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.ping:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>';

const name = fc.constantFrom('ping', 'db.query', '3d', '__proto__', 'constructor', '');
const id = fc.constantFrom('x1', 'x2', 'functions.ping:0', 'functions.ping:1', '', '__proto__', undefined, 7);
const args = fc.constantFrom<unknown>(
  '{}',
  '{"a":"b\nc"}',
  '"{}"',
  '{"a":',
  '[1]',
  '',
  null,
  undefined,
  { a: 1 },
  '{} x',
  '\0 {}',
  '{"a":"\0",\0',
);
const text = fc.constantFrom<unknown>(
  'Hello',
  '',
  null,
  undefined,
  'a\0b',
  '<think>plan</think>answer',
  `Ok.${LEAK}`,
  '<|tool_call_begin|>functions.ping:0<|tool_call_argument_begin|>{"a',
  '`<|tool_call_begin|>`',
  [],
  [{ type: 'text', text: 'a\0' }],
  [
    { type: 'text', text: 'a' },
    { type: 'image_url', image_url: { url: 'x' } },
  ],
  [{ type: 'tool_reference', name: 'x' }],
  7,
);
const call = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record(
      { id, type: fc.constant('function'), function: fc.record({ name, arguments: args }) },
      { noNullPrototype: true, requiredKeys: ['function'] },
    ),
  },
  fc.constantFrom<unknown>(null, 'call', {}, { id: 'c', type: 'custom', custom: { input: 'x' } }),
);
const assistant = fc.record(
  {
    role: fc.constant('assistant'),
    content: text,
    tool_calls: fc.oneof(fc.array(call, { maxLength: 3 }), fc.constant(null)),
    reasoning_content: fc.constantFrom('why', '', null, ' ', '</think>so', '\0', 'a\0b'),
    reasoning: fc.constantFrom('because', '', null, `So.${LEAK}`),
    reasoning_details: fc.constantFrom<unknown>(
      [{ type: 'reasoning.text', text: LEAK }],
      [{ type: 'reasoning.text', text: 'as' }],
      [{ type: 'reasoning.encrypted' }],
      3,
    ),
    additional_kwargs: fc.constantFrom<unknown>({ reasoning_content: 'for' }, { a: 1 }),
    partial: fc.boolean(),
  },
  { noNullPrototype: true, requiredKeys: ['role'] },
);
const message = fc.oneof(
  { weight: 3, arbitrary: assistant },
  {
    weight: 3,
    arbitrary: fc.record(
      { role: fc.constant('tool'), tool_call_id: id, content: text },
      { noNullPrototype: true, requiredKeys: ['role'] },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({ role: fc.constantFrom('user', 'system', 'developer'), content: text }),
  },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, 'hello', {}, [], { role: 3 }) },
);
const messages = fc.array(message, { maxLength: 12 });
const tool = fc.oneof(
  fc.record({
    type: fc.constant('function'),
    function: fc.record(
      {
        name,
        parameters: fc.constantFrom<unknown>(
          { type: 'object', properties: { a: { type: 'string', pattern: 'b' } } },
          { properties: { a: { const: 1 } } },
          { type: 'object', properties: {} },
          null,
        ),
      },
      { noNullPrototype: true, requiredKeys: ['name'] },
    ),
  }),
  fc.constantFrom<unknown>(
    { type: 'builtin_function', function: { name: '$web_search' } },
    { type: 'web_search' },
    null,
  ),
);
const body = fc.record(
  {
    model: fc.constantFrom(...MODELS),
    messages,
    tools: fc.array(tool, { maxLength: 4 }),
    tool_choice: fc.constantFrom<unknown>(
      'auto',
      'required',
      { type: 'function', function: { name: '3d' } },
      null,
    ),
    thinking: fc.constantFrom<unknown>(
      { type: 'enabled' },
      { type: 'disabled' },
      { type: 'enabled', keep: null },
      { effort: 'low' },
      true,
      false,
      null,
      'on',
    ),
    reasoning_effort: fc.constantFrom('low', null),
    chat_template_kwargs: fc.constantFrom<unknown>(
      { thinking: false },
      { thinking: true, preserve_thinking: true, x: 1 },
      {},
      null,
    ),
    temperature: fc.constantFrom(0, 1, null),
    max_tokens: fc.constantFrom(10, null),
    max_completion_tokens: fc.constantFrom(20, null),
    store: fc.boolean(),
    continue_final_message: fc.boolean(),
  },
  { noNullPrototype: true, requiredKeys: ['model'] },
);
const options = fc.record(
  {
    endpoint: fc.constantFrom('moonshot' as const, 'router' as const, 'self-hosted' as const),
    ids: fc.boolean(),
    messages: fc.boolean(),
    reasoning: fc.boolean(),
    parameters: fc.boolean(),
    toolNames: fc.boolean(),
    toolSchemas: fc.boolean(),
    thinking: fc.constantFrom(
      true,
      false,
      { preserve: true },
      { preserve: false },
      { effort: 'high' as const },
    ),
  },
  { noNullPrototype: true, requiredKeys: [] },
);

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

describe('any request', () => {
  test('is never changed in place, keeps its messages and tools in number and order, and never throws', () => {
    fc.assert(
      fc.property(body, options, (given, how) => {
        const { body: sent } = normalizeRequest(deepFreeze(given), how);
        const roles = (list: unknown[] | undefined) =>
          list?.map((one) => (one as { role?: unknown } | null)?.role);
        expect(roles(sent.messages)).toEqual(roles(given.messages));
        expect(sent.tools?.length).toBe(given.tools?.length);
        expect(Object.getPrototypeOf(sent)).toBe(Object.prototype);
        expect(({} as Record<string, unknown>).ping).toBeUndefined();
      }),
      { numRuns: numRuns * 2 },
    );
  });

  test('two fields that contradict each other about thinking mean what the endpoint reads', () => {
    const messages = [{ role: 'assistant', tool_calls: [{ function: { name: 'ping', arguments: '{}' } }] }];
    const contrary = {
      model: 'kimi-k2.5',
      messages,
      thinking: { type: 'disabled' },
      chat_template_kwargs: { thinking: true },
    };
    const once = normalizeRequest(contrary, { endpoint: 'self-hosted' });
    expect(once.body).toMatchObject({
      messages: [{ reasoning_content: ' ' }],
      chat_template_kwargs: { thinking: true },
    });
    expect(normalizeRequest(once.body, { endpoint: 'self-hosted' }).body).toBe(once.body);
  });

  test('is the same object a second time', () => {
    fc.assert(
      fc.property(body, options, (given, how) => {
        const once = normalizeRequest(deepFreeze(given), how);
        const twice = normalizeRequest(deepFreeze(once.body), how);
        expect(twice.body).toEqual(once.body);
        expect(twice.body).toBe(once.body);
      }),
      { numRuns: numRuns * 2 },
    );
  });

  test('of a model that is no Kimi model is the same object', () => {
    fc.assert(
      fc.property(
        body,
        options,
        fc.constantFrom('gpt-9', '', 'kimi-latest', 'other/k2'),
        (given, how, model) => {
          const other = deepFreeze({ ...given, model });
          expect(normalizeRequest(other, how)).toEqual({
            body: other,
            problems: [],
            ids: new Map(),
            toolNames: new Map(),
          });
          expect(normalizeRequest(other, how).body).toBe(other);
          const list = (given.messages ?? []) as object[];
          expect(normalizeHistory(list, model).messages).toBe(list);
        },
      ),
      { numRuns },
    );
  });

  test('gives every call an id of its own, from which the caller gets back its own', () => {
    fc.assert(
      fc.property(body, fc.constantFrom('router' as const, 'self-hosted' as const), (given, endpoint) => {
        const { body: sent, ids } = normalizeRequest(given, { endpoint, messages: false });
        const callsOf = (list: unknown) =>
          ((list ?? []) as ({ role?: string; tool_calls?: unknown[] } | null)[])
            .filter((one) => one?.role === 'assistant')
            .flatMap((one) => one?.tool_calls ?? [])
            .filter((one) => typeof one === 'object' && one !== null && 'function' in one) as {
            id?: unknown;
          }[];
        const own = callsOf(given.messages).map((one) => one.id);
        const sentIds = callsOf(sent.messages).map((one) => String(one.id));
        expect(new Set(sentIds).size).toBe(own.length);
        expect(sentIds.map((one) => ids.get(one))).toEqual(
          own.map((one, at) => (typeof one === 'string' && one !== '' ? one : sentIds[at])),
        );
      }),
      { numRuns },
    );
  });

  test('with strict either loses nothing or throws', () => {
    fc.assert(
      fc.property(body, options, (given, how) => {
        const losses =
          /^(param-dropped|thinking-disabled|tool-choice-downgraded|schema-relaxed|reasoning-placeholder)/;
        const { problems } = normalizeRequest(given, how);
        const loses = problems.some(({ code }) => losses.test(code));
        const strict = () => normalizeRequest(given, { ...how, strict: true });
        if (loses) expect(strict).toThrow(KimiRequestError);
        else expect(strict().problems).toEqual(problems);
      }),
      { numRuns },
    );
  });
});

test('hostile depth and cycles are no reason to throw', () => {
  let deep: unknown = 'x';
  for (let i = 0; i < 20_000; i++) deep = i % 2 ? { a: deep } : [deep];
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const call = (args: unknown) => ({ id: 'x', function: { name: 'a', arguments: args } });
  for (const value of [deep, cycle]) {
    const { body: sent, problems } = normalizeRequest({
      model: 'kimi-k2.6',
      thinking: value,
      chat_template_kwargs: value,
      messages: [
        { role: 'assistant', content: [value], tool_calls: [call(value), call('{"a":'.repeat(50_000))] },
        { role: 'tool', content: value },
        { role: 'tool', content: [value] },
      ],
      tools: [
        { type: 'function', function: { name: 'a', parameters: { properties: { a: { const: value } } } } },
      ],
    });
    expect(sent.messages).toHaveLength(3);
    expect(problems.map(({ code }) => code)).toContain('invalid-arguments');
  }
});

test('wrong options are named', () => {
  const wrong: [() => unknown, string][] = [
    [() => normalizeRequest(null as unknown as object), 'body'],
    [() => normalizeRequest({}, { endpoint: 'vllm' as 'router' }), 'endpoint'],
    [() => normalizeRequest({}, { thinking: 'on' as unknown as boolean }), 'thinking'],
    [() => normalizeRequest({}, { model: 3 as unknown as string }), 'model'],
    [() => normalizeRequest({}, { recallReasoning: 'x' as unknown as () => string }), 'recallReasoning'],
    [() => normalizeToolSchema({}, { strict: 'yes' as unknown as boolean }), 'strict'],
    ...['strict', 'ids', 'messages', 'reasoning', 'toolSchemas', 'toolNames', 'parameters'].map(
      (name): [() => unknown, string] => [() => normalizeRequest({}, { [name]: 1 }), name],
    ),
    ...['strict', 'thinking', 'preserveThinking', 'messages', 'reasoning'].map(
      (name): [() => unknown, string] => [() => normalizeHistory([], 'kimi-k3', { [name]: 'no' }), name],
    ),
    [() => normalizeHistory({} as unknown as object[], 'kimi-k3'), 'messages'],
    [() => normalizeHistory([], undefined as unknown as string), 'model'],
    [() => normalizeHistory([], 'kimi-k3', { ids: 'x' as 'keep' }), 'ids'],
  ];
  for (const [run, option] of wrong) {
    expect(run).toThrow(KimiError);
    expect(run).toThrow(new RegExp(`^${option}: expected`));
  }
});
