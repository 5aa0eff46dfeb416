import { expect, test } from 'vitest';
import { createChunkTransform } from './chunk-transform.ts';
import { toCompletion } from './to-completion.ts';
import { renameTools } from './tool-names.ts';

const toolNames = new Map([['a_b', 'a.b']]);
const tools = ['a_b', 'plain'].map((name) => ({ type: 'function' as const, function: { name } }));
const call = (name: string) => ({
  id: `functions.${name}:0`,
  type: 'function',
  function: { name, arguments: '{}' },
});
const leaked =
  '<|tool_call_begin|>functions.a_b:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_call_begin|>functions.a_b:1<|tool_call_argument_begin|>{"x';

const namesIn = (value: unknown) =>
  [...JSON.stringify(value).matchAll(/"name":"([^"]*)"/g)].map(([, name]) => name);

test('a completion has the names of the caller, however the call came', () => {
  const completion = (message: object) => ({
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'tool_calls' }],
  });
  const native = toCompletion(completion({ content: null, tool_calls: [call('a_b'), call('plain')] }), {
    tools,
    toolNames,
  });
  expect(namesIn(native)).toEqual(['a.b', 'plain']);
  const text = toCompletion(completion({ content: leaked }), { tools, toolNames });
  expect(namesIn(text)).toEqual(['a.b', 'a.b']);
});

test('so do chunks, those that pass as they are and those that are made', () => {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  });
  const play = (...chunks: object[]) => {
    const transform = createChunkTransform({ tools, toolNames });
    return [...chunks.flatMap((one) => transform.push(one as Record<string, unknown>)), ...transform.end()];
  };
  const native = { role: 'assistant', tool_calls: [{ index: 0, ...call('a_b') }] };
  expect(namesIn(play(chunk(native), chunk({}, 'tool_calls')))).toEqual(['a.b']);
  // The second call was cut: it is begun on the wire, and named again among the incomplete ones.
  expect(namesIn(play(chunk({ role: 'assistant', content: leaked }), chunk({}, 'length')))).toEqual([
    'a.b',
    'a.b',
    'a.b',
  ]);
});

test('what was sent under its own name passes as the same object', () => {
  const reply = { choices: [{ index: 0, message: { tool_calls: [call('plain')] } }, null] };
  expect(renameTools(reply, toolNames)).toBe(reply);
  expect(renameTools({ choices: 3 }, toolNames)).toEqual({ choices: 3 });
});
