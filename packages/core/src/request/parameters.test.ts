import { describe, expect, test } from 'vitest';
import { KimiRequestError, normalizeRequest, type RequestOptions } from '../index.ts';

const TOOLS = [
  { type: 'function', function: { name: 'ping', parameters: { type: 'object', properties: {} } } },
];
const NAMED = { type: 'function', function: { name: 'ping' } };

/** The fields beside model and tools as they are sent, and what was reported. */
function send(fields: Record<string, unknown>, options: RequestOptions): [object, ...string[]] {
  const { body, problems } = normalizeRequest<Record<string, unknown>>(fields, options);
  const { model: _, tools: __, ...rest } = body;
  return [rest, ...problems.map(({ code, path }) => `${code} ${path}`)];
}

describe('by model and endpoint', () => {
  test.each<[string, RequestOptions['endpoint'], Record<string, unknown>, object, ...string[]]>([
    // sampling
    ['kimi-k2.5', 'self-hosted', { temperature: 0.3, n: 2 }, { temperature: 0.3, n: 2 }],
    [
      'kimi-k2.7-code',
      'moonshot',
      { presence_penalty: 1, n: 2 },
      {},
      'param-dropped /presence_penalty',
      'param-dropped /n',
    ],
    ['kimi-k3', 'router', { temperature: 0 }, {}, 'param-dropped /temperature'],
    ['kimi-k2-thinking', 'moonshot', { temperature: 1 }, { temperature: 1 }],
    ['kimi-k2.5', 'moonshot', { temperature: null }, { temperature: null }],
    ['kimi-k2-0905-preview', 'moonshot', { store: true }, {}, 'param-dropped /store'],
    ['kimi-k2-0905-preview', 'moonshot', { store: false }, {}, 'param-changed /store'],
    [
      'kimi-k3',
      'moonshot',
      { n: 1, presence_penalty: 0, frequency_penalty: 0 },
      { n: 1, presence_penalty: 0, frequency_penalty: 0 },
    ],
    // token limit
    [
      'kimi-k2.5',
      'moonshot',
      { max_tokens: 9 },
      { max_completion_tokens: 9 },
      'param-changed /max_completion_tokens',
    ],
    [
      'kimi-k2.5',
      'self-hosted',
      { max_completion_tokens: 9 },
      { max_tokens: 9 },
      'param-changed /max_tokens',
    ],
    [
      'kimi-k2.5',
      'self-hosted',
      { max_tokens: 8, max_completion_tokens: 9 },
      { max_tokens: 8 },
      'param-dropped /max_completion_tokens',
    ],
    ['kimi-k2.5', 'router', { max_tokens: 9 }, { max_tokens: 9 }],
    // thinking
    ['kimi-k2.5', 'router', { thinking: true }, {}, 'param-dropped /thinking'],
    [
      'kimi-k2.5',
      'self-hosted',
      { thinking: false },
      { chat_template_kwargs: { thinking: false } },
      'param-changed /thinking',
      'param-changed /chat_template_kwargs',
    ],
    [
      'kimi-k2.6',
      'self-hosted',
      { thinking: { type: 'enabled', keep: 'all' }, chat_template_kwargs: { x: 1 } },
      { chat_template_kwargs: { thinking: true, preserve_thinking: true, x: 1 } },
      'param-changed /chat_template_kwargs',
    ],
    [
      'kimi-k2.6',
      'moonshot',
      { chat_template_kwargs: { thinking: true, preserve_thinking: true } },
      { thinking: { type: 'enabled', keep: 'all' } },
      'param-changed /thinking',
    ],
    [
      'kimi-k2.6',
      'moonshot',
      { chat_template_kwargs: { thinking: true, preserve_thinking: false }, tools: TOOLS },
      { thinking: { type: 'enabled', keep: null } },
      'param-changed /thinking',
    ],
    [
      'kimi-k2.5',
      'moonshot',
      { chat_template_kwargs: { thinking: false, foo: 1 } },
      { thinking: { type: 'disabled' } },
      'param-changed /thinking',
      'param-dropped /chat_template_kwargs',
    ],
    [
      'kimi-k2.5',
      'moonshot',
      { chat_template_kwargs: { thinking: true, preserve_thinking: true } },
      { thinking: { type: 'enabled' } },
      'param-changed /thinking',
      'param-dropped /chat_template_kwargs',
    ],
    ['kimi-k2.5', 'moonshot', { chat_template_kwargs: { x: 1 } }, {}, 'param-dropped /chat_template_kwargs'],
    [
      'kimi-k2.5',
      'router',
      { chat_template_kwargs: { thinking: false } },
      { chat_template_kwargs: { thinking: false } },
    ],
    [
      'kimi-k2.6',
      'router',
      { thinking: { type: 'enabled', keep: null }, tools: TOOLS },
      { thinking: { type: 'enabled', keep: null } },
    ],
    [
      'kimi-k2.5',
      'router',
      { thinking: { type: 'enabled' }, tools: TOOLS },
      { thinking: { type: 'enabled' } },
    ],
    ['kimi-k2.6', 'router', { reasoning_effort: 'low' }, { reasoning_effort: 'low' }],
    [
      'kimi-k3',
      'moonshot',
      { thinking: { effort: 'low' } },
      { reasoning_effort: 'low' },
      'param-changed /reasoning_effort',
      'param-dropped /thinking',
    ],
    [
      'kimi-k3',
      'self-hosted',
      { thinking: { type: 'disabled' } },
      { chat_template_kwargs: { thinking: false } },
      'param-changed /chat_template_kwargs',
    ],
    [
      'kimi-k3',
      'self-hosted',
      { reasoning_effort: 'low' },
      { chat_template_kwargs: { thinking_effort: 'low' } },
      'param-changed /chat_template_kwargs',
    ],
    // forced tools
    [
      'kimi-k2.5',
      'router',
      { tool_choice: 'required' },
      { tool_choice: 'required', thinking: { type: 'disabled' } },
      'thinking-disabled-for-forced-tool /thinking',
    ],
    [
      'kimi-k2.5',
      'router',
      { tool_choice: 'required', thinking: { type: 'disabled' } },
      { tool_choice: 'required', thinking: { type: 'disabled' } },
    ],
    ...[
      { chat_template_kwargs: { thinking: true, x: 1 } },
      { chat_template_kwargs: { x: 1 } },
      { chat_template_kwargs: { thinking: true, x: 1 }, thinking: { type: 'disabled' } },
      { chat_template_kwargs: { thinking: false, x: 1 }, thinking: { type: 'enabled' } },
    ].map((fields): [string, 'router', Record<string, unknown>, object, string] => [
      'kimi-k2.5',
      'router',
      { tool_choice: 'required', ...fields },
      {
        tool_choice: 'required',
        thinking: { type: 'disabled' },
        chat_template_kwargs: { thinking: false, x: 1 },
      },
      'thinking-disabled-for-forced-tool /thinking',
    ]),
    ['kimi-k2.5', 'self-hosted', { tool_choice: NAMED }, { tool_choice: NAMED }],
    [
      'kimi-k2.7-code',
      'moonshot',
      { tool_choice: NAMED },
      { tool_choice: 'auto' },
      'tool-choice-downgraded /tool_choice',
    ],
    [
      'kimi-k2-thinking',
      'moonshot',
      { tool_choice: 'required' },
      { tool_choice: 'auto' },
      'tool-choice-downgraded /tool_choice',
    ],
    ['kimi-k2-0905-preview', 'moonshot', { tool_choice: 'required' }, { tool_choice: 'required' }],
    [
      'kimi-k3',
      'router',
      { tool_choice: NAMED },
      { tool_choice: 'required' },
      'tool-choice-downgraded /tool_choice',
    ],
    ['kimi-k2.5', 'router', { tool_choice: 'none' }, { tool_choice: 'none' }],
  ])('%s at %s: %j', (model, endpoint, fields, ...expected) => {
    expect(send({ model, ...fields }, { endpoint })).toEqual(expected);
  });
});

describe('one option in the words of each', () => {
  test.each<[string, RequestOptions['endpoint'], RequestOptions['thinking'], object, ...string[]]>([
    ['kimi-k2.5', 'moonshot', true, { thinking: { type: 'enabled' } }],
    ['kimi-k2.5', 'moonshot', false, { thinking: { type: 'disabled' } }],
    ['kimi-k2.5', 'self-hosted', false, { chat_template_kwargs: { thinking: false } }],
    ['kimi-k2.6', 'router', { preserve: true }, { thinking: { type: 'enabled', keep: 'all' } }],
    [
      'kimi-k2.6',
      'self-hosted',
      { preserve: true },
      { chat_template_kwargs: { thinking: true, preserve_thinking: true } },
    ],
    ['kimi-k2.5', 'router', { preserve: true }, { thinking: { type: 'enabled' } }, 'param-dropped /thinking'],
    ['kimi-k2.7-code', 'router', true, {}],
    ['kimi-k2.7-code', 'router', false, {}, 'param-dropped /thinking'],
    ['kimi-k2-0905-preview', 'router', false, {}],
    ['kimi-k2-0905-preview', 'router', true, {}, 'param-dropped /thinking'],
    ['kimi-k3', 'moonshot', { effort: 'low' }, { reasoning_effort: 'low' }],
    ['kimi-k3', 'moonshot', true, {}],
    ['kimi-k3', 'moonshot', false, {}, 'param-dropped /thinking'],
    [
      'kimi-k3',
      'self-hosted',
      { effort: 'low' },
      { chat_template_kwargs: { thinking: true, thinking_effort: 'low' } },
    ],
    ['kimi-k2.5', 'router', { effort: 'low' }, { thinking: { type: 'enabled' } }, 'param-dropped /thinking'],
  ])('%s at %s: %j', (model, endpoint, thinking, ...expected) => {
    expect(send({ model }, { endpoint, thinking })).toEqual(expected);
  });

  test('it stands in for what the body says', () => {
    const fields = {
      model: 'kimi-k2.5',
      thinking: { type: 'enabled' },
      reasoning_effort: 'high',
      chat_template_kwargs: { thinking: true, x: 1 },
    };
    expect(send(fields, { thinking: false })).toEqual([
      { thinking: { type: 'disabled' }, chat_template_kwargs: { x: 1 } },
    ]);
  });
});

test('the option model comes before the model of the body', () => {
  expect(send({ model: 'my-alias', temperature: 0 }, { model: 'kimi-k2.5' })).toEqual([
    {},
    'param-dropped /temperature',
  ]);
});

test('parameters can be left alone', () => {
  const body = { model: 'kimi-k2.5', temperature: 0, tool_choice: 'required', thinking: true };
  expect(normalizeRequest(body, { parameters: false }).body).toBe(body);
});

test('strict names the last loss, and holds all problems', () => {
  const body = { model: 'kimi-k2.7-code', tool_choice: 'required', max_tokens: 3 };
  try {
    normalizeRequest(body, { strict: true, endpoint: 'moonshot' });
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(KimiRequestError);
    const { option, problems, message } = error as KimiRequestError;
    expect(option).toBe('/tool_choice');
    expect(message).toContain('/tool_choice: The endpoint refuses this choice');
    expect(problems.map(({ code }) => code)).toEqual(['param-changed', 'tool-choice-downgraded']);
  }
});

test('strict lets no template argument go', () => {
  for (const more of [{ foo: 1 }, { preserve_thinking: true }]) {
    const body = { model: 'kimi-k2.5', chat_template_kwargs: { thinking: true, ...more } };
    expect(() => normalizeRequest(body, { strict: true, endpoint: 'moonshot' })).toThrow(KimiRequestError);
  }
});

test('how many tools there may be depends on the endpoint', () => {
  const many = Array.from({ length: 129 }, (_, at) => ({ ...TOOLS[0], function: { name: `t${at}` } }));
  const body = { model: 'kimi-k2.5', tools: many };
  expect(() => normalizeRequest(body)).toThrow('129 tools are offered; the endpoint takes 128.');
  expect(normalizeRequest(body, { endpoint: 'self-hosted' }).body).toBe(body);
});
