import { expect, test } from 'vitest';
import { type KimiChunkChoice, KimiError, transformKimiCompletion } from './index.ts';

const call = '<|tool_call_begin|>look:3<|tool_call_argument_begin|>{"at":1}<|tool_call_end|>';

function repair(message: object, finish_reason: string | null = 'stop', more: object = {}) {
  const completion = { id: 'c', choices: [{ index: 0, message, finish_reason, ...more }] };
  return transformKimiCompletion<{
    id: string;
    usage?: unknown;
    choices: { index: number; message: object }[];
  }>(completion);
}

test('a completion whose usage is null passes as the same object', () => {
  const message = { role: 'assistant', content: 'Hi.' };
  const completion = { choices: [{ index: 0, message, finish_reason: 'stop' }], usage: null };
  expect(transformKimiCompletion(completion)).toBe(completion);
});

test('a message of nothing but calls has no content', () => {
  expect(repair({ role: 'assistant', content: call }).choices[0]?.message).toEqual({
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'functions.look:3', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
    ],
  });
  expect(repair({ role: 'assistant', content: '<|im_end|>' }).choices[0]?.message).toMatchObject({
    content: '',
  });
});

test('content that was null stays null', () => {
  const message = { role: 'assistant', content: null, reasoning: call };
  expect(repair(message).choices[0]?.message).toMatchObject({ content: null });
});

test('reasoning stands in both fields unless the server fills reasoning_content alone', () => {
  const [text, both] = ['<think>a</think>b', { reasoning: 'a', reasoning_content: 'a' }];
  expect(repair({ role: 'assistant', content: text }).choices[0]?.message).toMatchObject(both);
  expect(repair({ role: 'assistant', content: 'b', reasoning: 'a' }).choices[0]?.message).toMatchObject(both);
  const own = repair({ role: 'assistant', content: `b${call}`, reasoning_content: 'a' }).choices[0]?.message;
  expect(own).toMatchObject({ reasoning_content: 'a' });
  expect(own).not.toHaveProperty('reasoning');
});

test('reasoning that was nothing but a call goes', () => {
  const message = repair({ role: 'assistant', content: 'b', reasoning_content: call }).choices[0]?.message;
  expect(message).not.toHaveProperty('reasoning_content');
  expect(message).toMatchObject({ content: 'b', tool_calls: [{ id: 'functions.look:3' }] });
});

test('an empty role or type is repaired', () => {
  const entry = { id: 'x', type: '', function: { name: 'look', arguments: '{}' } };
  expect(repair({ role: '', content: 'a' }).choices[0]?.message).toEqual({ role: 'assistant', content: 'a' });
  expect(
    repair({ role: 'assistant', content: null, tool_calls: [entry] }, 'tool_calls').choices[0]?.message,
  ).toEqual({
    role: 'assistant',
    content: null,
    tool_calls: [{ ...entry, type: 'function' }],
  });
});

test('an index of calls that is not their place goes, one that is stays', () => {
  const entry = (id: string) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } });
  const message = (...indexes: number[]) => ({
    role: 'assistant',
    content: null,
    tool_calls: indexes.map((index, at) => ({ index, ...entry(`call_${at}`) })),
  });
  expect(repair(message(0, 0), 'tool_calls').choices[0]?.message).toEqual({
    role: 'assistant',
    content: null,
    tool_calls: [entry('call_0'), entry('call_1')],
  });
  const inPlace = message(0, 1);
  expect(repair(inPlace, 'tool_calls').choices[0]?.message).toBe(inPlace);
});

test('a missing finish reason is found, the server’s own stands under x_kimi', () => {
  expect(repair({ role: 'assistant', content: 'a' }, null).choices[0]).toMatchObject({
    finish_reason: 'stop',
    x_kimi: { finish_reason: null, problems: [{ code: 'stream-ended-early' }] },
  });
});

test.each([[null], [undefined], [3]])('a message that is none is an empty turn: %j', (message) => {
  const codes: string[] = [];
  const given = { choices: [{ index: 0, message, finish_reason: 'stop' }] };
  const { choices } = transformKimiCompletion(given as never, {
    onProblem: ({ code }) => codes.push(code),
  }) as unknown as { choices: unknown[] };
  expect(choices).toEqual([
    {
      index: 0,
      message: { role: 'assistant', content: null },
      finish_reason: 'stop',
      x_kimi: { problems: [expect.objectContaining({ code: 'empty-turn' })] },
    },
  ]);
  expect(codes).toEqual(['empty-turn']);
});

test('usage on a choice is told where clients look for it', () => {
  const usage = { total_tokens: 3 };
  const message = { role: 'assistant', content: 'a' };
  expect(repair(message, 'stop', { usage }).usage).toEqual(usage);
  const own = { total_tokens: 4 };
  const completion = { usage: own, choices: [{ index: 0, message, finish_reason: 'stop', usage }] };
  expect(transformKimiCompletion(completion)).toBe(completion);
});

test('unknown fields stay', () => {
  const repaired = repair({ role: 'assistant', content: call, annotations: [1] }, 'stop', {
    matched_stop: 5,
  });
  expect(repaired).toMatchObject({ id: 'c', choices: [{ matched_stop: 5, message: { annotations: [1] } }] });
});

test('x_kimi counts calls as the message does', () => {
  const calls = [
    { id: '', type: 'function', function: { name: 'look', arguments: '{"at":' } },
    { id: 'y', type: 'function', function: { name: 'look', arguments: '{}' } },
  ];
  const { choices } = repair({ role: 'assistant', content: call, tool_calls: calls }, 'length');
  expect(choices[0]).toMatchObject({
    finish_reason: 'length',
    message: { tool_calls: [{ id: 'y' }, { id: 'functions.look:3' }] },
    x_kimi: {
      tool_calls: [{ index: 1, id: 'functions.look:3', raw_id: 'look:3' }],
      incomplete_tool_calls: [{ index: 2, name: 'look', arguments: '{"at":', reason: 'truncated-call' }],
    },
  });
});

test('problems name the same call as the other fields of x_kimi', () => {
  const calls = [
    { id: 'x', type: 'function', function: { name: 'look', arguments: '{"at":' } },
    { id: 'y', type: 'function', function: { name: 'look', arguments: '{"at":[' } },
  ];
  const [choice] = repair({ role: 'assistant', content: call, tool_calls: calls }, 'length').choices;
  const { problems, tool_calls, incomplete_tool_calls } = (choice as unknown as KimiChunkChoice).x_kimi ?? {};
  const codesOf = (index?: number) => problems?.filter((one) => one.index === index).map(({ code }) => code);
  expect(tool_calls).toMatchObject([{ index: 0, raw_id: 'look:3' }]);
  expect(codesOf(0)).toEqual(['id-rewritten']);
  expect(incomplete_tool_calls).toMatchObject([
    { index: 1, id: 'x' },
    { index: 2, id: 'y' },
  ]);
  expect(codesOf(1)).toEqual(['truncated-call']);
  expect(codesOf(2)).toEqual(['truncated-call']);
});

test('each of many calls is looked at a few times, however many there are', () => {
  let looks = 0;
  const calls = Array.from({ length: 300 }, (_, at) => ({
    get id() {
      looks++;
      return `functions.f:${at}`;
    },
    function: { name: 'f', arguments: '{}' },
  }));
  const message = { role: 'assistant', content: null, tool_calls: calls };
  const { choices } = transformKimiCompletion({
    choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
  });
  expect(choices[0]?.message).toMatchObject({ tool_calls: Array(300).fill({ type: 'function' }) });
  expect(looks).toBeLessThan(20 * calls.length);
});

test('a wrong option is told', () => {
  expect(() =>
    transformKimiCompletion({ choices: [] }, { promptOpensThink: 1 as unknown as boolean }),
  ).toThrow(KimiError);
});
