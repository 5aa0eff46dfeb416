import { describe, expect, test } from 'vitest';
import { resolveModel } from '../grammar/models.ts';
import { KimiError } from '../kimi-error.ts';
import { type PromptInput, type PromptMessage, renderPrompt } from './render.ts';

const families = ['k2-instruct', 'k2-thinking', 'k2.5', 'k2.6', 'k2.7-code'] as const;
const DEFAULT =
  '<|im_system|>system<|im_middle|>You are Kimi, an AI assistant created by Moonshot AI.<|im_end|>';

const render = (model: string, messages: PromptMessage[], more: Partial<PromptInput> = {}): string =>
  renderPrompt({ model, messages, addGenerationPrompt: false, ...more });

describe('the envelope of a message', () => {
  test.each([
    ['user', '<|im_user|>user'],
    ['assistant', '<|im_assistant|>assistant'],
    ['system', '<|im_system|>system'],
    ['tool', '<|im_system|>tool'],
    ['developer', '<|im_system|>developer'],
  ])('of a %s', (role, head) => {
    const system = { role: 'system', content: '' };
    expect(render('k2-instruct', [system, { role }])).toContain(`${head}<|im_middle|>`);
  });

  test('has the name in place of the role, if there is one', () => {
    expect(render('k2.5', [{ role: 'user', name: 'Ann', content: 'hi' }])).toBe(
      '<|im_user|>Ann<|im_middle|>hi<|im_end|>',
    );
    expect(render('k2.5', [{ role: 'user', name: '', content: 'hi' }])).toBe(
      '<|im_user|>user<|im_middle|>hi<|im_end|>',
    );
  });

  test('has nothing for content that is not there, and text as it is', () => {
    expect(render('k2.5', [{ role: 'user' }, { role: 'user', content: null }])).toBe(
      '<|im_user|>user<|im_middle|><|im_end|>'.repeat(2),
    );
    expect(render('k2.5', [{ role: 'user', content: ' \n\ud800&<' }])).toBe(
      '<|im_user|>user<|im_middle|> \n\ud800&<<|im_end|>',
    );
  });

  test('names the call that a result answers', () => {
    const result = {
      role: 'tool',
      name: 'search',
      tool_call_id: 'call_1',
      content: [{ type: 'text', text: 'ok' }],
    };
    expect(render('k2.5', [result, { role: 'tool' }])).toBe(
      '<|im_system|>search<|im_middle|>## Return of call_1\nok<|im_end|><|im_system|>tool<|im_middle|>## Return of \n<|im_end|>',
    );
  });
});

test('a default system message stands where the template has one', () => {
  const user = { role: 'user', content: 'x' };
  const developer = { role: 'developer', content: 'x' };
  const heads = (messages: PromptMessage[]) =>
    families.map((model) => render(model, messages).split(/<\|im_user\|>|<\|im_system\|>developer/)[0]);
  expect(heads([])).toEqual(['', DEFAULT, '', '', '']);
  expect(heads([user])).toEqual([`${DEFAULT}\n`, DEFAULT, '', '', '']);
  expect(heads([developer])).toEqual([`${DEFAULT}\n`, DEFAULT, '', '', '']);
  expect(heads([{ role: 'system', content: 's' }, user])).toEqual(
    families.map(() => '<|im_system|>system<|im_middle|>s<|im_end|>'),
  );
});

describe('thoughts', () => {
  const call = { id: 'functions.a:0', function: { arguments: '{}' } };
  const conversation = [
    { role: 'user', content: 'q' },
    { role: 'assistant', content: 'a', reasoning_content: 'r1' },
    { role: 'assistant', content: '', reasoning_content: 'r2', tool_calls: [call] },
    { role: 'assistant', content: '', reasoning_content: null, tool_calls: [call] },
  ];
  const thoughts = (model: string, more: Partial<PromptInput> = {}) =>
    [
      ...render(model, conversation, { addGenerationPrompt: true, ...more }).matchAll(
        /<think>(?:(.*?)<\/think>)?/g,
      ),
    ].map(([, thought]) => thought);

  test.each([
    ['k2-instruct', {}, []],
    ['k2-thinking', {}, ['', 'r2', '']],
    ['k2-thinking', { thinking: false, preserveThinking: true }, ['', 'r2', '']],
    ['k2.5', {}, ['', 'r2', '', undefined]],
    ['k2.5', { preserveThinking: true }, ['', 'r2', '', undefined]],
    ['k2.5', { thinking: false }, ['', '', '', '']],
    ['k2.6', { preserveThinking: true }, ['r1', 'r2', '', undefined]],
    ['k2.6', { preserveThinking: true, thinking: false }, ['', '', '', '']],
    ['k2.7-code', {}, ['r1', 'r2', '', undefined]],
    ['k2.7-code', { preserveThinking: false, thinking: false }, ['r1', 'r2', '', undefined]],
  ])('%s %o', (model, options, expected) => {
    expect(thoughts(model, options)).toEqual(expected);
  });
});

test('a partial message is left open, whatever the generation prompt', () => {
  const messages = [
    { role: 'assistant', content: 'done', partial: true },
    { role: 'user', content: 'q' },
    { role: 'assistant', name: 'Kim', content: 'Well', partial: true },
  ];
  const open = (model: string) => render(model, messages, { addGenerationPrompt: true }).slice(-60);
  expect(open('k2-instruct')).toMatch(/q<\|im_end\|><\|im_assistant\|>Kim<\|im_middle\|>Well$/);
  expect(open('k2.5')).toMatch(/im_end\|><\|im_assistant\|>Kim<\|im_middle\|><think><\/think>Well$/);
  expect(render('k2.5', [{ role: 'user', content: 'q', partial: true }])).toMatch(/q<\|im_end\|>$/);
});

describe('media', () => {
  const user = (...content: object[]) => [
    { role: 'system' },
    { role: 'user', content: [{ type: 'text', text: 'a' }, ...content] },
  ];
  const body = (model: string, part: object) => render(model, user(part)).split('user<|im_middle|>')[1];

  test.each(['image', 'image_url'])('%s', (type) => {
    const rest = 'image<|media_content|><|media_pad|><|media_end|>\n<|im_end|>';
    for (const model of ['k2.5', 'k2.6', 'k2.7-code'])
      expect(body(model, { type })).toBe(`a<|media_begin|>${rest}`);
    for (const model of ['k2-instruct', 'k2-thinking']) {
      expect(body(model, { type })).toBe(`a<|media_start|>${rest}`);
      expect(body(model, { [type]: 'data:,' })).toBe(`a<|media_start|>${rest}`);
    }
  });

  test.each(['video', 'video_url'])('%s', (type) => {
    expect(body('k2.5', { type })).toBe('a<|kimi_k25_video_placeholder|>\n<|im_end|>');
    expect(() => body('k2-instruct', { type })).toThrow(
      'messages[1].content[1]: expected a part with a text, or an image',
    );
  });

  test('other parts need a text', () => {
    expect(body('k2.5', { type: 'input_text', text: 'b' })).toBe('ab<|im_end|>');
    expect(() => body('k2.5', { type: 'input_audio' })).toThrow('or an image or a video, got "input_audio"');
  });
});

test('arguments are written as they are, or as Python prints an object', () => {
  const args = (given: string | object) =>
    /argument_begin\|>(.*)<\|tool_call_end/s.exec(
      render('k2.5', [{ role: 'assistant', tool_calls: [{ function: { arguments: given } }] }]),
    )?.[1];
  expect(args('{"b":1,  "a": }')).toBe('{"b":1,  "a": }');
  expect(args('')).toBe('');
  expect(args({ b: ['é', { c: null }], a: 1e-7 })).toBe('{"b": ["é", {"c": null}], "a": 1e-07}');
  expect(args(JSON.parse('{"__proto__":{"a":1},"2":{}}'))).toBe('{"2": {}, "__proto__": {"a": 1}}');
  let deep: object = {};
  for (let at = 0; at < 10_000; at++) deep = { x: deep };
  expect(args(deep)).toBe(`${'{"x": '.repeat(10_000)}{}${'}'.repeat(10_000)}`);
});

test('a call without an id has none, and calls of others are not written', () => {
  const tool_calls = [{ function: { arguments: '{}' } }];
  expect(render('k2.5', [{ role: 'assistant', tool_calls }])).toContain(
    '<|tool_calls_section_begin|><|tool_call_begin|><|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>',
  );
  expect(render('k2.5', [{ role: 'user', tool_calls }])).not.toContain('tool_call');
});

test('many messages, with many parts and calls, are rendered, and none is changed', () => {
  const freeze = <Value>(value: Value): Value => {
    if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
    return value;
  };
  const turn = [
    { role: 'user', content: [{ type: 'text', text: 'x' }] },
    {
      role: 'assistant',
      content: 'y',
      tool_calls: [{ id: 'functions.a:0', function: { arguments: { b: 1, a: [2] } } }],
    },
  ];
  const messages = freeze(Array.from({ length: 1000 }, () => structuredClone(turn)).flat());
  const tools = freeze([
    { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } },
  ]);
  const [one, all] = [turn, messages].map((given) => render('k2.5', given, { specialTokensInText: 'break' }));
  expect(all).toBe(one?.repeat(1000));
  for (const model of families) expect(render(model, messages, { tools })).toContain('tool_declare');
});

describe('wrong input is named', () => {
  const user = { role: 'user', content: 'x' };
  const assistant = (...tool_calls: unknown[]) => ({ messages: [user, { role: 'assistant', tool_calls }] });
  test.each([
    ['input', undefined],
    ['messages', { messages: 'x' }],
    ['messages[1]', { messages: [user, null] }],
    ['messages[0].role', { messages: [{ content: 'x' }] }],
    ['messages[1].content', { messages: [user, { role: 'user', content: 5 }] }],
    ['messages[0].content', { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }] }],
    ['messages[0].content[0]', { messages: [{ role: 'user', content: ['x'] }] }],
    ['messages[0].name', { messages: [{ role: 'user', name: 5 }] }],
    ['messages[0].reasoning_content', { messages: [{ role: 'assistant', reasoning_content: {} }] }],
    ['messages[0].tool_call_id', { messages: [{ role: 'tool', tool_call_id: 5 }] }],
    ['messages[0].tool_calls', { messages: [{ role: 'assistant', tool_calls: {} }] }],
    ['messages[1].tool_calls[0].id', assistant({ id: 5 })],
    ['messages[1].tool_calls[0].function', assistant(null)],
    ['messages[1].tool_calls[0].function', assistant({ id: 'a', type: 'custom', custom: {} })],
    ['messages[1].tool_calls[0].function.arguments', assistant({ function: { name: 'a' } })],
    ['messages[1].tool_calls[0].function.arguments', assistant({ function: { arguments: { a: 1n } } })],
    ['tools', { messages: [], tools: {} }],
    ['tools[1]', { messages: [], tools: [{}, 'x'] }],
    ['thinking', { messages: [], thinking: 'yes' }],
    ['preserveThinking', { messages: [], preserveThinking: null }],
    ['addGenerationPrompt', { messages: [], addGenerationPrompt: 1 }],
    ['specialTokensInText', { messages: [], specialTokensInText: 'remove' }],
    ['model', { messages: [], model: undefined }],
    ['model', { messages: [], model: 'kimi-k3' }],
    ['model', { messages: [], model: resolveModel('kimi-k3') }],
    ['model', { messages: [], model: 'gpt-5' }],
    ['model', { messages: [], model: 'constructor' }],
    ['model', { messages: [], model: { family: 'toString' } }],
  ])('%s', (option, input) => {
    const run = () => renderPrompt((input && { model: 'k2.5', ...input }) as never);
    expect(run).toThrow(KimiError);
    expect(run).toThrow(expect.objectContaining({ option }));
  });

  test('a model without a known prompt format says what to do', () => {
    expect(() => render('gpt-5', [])).toThrow(
      'the family it descends from (k2-instruct, k2-thinking, k2.5, k2.6, k2.7-code), got "gpt-5"',
    );
    expect(() => render('kimi-k3', [])).toThrow('model: the prompt format of Kimi K3 is not supported');
    expect(renderPrompt({ model: { ...resolveModel('my-finetune'), family: 'k2.5' }, messages: [] })).toBe(
      '<|im_assistant|>assistant<|im_middle|><think>',
    );
  });
});
