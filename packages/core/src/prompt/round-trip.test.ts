import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatToolCallId } from '../grammar/tool-call-id.ts';
import type { KimiTurn } from '../parse/events.ts';
import { parse } from '../parse/parse.ts';
import { formatToolCalls } from './format-tool-calls.ts';
import { type PromptInput, renderPrompt } from './render.ts';

const numRuns = Number(process.env.KIMI_LAW_RUNS ?? 400);

const markers = [
  '<|tool_calls_section_begin|>',
  '<|tool_calls_section_end|>',
  '<|tool_call_begin|>',
  '<|tool_call_argument_begin|>',
  '<|tool_call_end|>',
  '<|im_end|>',
  '<|im_user|>user<|im_middle|>',
  '<think>',
  '</think>',
  '[EOS]',
  '<|tool_call_end|><|tool_calls_section_end|>',
];
const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('\n', ' ', 'functions.a:0', '{"a": 1}', '<', '<|', '|>', '<|tool_', '"', '\\', '\ud800'),
);
const join = (parts: string[]) => parts.join('');
/** No quotes, as calls behind an open one are reported. */
const unquote = (text: string) => text.replaceAll('`', '');
const prose = fc.array(piece, { maxLength: 4 }).map(join).map(unquote);
/** With markers anywhere, quotes of them too. */
const wild = fc.array(fc.oneof(piece, fc.constantFrom(...markers, '`', '```')), { maxLength: 6 }).map(join);

const json = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    wild,
    fc.constantFrom<unknown>(null, true, false, 0, -1.5, 1e-7, 1e21, 9007199254740991),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(fc.oneof(wild, fc.constantFrom('__proto__', '10', '2', 'constructor')), tie('value')), {
      maxLength: 3,
    })
    .map((entries) =>
      JSON.parse(`{${entries.map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join()}}`),
    ),
}));

const name = fc
  .oneof(
    fc.constantFrom(
      'get_weather',
      'db.query',
      'list-ports',
      '__proto__',
      'a:1',
      '0',
      'функция',
      '工具',
      '$web_search',
      '😀',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 }),
  )
  .filter((text) => !/[\s<>{}"`]/.test(text));

const calls = fc
  .array(fc.tuple(name, json.object), { maxLength: 3 })
  .map((list) =>
    list.map(([called, args], at) => ({ id: formatToolCallId(called, at), name: called, args })),
  );

interface Turn {
  reasoning: string;
  content: string;
  calls: { id: string; name: string; args: Record<string, unknown> }[];
  /** Arguments are given as text, not as an object. */
  asText: boolean;
}

const turnOf = (text: fc.Arbitrary<string>): fc.Arbitrary<Turn> =>
  fc.record({ reasoning: text, content: text, calls, asText: fc.boolean() });

/** Renders a turn as the last of a conversation, and cuts its text out of the prompt. */
function renderTurn({ reasoning, content, calls: made, asText }: Turn, rest: Partial<PromptInput>): string {
  const message = {
    role: 'assistant',
    content,
    reasoning_content: reasoning,
    tool_calls: made.map(({ id, name: called, args }) => ({
      id,
      type: 'function',
      function: { name: called, arguments: asText ? JSON.stringify(args) : args },
    })),
  };
  const messages = [{ role: 'user', content: 'x' }, message];
  const prompt = renderPrompt({ model: 'k2.7-code', messages, addGenerationPrompt: false, ...rest });
  const head = '<|im_assistant|>assistant<|im_middle|>';
  const end = '<|im_end|>';
  expect(prompt.endsWith(end)).toBe(true);
  return prompt.slice(prompt.indexOf(head) + head.length, -end.length);
}

function expectTurn(
  parsed: KimiTurn,
  { calls: made, asText }: Turn,
  reasoning: string,
  content: string,
): void {
  expect(parsed.reasoning).toBe(reasoning);
  // White space alone is no content where calls follow (ruling 2 of the corpus).
  expect(parsed.content).toBe(made.length > 0 && content.trim() === '' ? '' : content);
  expect(parsed.toolCalls.map(({ id, rawId, name: called }) => [id, rawId, called])).toEqual(
    made.map(({ id, name: called }) => [id, id, called]),
  );
  for (const [at, call] of parsed.toolCalls.entries()) {
    const given = JSON.stringify(made[at]?.args);
    expect(asText ? call.arguments : JSON.stringify(JSON.parse(call.arguments))).toBe(given);
  }
  expect(parsed.incompleteToolCalls).toEqual([]);
  expect(parsed.problems.filter(({ code }) => code !== 'empty-turn')).toEqual([]);
}

/** What a family shows of the thought of the last turn. */
function shownThought(family: string, { reasoning, calls: made }: Turn): string {
  if (family === 'k2-instruct') return '';
  return family === 'k2.7-code' || made.length > 0 ? reasoning : '';
}

describe('rendering a turn, then parsing it, gives the turn back', () => {
  test.each(['k2-instruct', 'k2-thinking', 'k2.5', 'k2.6', 'k2.7-code'])('%s', (family) => {
    fc.assert(
      fc.property(turnOf(prose), (turn) => {
        const parsed = parse(renderTurn(turn, { model: family }));
        expectTurn(parsed, turn, shownThought(family, turn), turn.content);
      }),
      { numRuns },
    );
  });

  test('with markers in its text, if they are broken', () => {
    fc.assert(
      fc.property(turnOf(wild.map(unquote)), (turn) => {
        const text = renderTurn({ ...turn, asText: false }, { specialTokensInText: 'break' });
        const parsed = parse(text);
        const strip = (broken: string) => broken.replaceAll('\u200b', '');
        expectTurn(
          { ...parsed, reasoning: strip(parsed.reasoning), content: strip(parsed.content) },
          { ...turn, asText: false },
          strip(turn.reasoning),
          strip(turn.content),
        );
      }),
      { numRuns },
    );
  });
});

test('formatting the calls of a parsed turn gives the section back', () => {
  fc.assert(
    fc.property(turnOf(prose), (turn) => {
      const section = renderTurn({ ...turn, reasoning: '', content: '' }, { model: 'k2-instruct' });
      const { toolCalls } = parse(section);
      expect(formatToolCalls(toolCalls)).toBe(section);
      expect(parse(formatToolCalls(toolCalls)).toolCalls).toEqual(toolCalls);
    }),
    { numRuns },
  );
});

test('a call to format needs an id and arguments', () => {
  expect(() => formatToolCalls('x' as never)).toThrow('calls: expected an array');
  expect(() => formatToolCalls([{ id: 'functions.a:0', arguments: '{}' }, { id: 'b' } as never])).toThrow(
    'calls[1].arguments: expected a string, got undefined',
  );
  expect(formatToolCalls([])).toBe('');
});
