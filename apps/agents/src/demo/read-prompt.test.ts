import { loadPrompts } from '@kimi-tc/testing';
import { describe, expect, it } from 'vitest';
import { readPrompt } from './read-prompt.ts';

const begin = '<|im_assistant|>assistant<|im_middle|>';

function recorded(name: string): ReturnType<typeof loadPrompts>[number] {
  const found = loadPrompts().find(({ id }) => id === `k2-thinking/${name}`);
  if (!found) throw new Error(`there is no prompt ${name}`);
  return found;
}

describe('a recorded prompt', () => {
  it('gives back its tools, calls and results', () => {
    const { expected, tools, messages } = recorded('tool_roundtrip_object_args');
    const read = readPrompt(expected);
    expect(read.tools).toEqual(tools);
    const [question, , result] = messages;
    const [system, user, reply, answer] = read.messages;
    expect(system?.role).toBe('system');
    expect([user, answer]).toEqual([question, result]);
    expect(reply).toEqual({
      role: 'assistant',
      reasoning_content: 'need tool',
      content: '',
      tool_calls: [
        {
          id: 'functions.get_weather:0',
          function: {
            name: 'get_weather',
            arguments: '{"city": "São Paulo \\"x\\"", "days": 3, "nested": {"a": [1, true, null, "é"]}}',
          },
        },
      ],
    });
  });

  it('has its calls in order, and thoughts of the running loop only', () => {
    const calls = readPrompt(recorded('parallel_calls_global_index').expected).messages.map(
      ({ tool_calls: list }) => list,
    );
    expect(JSON.stringify(calls.filter(Boolean))).toMatch(/functions\.\w+:0.*functions\.\w+:1/);
    const thoughts = readPrompt(recorded('multi_turn_reasoning_history').expected).messages.flatMap(
      ({ role, reasoning_content: thought }) => (role === 'assistant' ? [thought] : []),
    );
    expect(thoughts[0]).toBe('');
  });

  it('with a control token in a text is refused', () => {
    expect(() => readPrompt(recorded('special_tokens_in_content').expected)).toThrow(/of the prompt/);
  });
});

it.each([
  ['', /does not end in/],
  [`Hello.<|im_end|>${begin}`, /message 0 of the prompt begins with "Hello\."/],
  [`<|im_user|>system<|im_middle|>x<|im_end|>${begin}`, /message 0 of the prompt begins with/],
  [`<|im_assistant|>assistant<|im_middle|>x<|im_end|>${begin}`, /no closed thought at its beginning/],
  [
    `<|im_assistant|>assistant<|im_middle|><think></think><|tool_calls_section_begin|> <|tool_calls_section_end|><|im_end|>${begin}`,
    /a broken section of calls/,
  ],
  [`<|im_system|>tool_declare<|im_middle|>{}<|im_end|>${begin}`, /declares no list of tools/],
])('refuses %j', (prompt, message) => {
  expect(() => readPrompt(prompt)).toThrow(message);
});
