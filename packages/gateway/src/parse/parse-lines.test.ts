import { expect, test } from 'vitest';
import { type LinesSummary, parseLines } from './parse-lines.ts';

const raw =
  'Let me look.<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"a":1}<|tool_call_end|><|tool_calls_section_end|>';
const call = { id: 'functions.read:0', type: 'function', function: { name: 'read', arguments: '{"a":1}' } };

interface Result extends LinesSummary {
  readonly output: Record<string, unknown>[];
  readonly complaints: string[];
}

async function parseAll(
  lines: readonly unknown[],
  options: Parameters<typeof parseLines>[1] = {},
): Promise<Result> {
  const text = lines.map((line) => (line instanceof RawLine ? line.text : JSON.stringify(line))).join('\n');
  let written = '';
  const complaints: string[] = [];
  const summary = await parseLines(toBytes(text), options, {
    write: async (piece) => {
      written += piece;
    },
    refuse: (line, reason) => complaints.push(`${line}: ${reason}`),
  });
  const output = written
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { ...summary, output, complaints };
}

/** A line that is written as it is. */
class RawLine {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

async function* toBytes(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

test.each<[string, unknown, Record<string, unknown>]>([
  ['a string', raw, { content: 'Let me look.' }],
  ['text beside its reasoning', { text: raw, reasoning: 'Hm.', id: 'a' }, { reasoning: 'Hm.', id: 'a' }],
  [
    'a chat completion',
    { id: 'c', choices: [{ index: 0, message: { content: raw }, finish_reason: 'stop' }] },
    { id: 'c', choice: 0 },
  ],
  ['a text completion', { choices: [{ index: 3, text: raw }] }, { choice: 3 }],
  ['a message', { role: 'assistant', content: null, tool_calls: [call] }, { content: '' }],
  ['a message in its place', { message: { content: raw }, finish_reason: 'stop' }, {}],
  [
    'a line of a batch',
    {
      id: 'b',
      custom_id: 'mine',
      error: null,
      response: { status_code: 200, body: { id: 'c', choices: [{ message: { content: raw } }] } },
    },
    { id: 'mine' },
  ],
])('takes %s', async (_, line, expected) => {
  const { output, complaints, lines } = await parseAll([line]);
  expect(complaints).toEqual([]);
  expect(lines).toBe(1);
  expect(output).toMatchObject([
    {
      line: 1,
      ...expected,
      toolCalls: [{ name: 'read', arguments: '{"a":1}' }],
      finishReason: { unified: 'tool-calls' },
    },
  ]);
});

test('tells lines that hold something else by number and reason, and goes on', async () => {
  const { output, complaints, lines, refused } = await parseAll([
    new RawLine('no JSON'),
    { something: 'else' },
    { choices: [] },
    { choices: [{ index: 0 }] },
    { error: { message: 'overloaded' } },
    { custom_id: 'x', response: { status_code: 429, body: {} } },
    { text: 'a', finish_reason: 7 },
    { text: 'a', tools: ['none'] },
    [1],
    'fine',
  ]);
  expect({ lines, refused }).toEqual({ lines: 10, refused: 9 });
  expect(complaints).toEqual([
    '1: expected JSON',
    expect.stringMatching(/^2: expected a string, /),
    '3: expected at least one choice',
    '4: choices[0]: expected a "message" or a "text"',
    '5: it holds an error: overloaded',
    '6: the request failed with status 429',
    '7: finish_reason: expected a string',
    '8: tools: expected an array of tools',
    expect.stringMatching(/^9: expected a string, /),
  ]);
  expect(output).toMatchObject([{ line: 10, content: 'fine' }]);
});

test('gives a turn for each choice', async () => {
  const { output } = await parseAll([
    {
      id: 'c',
      choices: [
        { index: 0, text: 'a' },
        { index: 1, text: 'b' },
      ],
    },
  ]);
  expect(output).toMatchObject([
    { line: 1, id: 'c', choice: 0, content: 'a' },
    { line: 1, id: 'c', choice: 1, content: 'b' },
  ]);
});

test('keeps the word of the server: none, one, and that of the command line before it', async () => {
  const lines = [{ text: 'a', finish_reason: null }, { text: 'a', finish_reason: 'length' }, { text: 'a' }];
  const reasons = async (finishReason?: string) =>
    (await parseAll(lines, { finishReason })).output.map(
      ({ finishReason: reason }) => (reason as { raw?: string }).raw,
    );
  expect(await reasons()).toEqual([undefined, 'length', 'stop']);
  expect(await reasons('stop')).toEqual(['stop', 'stop', 'stop']);
});

test('reads raw text as the field that it stood in; lines that name their fields keep them', async () => {
  const message = { role: 'assistant', content: 'Hi.', reasoning_content: 'Hm.' };
  const { output } = await parseAll(
    [
      'Hm.</think>Hi.',
      { text: 'Hm.</think>Hi.', reasoning: null },
      { text: 'Hi.', reasoning: 'Hm.' },
      message,
      { choices: [{ index: 0, message }] },
      { model: 'kimi-k2.5', choices: [{ index: 0, text: 'Hm.</think>Hi.' }] },
      raw,
    ],
    { channel: 'reasoning' },
  );
  const both = { reasoning: 'Hm.', content: 'Hi.' };
  expect(output).toMatchObject([
    ...Array.from({ length: 6 }, () => both),
    { reasoning: 'Let me look.', content: '', toolCalls: [{ name: 'read', arguments: '{"a":1}' }] },
  ]);
});

test('knows the thought that a prompt had opened from its end', async () => {
  const choices = [{ index: 0, text: 'Hm.</think>Hello.' }];
  const { output } = await parseAll([
    { model: 'kimi-k2.5', choices },
    { model: 'kimi-k2.5', choices: [{ index: 0, text: 'Hello.' }] },
  ]);
  expect(output).toMatchObject([
    { reasoning: 'Hm.', content: 'Hello.' },
    { reasoning: '', content: 'Hello.' },
  ]);
});

test('writes events instead, each with its line', async () => {
  const { output } = await parseAll([{ id: 'a', text: 'Hi.' }], { events: true });
  expect(output).toEqual([
    { line: 1, id: 'a', event: { type: 'text-delta', delta: 'Hi.' } },
    { line: 1, id: 'a', event: { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' } } },
  ]);
});

test('reads a call that came parsed and leaked once', async () => {
  const { output } = await parseAll([{ role: 'assistant', content: raw, tool_calls: [call] }]);
  expect(output).toMatchObject([
    { toolCalls: [{ id: 'functions.read:0' }], problems: [{ code: 'duplicate-call' }] },
  ]);
});
