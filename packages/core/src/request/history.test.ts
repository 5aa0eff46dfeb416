import { describe, expect, test } from 'vitest';
import { KimiRequestError, normalizeHistory, normalizeRequest } from '../index.ts';

const K2 = 'kimi-k2-0905-preview';
const call = (id: string | undefined, name = 'ping', args: unknown = '{}') => ({
  ...(id !== undefined && { id }),
  type: 'function',
  function: { name, arguments: args },
});
const calls = (...list: unknown[]) => ({ role: 'assistant', content: null, tool_calls: list });
const result = (id: string | undefined, content: unknown = 'ok') => ({
  role: 'tool',
  ...(id !== undefined && { tool_call_id: id }),
  content,
});
const user = { role: 'user', content: 'Go on.' };

type Sent = {
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
  content?: unknown;
  reasoning_content?: string;
};

/** Ids of calls and results, in order. */
function idsOf(messages: readonly unknown[]): (string | undefined)[] {
  return (messages as Sent[]).flatMap((one) => [
    ...(one.tool_calls?.map(({ id }) => id) ?? []),
    ...('tool_call_id' in one ? [one.tool_call_id] : []),
  ]);
}

function normalize(messages: object[], model = K2, options = {}) {
  const { messages: sent, problems, ids } = normalizeHistory(messages, model, options);
  return { sent: sent as Sent[], ids, codes: problems.map(({ code, path }) => `${code} ${path}`) };
}

describe('ids', () => {
  test('a result without a known id answers the first call that no other result names', () => {
    const { sent, codes } = normalize([
      calls(call('a'), call('b', 'pong'), call('c')),
      result('zzz'),
      result('a'),
      result(undefined),
    ]);
    expect(idsOf(sent).slice(3)).toEqual(['functions.pong:1', 'functions.ping:0', 'functions.ping:2']);
    expect(codes).toEqual(['id-rewritten /0/tool_calls/0/id']);
  });

  test('ids that start again in each turn belong to the nearest call', () => {
    const turn = [
      calls(call('functions.ping:0'), call('functions.pong:1', 'pong')),
      result('functions.pong:1'),
      result('functions.ping:0'),
    ];
    expect(idsOf(normalize([...turn, ...turn]).sent)).toEqual([
      'functions.ping:0',
      'functions.pong:1',
      'functions.pong:1',
      'functions.ping:0',
      'functions.ping:2',
      'functions.pong:3',
      'functions.pong:3',
      'functions.ping:2',
    ]);
  });

  test('an id that one turn has twice answers both calls, in order', () => {
    const { sent } = normalize([calls(call('x'), call('x')), result('x', '1'), result('x', '2')]);
    expect(idsOf(sent)).toEqual([
      'functions.ping:0',
      'functions.ping:1',
      'functions.ping:0',
      'functions.ping:1',
    ]);
  });

  test('a second result of one call stays with it, and is reported', () => {
    const { sent, codes } = normalize([calls(call('x'), call('y')), result('x'), result('x'), result('y')]);
    expect(idsOf(sent).slice(2)).toEqual(['functions.ping:0', 'functions.ping:0', 'functions.ping:1']);
    expect(codes).toContain('unmatched-result /2');
  });

  test('a second result is none of an older call that nobody answered', () => {
    const { sent, codes } = normalize([calls(call('x')), user, calls(call('x')), result('x'), result('x')]);
    expect(idsOf(sent).slice(1)).toEqual(['functions.ping:1', 'functions.ping:1', 'functions.ping:1']);
    expect(codes).toEqual([
      'id-rewritten /0/tool_calls/0/id',
      'unanswered-call /0/tool_calls/0',
      'unmatched-result /4',
    ]);
  });

  test('results without calls and calls without results stay, and are reported', () => {
    const messages = [
      result('gone'),
      user,
      calls(call('functions.ping:0')),
      user,
      result('late'),
      calls(call('functions.ping:1')),
    ];
    const { messages: sent, problems } = normalizeHistory(messages, K2);
    expect(sent).toBe(messages);
    expect(problems.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'unmatched-result /0',
      'unanswered-call /2/tool_calls/0',
      'unmatched-result /4',
      'unanswered-call /5/tool_calls/0',
    ]);
  });

  test('calls without an id get one, and so do their results', () => {
    const { sent, ids } = normalize([calls(call(undefined)), result(undefined)]);
    expect(idsOf(sent)).toEqual(['functions.ping:0', 'functions.ping:0']);
    expect([...ids]).toEqual([['functions.ping:0', 'functions.ping:0']]);
  });

  test('K3: unique ids stay, repeated and missing ones get a free one', () => {
    const { sent, ids, codes } = normalize(
      [
        calls(call('x'), call('x_2')),
        result('x'),
        result('x_2'),
        calls(call('x'), call(undefined)),
        result('x'),
        result(undefined),
      ],
      'kimi-k3',
    );
    expect(idsOf(sent)).toEqual(['x', 'x_2', 'x', 'x_2', 'x_3', 'call_2', 'x_3', 'call_2']);
    expect(ids.get('x_3')).toBe('x');
    expect(codes).toEqual(['id-rewritten /3/tool_calls/0/id']);
  });

  test.each([
    ['moonshot', undefined, 'x'],
    ['moonshot', true, 'functions.ping:0'],
    ['router', undefined, 'functions.ping:0'],
    ['router', false, 'x'],
    ['self-hosted', undefined, 'functions.ping:0'],
  ] as const)('at %s with ids %s', (endpoint, ids, expected) => {
    const { body } = normalizeRequest(
      { model: K2, messages: [calls(call('x')), result('x')] },
      { endpoint, ids },
    );
    expect(idsOf(body.messages)).toEqual([expected, expected]);
  });

  test('clients that rewrite ids get back what they sent', () => {
    // kimi-code and qwen-code do this to ids that come twice.
    const own = ['functions_ping_5', 'functions_ping_5__2', 'functions.ping:5__qwen_dup_2'];
    const { sent, ids } = normalize(own.flatMap((id) => [calls(call(id)), result(id)]));
    expect(idsOf(sent)).toEqual([0, 0, 1, 1, 2, 2].map((number) => `functions.ping:${number}`));
    expect([...ids.values()]).toEqual(own);
  });
});

describe('contents', () => {
  const contentOf = (content: unknown, role = 'user') =>
    normalize([{ role, content, tool_call_id: 'x' }]).sent[0]?.content;

  test.each<[string, unknown, unknown, string?]>([
    [
      'parts of text',
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      'ab',
    ],
    [
      'parts with an image',
      [
        { type: 'text', text: 'a\0' },
        { type: 'image_url', image_url: 1 },
      ],
      [
        { type: 'text', text: 'a' },
        { type: 'image_url', image_url: 1 },
      ],
    ],
    ['NUL', 'a\0b\0', 'ab'],
    ['nothing', null, null],
    [
      'a result of parts',
      [
        { type: 'text', text: 'a' },
        { type: 'tool_reference', name: 'n' },
      ],
      'a{"type":"tool_reference","name":"n"}',
      'tool',
    ],
    [
      'a result with an image',
      [{ type: 'image_url', image_url: 1 }],
      [{ type: 'image_url', image_url: 1 }],
      'tool',
    ],
    ['an object as result', { a: 1 }, '{"a":1}', 'tool'],
    ['no result', null, '', 'tool'],
  ])('%s', (_, given, expected, role) => {
    expect(contentOf(given, role)).toEqual(expected);
  });

  test('NUL goes from all texts of messages', () => {
    const image = { type: 'image_url', image_url: { url: 'data:' } };
    const messages = [
      { role: 'user', name: 'a\0b', content: ['a\0', image] },
      { ...calls(call('functions.ping:0', 'ping', '{"a":\0')), reasoning_content: 'a\0b', refusal: 'n\0o' },
      result('functions.ping:0', 'a\0'),
      { role: 'assistant', content: 'a', reasoning: '\0why' },
      { role: 'assistant', content: 'a\0', partial: true, reasoning_content: '\0b' },
    ];
    for (const endpoint of ['moonshot', 'router', 'self-hosted'] as const) {
      const { body } = normalizeRequest({ model: 'kimi-k2.5', messages }, { endpoint });
      expect(JSON.stringify(body)).not.toContain('\\u0000');
      expect(body.messages[1]).toMatchObject({ reasoning_content: 'ab', refusal: 'no' });
      expect(body.messages[3]).toMatchObject({ reasoning_content: 'why' });
      expect(normalizeRequest(body, { endpoint }).body).toBe(body);
    }
    const recallReasoning = () => 'a\0b';
    const { sent } = normalize([calls(call('x')), result('x')], 'kimi-k2.5', { recallReasoning });
    expect(sent[0]?.reasoning_content).toBe('ab');
  });

  test('an empty list or no content at all beside calls is null', () => {
    const turn = { role: 'assistant', tool_calls: [call('functions.ping:0')] };
    for (const content of [[], '', undefined, null]) {
      expect(normalize([{ ...turn, content }, result('functions.ping:0')]).sent[0]?.content).toBeNull();
    }
  });

  test('arguments are put right or reported', () => {
    const given = ['{"a":1}', { a: 1 }, '', null, '"{}"', '{} // done', '{"a"', '[1]', ' {} '];
    const { sent, codes } = normalize([calls(...given.map((args) => call(undefined, 'ping', args)))]);
    expect(sent[0]?.tool_calls?.map((one) => one.function.arguments)).toEqual([
      '{"a":1}',
      '{"a":1}',
      '{}',
      '{}',
      '{}',
      '{}',
      '{"a"',
      '[1]',
      '{}',
    ]);
    expect(codes.map((line) => line.replace(/\/0\/tool_calls\/(\d)\/function\/arguments/, '$1'))).toEqual([
      'arguments-repaired 4',
      'arguments-repaired 5',
      'invalid-arguments 6',
      'invalid-arguments 7',
      'unanswered-call /0/tool_calls/0',
    ]);
  });

  test('an AI SDK tool message with several results becomes one message for each', () => {
    const parts = [
      { type: 'tool-result', toolCallId: 'a', output: { type: 'json', value: { ok: true } } },
      {
        type: 'tool-result',
        toolCallId: 'b',
        output: { type: 'content', value: [{ type: 'text', text: 'hi' }] },
      },
      { type: 'tool-result', toolCallId: 'c', output: { type: 'error-text', value: 'no' } },
      { type: 'tool-result', toolCallId: 'd', output: { type: 'execution-denied', reason: 'denied' } },
    ];
    const asked = parts.map(({ toolCallId }) => ({
      type: 'tool-call',
      toolCallId,
      toolName: 'ping',
      input: {},
    }));
    const { sent } = normalize([
      { role: 'assistant', content: asked },
      { role: 'tool', content: parts },
    ]);
    expect(sent.slice(1)).toEqual(
      ['{"ok":true}', 'hi', 'no', 'denied'].map((content, number) => ({
        role: 'tool',
        tool_call_id: `functions.ping:${number}`,
        content,
      })),
    );
  });
});

describe('stored text', () => {
  const leaked =
    'On it.<|tool_calls_section_begin|><|tool_call_begin|>functions.ping:7<|tool_call_argument_begin|>{"a":1}<|tool_call_end|><|tool_calls_section_end|>';

  test('leaked calls become calls, their results follow', () => {
    const { sent, codes } = normalize([
      user,
      { role: 'assistant', content: leaked },
      result('functions.ping:7'),
    ]);
    expect(sent.slice(1)).toEqual([
      { role: 'assistant', content: 'On it.', tool_calls: [call('functions.ping:0', 'ping', '{"a":1}')] },
      result('functions.ping:0'),
    ]);
    expect(codes).toContain('text-call-recovered /1');
  });

  test('they are read from the reasoning, too', () => {
    const message = { role: 'assistant', content: '', reasoning_content: `So: ${leaked}` };
    const { sent } = normalize([message, result('x')], 'kimi-k2.5');
    expect(sent[0]).toMatchObject({ reasoning_content: 'So: On it.', content: null });
    expect(idsOf(sent)).toEqual(['functions.ping:0', 'functions.ping:0']);
  });

  test.each<[string, object]>([
    ['reasoning', { reasoning: `So: ${leaked}` }],
    ['reasoning_details', { reasoning_details: [{ type: 'reasoning.text', text: `So: ${leaked}` }] }],
    ['additional_kwargs', { additional_kwargs: { reasoning_content: `So: ${leaked}` } }],
    ['both fields of engines', { reasoning_content: `So: ${leaked}`, reasoning: `So: ${leaked}` }],
  ])('they are read from reasoning that stands in %s', (_, fields) => {
    const messages = [{ role: 'assistant', content: '', ...fields }, result('functions.ping:7')];
    for (const endpoint of ['router', 'self-hosted'] as const) {
      const once = normalizeRequest({ model: 'kimi-k2.5', messages }, { endpoint });
      expect(once.body.messages[0]).toEqual({
        role: 'assistant',
        content: null,
        reasoning_content: 'So: On it.',
        ...(endpoint === 'self-hosted' && { reasoning: 'So: On it.' }),
        tool_calls: [call('functions.ping:0', 'ping', '{"a":1}')],
      });
      expect(idsOf(once.body.messages)).toEqual(['functions.ping:0', 'functions.ping:0']);
      expect(once.problems.map(({ code }) => code)).not.toContain('unmatched-result');
      expect(normalizeRequest(once.body, { endpoint }).body).toBe(once.body);
    }
  });

  test('beside real calls they only go', () => {
    const { sent, codes } = normalize([{ ...calls(call('x')), content: leaked }, result('x')]);
    expect(sent[0]).toEqual({ role: 'assistant', content: 'On it.', tool_calls: [call('functions.ping:0')] });
    expect(codes).toContain('call-suppressed /0');
  });

  test('a call that was cut goes, and is reported', () => {
    const { sent, codes } = normalize([
      { role: 'assistant', content: leaked.slice(0, leaked.indexOf('1}')) },
    ]);
    expect(sent[0]).toEqual({ role: 'assistant', content: 'On it.' });
    expect(codes).toEqual(['truncated-call /0']);
  });

  test('quoted markup is text, and so is any that others wrote', () => {
    const messages = [
      { role: 'user', content: leaked },
      { role: 'assistant', content: `Like this:\n\`\`\`\n${leaked}\n\`\`\`\nIs that clear?` },
    ];
    expect(normalizeHistory(messages, K2)).toEqual({ messages, problems: [], ids: new Map() });
  });

  test.each<[string, object]>([
    ['half a thought', { content: '<think>I should' }],
    ['half a call', { content: leaked.slice(0, leaked.indexOf('{')) }],
    ['reasoning', { content: '', reasoning: 'I should', reasoning_content: null }],
  ])('a message that is to be continued stays: %s', (_, fields) => {
    const prefill = { role: 'assistant', ...fields };
    const marked = { model: 'kimi-k2.6', messages: [user, { ...prefill, partial: true }] };
    const asked = { model: 'kimi-k2.6', messages: [user, prefill], continue_final_message: true };
    for (const body of [marked, asked]) {
      const { body: sent, problems } = normalizeRequest(body);
      expect(sent).toBe(body);
      expect(problems).toEqual([]);
    }
    expect(normalizeHistory(marked.messages, 'kimi-k2.6').messages).toBe(marked.messages);
    // Only the last one is continued.
    const over = { ...asked, messages: [user, { ...prefill, partial: true }, user] };
    expect(normalizeRequest(over).body).not.toBe(over);
  });

  test('Moonshot wants every call answered: what nobody answered stays text there', () => {
    const messages = [{ role: 'assistant', content: leaked }, user];
    const sentTo = (endpoint: 'moonshot' | 'self-hosted') =>
      normalizeRequest({ model: K2, messages }, { endpoint }).body.messages;
    expect(sentTo('moonshot')).toEqual(messages);
    expect(idsOf(sentTo('self-hosted'))).toEqual(['functions.ping:0']);
  });
});

describe('reasoning', () => {
  const turn = (more: object) => [
    { ...calls(call('functions.ping:0')), ...more },
    result('functions.ping:0'),
  ];
  const reasoningOf = (messages: object[], model: string, options = {}) =>
    normalize(messages, model, options).sent.map((one) => one.reasoning_content);

  test.each<[string, object]>([
    ['reasoning', { reasoning: 'why' }],
    [
      'reasoning_details',
      {
        reasoning_details: [
          { type: 'reasoning.text', text: 'w' },
          { type: 'reasoning.text', text: 'hy' },
        ],
      },
    ],
    ['additional_kwargs', { additional_kwargs: { reasoning_content: 'why' } }],
    ['content', { content: '<think>why</think>' }],
  ])('is gathered from %s', (field, more) => {
    const { sent } = normalize(turn(more), 'kimi-k2.5');
    expect(sent[0]).toEqual({ ...calls(call('functions.ping:0')), reasoning_content: 'why' });
    expect(field === 'content' || !(field in (sent[0] ?? {}))).toBe(true);
  });

  test('other keywords of the field stay, encrypted details too', () => {
    const more = {
      additional_kwargs: { reasoning_content: 'why', x: 1 },
      reasoning_details: [{ type: 'reasoning.encrypted' }],
    };
    expect(normalize(turn(more), 'kimi-k2.5').sent[0]).toMatchObject({
      additional_kwargs: { x: 1 },
      reasoning_details: [{ type: 'reasoning.encrypted' }],
    });
  });

  test('null is no reasoning', () => {
    expect(normalize(turn({ reasoning_content: null }), 'kimi-k2.5').sent[0]).not.toHaveProperty(
      'reasoning_content',
    );
  });

  test('is recalled by the message as it was given, before anything is made up', () => {
    const given = turn({ tool_calls: [call('own')] });
    const asked: unknown[] = [];
    const recallReasoning = (message: unknown, index: number) => {
      asked.push(message, index);
      return 'remembered';
    };
    expect(reasoningOf(given, 'kimi-k2.5', { thinking: true, recallReasoning })[0]).toBe('remembered');
    expect(asked).toEqual([given[0], 0]);
    expect(asked[0]).toBe(given[0]);
    expect(reasoningOf(given, 'kimi-k2.5', { thinking: true, recallReasoning: () => undefined })[0]).toBe(
      ' ',
    );
    expect(reasoningOf(given, 'kimi-k2.5', { thinking: false, recallReasoning })[0]).toBeUndefined();
    expect(reasoningOf(given, K2, { thinking: true, recallReasoning })[0]).toBeUndefined();
  });

  test.each<[string, object, boolean]>([
    ['kimi-k2.5', {}, false],
    ['kimi-k2.6', {}, false],
    ['kimi-k2.6', { preserveThinking: true }, true],
    ['kimi-k2.7-code', {}, true],
    ['kimi-k3', {}, true],
  ])('of plain turns is recalled for %s %j: %s', (model, options, expected) => {
    const recallReasoning = () => 'remembered';
    const [sent] = reasoningOf([{ role: 'assistant', content: 'Hi.' }], model, {
      ...options,
      recallReasoning,
    });
    expect(sent).toBe(expected ? 'remembered' : undefined);
  });

  test.each<[string, 'moonshot' | 'router' | 'self-hosted', object, boolean]>([
    ['kimi-k2.5', 'moonshot', {}, true],
    ['kimi-k2.5', 'router', {}, true],
    ['kimi-k2.5', 'self-hosted', {}, true],
    ['kimi-k2.5', 'moonshot', { thinking: { type: 'disabled' } }, false],
    ['kimi-k2.5', 'router', { tool_choice: 'required' }, false],
    ['kimi-k2.7-code', 'moonshot', { thinking: { type: 'disabled' } }, true],
    ['kimi-k2-thinking', 'moonshot', {}, true],
    [K2, 'moonshot', { thinking: { type: 'enabled' } }, false],
  ])('%s at %s with %j: placeholder %s', (model, endpoint, more, expected) => {
    const { problems } = normalizeRequest({ model, messages: turn({}), ...more }, { endpoint });
    expect(problems.some(({ code }) => code === 'reasoning-placeholder-inserted')).toBe(expected);
  });

  test('none is put in place where none is wanted', () => {
    const messages = turn({});
    const { body, problems } = normalizeRequest(
      { model: 'kimi-k2.5', messages },
      { endpoint: 'self-hosted', ids: false, messages: false, reasoningPlaceholder: false },
    );
    expect(body.messages).toBe(messages);
    expect(problems).toEqual([]);
  });

  test('engines get it in both fields that they read', () => {
    const { body } = normalizeRequest(
      { model: 'kimi-k2.5', messages: turn({ reasoning: 'why' }) },
      { endpoint: 'self-hosted' },
    );
    expect(body.messages[0]).toMatchObject({ reasoning: 'why', reasoning_content: 'why' });
  });

  test('strict makes nothing up', () => {
    expect(() => normalizeHistory(turn({}), 'kimi-k2.5', { thinking: true, strict: true })).toThrow(
      KimiRequestError,
    );
  });
});

test('each part can be left alone', () => {
  const messages = [
    { role: 'assistant', content: '', reasoning: 'why', tool_calls: [call('x', 'ping', '"{}"')] },
    result('x', null),
  ];
  const off = { messages: false, reasoning: false, ids: 'keep' };
  expect(normalizeHistory(messages, 'kimi-k2.5', off as object).messages).toBe(messages);
});
