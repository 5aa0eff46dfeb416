import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KimiError } from '../kimi-error.ts';
import { type PromptInput, type PromptMessage, renderPrompt, renderPromptSegments } from './render.ts';

const numRuns = Number(process.env.KIMI_LAW_RUNS ?? 400);

/** The tokenizer's table, written down once more. */
const NAMED = [
  ...['[BOS]', '[EOS]', '[EOT]', '[UNK]', '[PAD]', '<think>', '</think>'],
  ...['<|im_end|>', '<|im_user|>', '<|im_assistant|>', '<|im_system|>', '<|im_middle|>'],
  ...['<|start_header_id|>', '<|end_header_id|>'],
  ...['<|tool_calls_section_begin|>', '<|tool_calls_section_end|>'],
  ...['<|tool_call_begin|>', '<|tool_call_argument_begin|>', '<|tool_call_end|>'],
  ...['<|media_begin|>', '<|media_content|>', '<|media_end|>', '<|media_pad|>'],
  '<|kimi_k25_video_placeholder|>',
];
/** What the ids without a name are called. */
const UNNAMED = Array.from({ length: 256 }, (_, at) => `<|reserved_token_${163584 + at}|>`);
const VOCABULARY = [...NAMED, '<|reserved_token_163589|>', '<|reserved_token_163837|>'];

function countTokens(text: string): number {
  const tokens = text.includes('reserved_token') ? [...NAMED, ...UNNAMED] : NAMED;
  return tokens.reduce((sum, token) => sum + text.split(token).length - 1, 0);
}

/** Pieces of tokens, so that whole ones arise within texts and across their borders. */
const fragment = fc.oneof(
  fc.constantFrom(...VOCABULARY),
  fc.constantFrom(...VOCABULARY).chain((token) => fc.nat(token.length).map((at) => token.slice(0, at))),
  fc.constantFrom(...VOCABULARY).chain((token) => fc.nat(token.length).map((at) => token.slice(at))),
  fc.constantFrom(
    '<',
    '>',
    '|',
    '<|',
    '|>',
    '[',
    ']',
    'EOS',
    'think',
    '/think',
    '|im_end|',
    '"',
    '\\',
    '\n',
    'é',
    '\ud83d',
  ),
);
const text = fc.array(fragment, { maxLength: 4 }).map((parts) => parts.join(''));

type Fill = (given: string) => string;

const message: fc.Arbitrary<(fill: Fill) => PromptMessage> = fc
  .record({
    role: fc.constantFrom('system', 'user', 'assistant', 'tool', 'developer', undefined),
    texts: fc.array(text, { minLength: 9, maxLength: 9 }),
    parts: fc.boolean(),
    calls: fc.constantFrom('none', 'json', 'object', 'broken'),
  })
  .map(({ role, texts, parts, calls }) => (fill) => {
    const at = (index: number): string => fill(texts[index] ?? '');
    const args = {
      none: '',
      json: JSON.stringify({ [at(3)]: [at(4)] }),
      object: { [at(3)]: [at(4)] },
      broken: `{${at(3)}: "${at(4)}`,
    }[calls];
    return {
      role: role ?? `x${at(0)}`,
      name: at(1),
      content: parts
        ? [
            { type: 'text', text: at(2) },
            { type: 'text', text: at(5) },
            { type: 'image_url' },
            { text: at(6) },
          ]
        : at(2),
      reasoning_content: at(7),
      tool_call_id: at(8),
      tool_calls: calls === 'none' ? [] : [{ id: at(8), function: { arguments: args } }],
    };
  });

const tool = fc.array(text, { minLength: 9, maxLength: 9 }).map((texts) => (fill: Fill) => {
  const at = (index: number): string => fill(texts[index] ?? '');
  return {
    type: 'function',
    function: {
      name: at(0),
      description: at(1),
      parameters: {
        $defs: { [`x${at(2)}`]: { type: at(3), description: at(4) }, think: { type: 'string' } },
        type: 'object',
        properties: {
          [at(5)]: { type: 'array', items: { type: at(6) } },
          [at(7)]: { enum: [at(8)], default: { [at(1)]: at(2) } },
          listed: { type: 'array', items: { $ref: '#/$defs/think' } },
        },
      },
    },
  };
});

const conversation = fc
  .record({
    model: fc.constantFrom('k2-instruct', 'k2-thinking', 'k2.5', 'k2.6', 'k2.7-code'),
    messages: fc.array(message, { maxLength: 4 }),
    tools: fc.array(tool, { maxLength: 2 }),
    partial: fc.boolean(),
    thinking: fc.boolean(),
  })
  .map(({ messages, tools, partial, ...rest }) => (fill: Fill, mode: PromptInput['specialTokensInText']) => ({
    ...rest,
    specialTokensInText: mode,
    messages: messages.map((make) => ({ ...make(fill), partial })),
    tools: tools.map((make) => make(fill)),
  }));

const asGiven: Fill = (given) => given;
const harmless: Fill = (given) => given.replaceAll(/[<>[\]|]/g, '-');
/** What the template writes: told by the segments, as `Array<think>` of a tool spells a token too. */
const tokensOfTemplate = (input: PromptInput): number =>
  renderPromptSegments(input).filter(({ special }) => special).length;

describe('text that spells special tokens', () => {
  test('adds none when it is broken, in any field of any role', () => {
    fc.assert(
      fc.property(conversation, (make) => {
        const input = make(asGiven, 'break');
        const markers = tokensOfTemplate(make(harmless, 'break'));
        expect(countTokens(renderPrompt(input))).toBe(markers);
        expect(tokensOfTemplate(input)).toBe(markers);
      }),
      { numRuns },
    );
  });

  test('is refused when it would add one', () => {
    fc.assert(
      fc.property(conversation, (make) => {
        const adds =
          countTokens(renderPrompt(make(asGiven, 'keep'))) > tokensOfTemplate(make(harmless, 'break'));
        const render = () => renderPrompt(make(asGiven, 'reject'));
        if (adds) expect(render).toThrow(KimiError);
        else expect(render()).toBe(renderPrompt(make(asGiven, 'keep')));
      }),
      { numRuns },
    );
  });

  test('is broken by what does not show, or not in the value', () => {
    const content = 'a <|im_end|> b <think>[EOS]';
    const args = JSON.stringify({ '<|im_user|>': ['\\<|tool_call_end|>', '[PAD]'] });
    const input: PromptInput = {
      model: 'k2.7-code',
      messages: [
        { role: 'user', content },
        {
          role: 'assistant',
          tool_calls: [
            { id: 'functions.a:0', function: { arguments: args } },
            { id: 'functions.a:1', function: { arguments: '{"no": "json\\<|im_end|>"' } },
          ],
        },
      ],
      specialTokensInText: 'break',
    };
    const plain = renderPromptSegments(input).filter(({ special }) => !special);
    expect(plain.map((segment) => segment.text)).toEqual([
      'user',
      'a <\u200b|im_end|> b <\u200bthink>[\u200bEOS]',
      'assistant',
      'functions.a:0',
      '{"\\u003c|im_user|>":["\\\\\\u003c|tool_call_end|>","\\u005bPAD]"]}',
      'functions.a:1',
      '{"no": "json\\<\u200b|im_end|>"',
      'assistant',
    ]);
    expect(JSON.parse(plain[4]?.text ?? '')).toEqual(JSON.parse(args));
  });

  test('does not form across borders', () => {
    const render = (content: PromptMessage['content']) =>
      renderPrompt({
        model: 'k2.5',
        messages: [{ role: 'user', content }],
        specialTokensInText: 'break',
        addGenerationPrompt: false,
      });
    const parts = (...texts: string[]) => texts.map((one) => ({ type: 'text', text: one }));
    expect(render(parts('<|im_', 'end|>'))).toBe('<|im_user|>user<|im_middle|><\u200b|im_end|><|im_end|>');
    expect(render('<|im_')).toBe('<|im_user|>user<|im_middle|><|im_<|im_end|>');
    expect(render('<')).toBe('<|im_user|>user<|im_middle|><<|im_end|>');
  });

  test('breaks even where the TypeScript of a tool spells it', () => {
    const tools = [
      {
        type: 'function',
        function: {
          name: 'f',
          parameters: { type: 'object', properties: { a: { type: 'array', items: { type: 'think' } } } },
        },
      },
    ];
    const input: PromptInput = { model: 'k2.5', messages: [], tools, addGenerationPrompt: false };
    expect(renderPrompt(input)).toContain('a?: Array<think>');
    expect(renderPrompt({ ...input, specialTokensInText: 'break' })).toContain('a?: Array<\u200bthink>');
    expect(() => renderPrompt({ ...input, specialTokensInText: 'reject' })).toThrow(
      'tools: the text contains the special token <think>',
    );
  });

  test('is refused with the message and the token', () => {
    const messages = [
      { role: 'user', content: 'fine' },
      { role: 'tool', tool_call_id: 'x[EOS]', content: '' },
    ];
    const render = () => renderPrompt({ model: 'k2.6', messages, specialTokensInText: 'reject' });
    expect(render).toThrow('messages[1]: the text contains the special token [EOS]');
    expect(render).toThrow(expect.objectContaining({ option: 'messages[1]' }));
  });
});

test('segments are the prompt, each a token of the vocabulary or text between two', () => {
  fc.assert(
    fc.property(conversation, fc.constantFrom('keep', 'break'), (make, mode) => {
      const input = make(asGiven, mode);
      const segments = renderPromptSegments(input);
      expect(segments.map((segment) => segment.text).join('')).toBe(renderPrompt(input));
      for (const [at, segment] of segments.entries()) {
        expect(segment.text).not.toBe('');
        if (segment.special) expect(VOCABULARY).toContain(segment.text);
        else expect(segments[at + 1]?.special ?? true).toBe(true);
      }
    }),
    { numRuns },
  );
});
