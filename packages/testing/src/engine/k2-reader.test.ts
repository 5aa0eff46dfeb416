import { describe, expect, test } from 'vitest';
import type { CorpusCase } from '../case.ts';
import { loadCases } from '../load-cases.ts';
import { readK2 } from './k2-reader.ts';

const S = '<|tool_calls_section_begin|>';
const SE = '<|tool_calls_section_end|>';
const C = '<|tool_call_begin|>';
const A = '<|tool_call_argument_begin|>';
const E = '<|tool_call_end|>';

/** Each segment as type, text, and for a call its id and name. */
const read = (text: string): unknown[] =>
  readK2(text).map(({ type, start, end, ...call }) => [type, text.slice(start, end), ...Object.values(call)]);

test('reads thought, text and calls', () => {
  const call = (id: string, json: string): string => `${C}${id}${A}${json}${E}`;
  expect(
    read(
      `<think>Why?</think>On it.${S}${call('functions.ping:0', '{"a":1}')}\n${call('b-c.d:12', '')}${SE} Done.<|im_end|>`,
    ),
  ).toEqual([
    ['reasoning', 'Why?'],
    ['content', 'On it.'],
    ['call', '{"a":1}', 'functions.ping:0', 'ping'],
    ['call', '', 'b-c.d:12', 'b-c.d'],
    ['content', ' Done.'],
  ]);
});

test('a thought that the prompt opened ends at its closing tag', () => {
  expect(read('Why?</think>Answer.')).toEqual([
    ['reasoning', 'Why?'],
    ['content', 'Answer.'],
  ]);
  expect(read('<think></think>Answer.')).toEqual([['content', 'Answer.']]);
});

test('white space beside calls is dropped, text alone is verbatim', () => {
  expect(read(`\n${S}${C}functions.ping:0${A}{}${E}${SE}\n`)).toEqual([
    ['call', '{}', 'functions.ping:0', 'ping'],
  ]);
  expect(read('\n Hi.\n')).toEqual([['content', '\n Hi.\n']]);
  expect(read(' ')).toEqual([['content', ' ']]);
});

test('markers in strings and quotes are text', () => {
  const json = `{"text":"\\"${E}${SE}"}`;
  expect(read(`Use \`${S}\`.${S}${C}functions.ping:0${A}${json}${E}${SE}`)).toEqual([
    ['content', `Use \`${S}\`.`],
    ['call', json, 'functions.ping:0', 'ping'],
  ]);
});

test.each([
  ['an open thought', '<think>Why?', 'the thought is not closed'],
  ['a second thought', '<think>a</think>b<think>c</think>', '<think> fits nowhere here'],
  [
    'a call in a thought',
    `<think>${S}${C}functions.ping:0${A}{}${E}${SE}</think>`,
    'the thought is not closed',
  ],
  ['a call without a section', `${C}functions.ping:0${A}{}${E}`, `${C} fits nowhere here`],
  ['a section without a call', `${S}${SE}`, `expected ${C}`],
  ['a section without an end', `${S}${C}functions.ping:0${A}{}${E}`, `expected ${SE}`],
  ['a call without an end', `${S}${C}functions.ping:0${A}{}${SE}`, `the call has no ${E}`],
  ['a cut call', `${S}${C}functions.ping:0${A}{"a`, `the call has no ${E}`],
  ['a call without arguments', `${S}${C}functions.ping:0${E}${SE}`, `expected an id and ${A}`],
  ['an opaque id', `${S}${C}call_1${A}{}${E}${SE}`, 'expected an id of the form functions.NAME:NUMBER'],
  ['text in a section', `${S}hm${C}functions.ping:0${A}{}${E}${SE}`, `expected ${C}`],
  ['a singular marker', '<|tool_call_section_begin|>', '<|tool_call_section_begin|> fits nowhere here'],
  ['a spaced marker', '<| tool_call_begin |>', '<| tool_call_begin |> fits nowhere here'],
])('refuses %s', (_, text, message) => {
  expect(() => readK2(text)).toThrow(message);
});

/** Where this reader takes a whole text and the case reports nothing, the two must agree. */
describe('agrees with the corpus', () => {
  const cases = loadCases({
    kinds: ['deltas'],
    topics: ['single-call', 'parallel-calls', 'reasoning', 'sections'],
  });
  const agreeing = cases.filter(isPlain);

  test('on more than a handful of cases', () => {
    expect(agreeing.length).toBeGreaterThan(10);
  });

  test.each(agreeing.map((of) => [of.id, of] as const))('%s', (_, of) => {
    const text = textOf(of);
    const joined = (type: string): string =>
      readK2(text)
        .filter((segment) => segment.type === type)
        .map(({ start, end }) => text.slice(start, end))
        .join('');
    const calls = readK2(text).flatMap((segment) =>
      segment.type === 'call' ? [[segment.name, text.slice(segment.start, segment.end).trim()]] : [],
    );
    expect([joined('reasoning'), joined('content')]).toEqual([of.expected.reasoning, of.expected.content]);
    expect(calls).toEqual(of.expected.toolCalls?.map((call) => [call.name, call.arguments]));
  });
});

function textOf({ input }: CorpusCase): string {
  return input.kind === 'deltas' ? input.deltas.map(([, text]) => text).join('') : '';
}

function isPlain(of: CorpusCase): boolean {
  const { input, expected, options = {} } = of;
  if (input.kind !== 'deltas' || input.finishReason === null) return false;
  if (input.deltas.some(([channel]) => channel === 'reasoning') || expected.problems?.length !== 0)
    return false;
  if (
    options.promptOpensThink !== true &&
    !textOf(of).startsWith('<think>') &&
    textOf(of).includes('</think>')
  )
    return false;
  try {
    readK2(textOf(of));
    return true;
  } catch {
    return false;
  }
}
