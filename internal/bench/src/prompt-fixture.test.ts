import { type PromptMessage, parse, renderPrompt } from '@kimi-tc/core';
import { describe, expect, it } from 'vitest';
import { offeredTools } from './fixtures.ts';
import { createPromptFixture, MESSAGES_PER_ROUND, QUOTE, ROUNDS_PER_QUOTE } from './prompt-fixture.ts';
import { REQUEST_MESSAGES } from './requests.ts';

const BREAK = '\u200b';

/** The prompt of a message, spelled out. */
function spellOut(message: PromptMessage): string {
  const { role, content, reasoning_content: reasoning, tool_calls: calls, tool_call_id: id } = message;
  const call = calls?.[0];
  const section = call
    ? `<|tool_calls_section_begin|><|tool_call_begin|>${call.id}<|tool_call_argument_begin|>${call.function?.arguments}<|tool_call_end|><|tool_calls_section_end|>`
    : '';
  if (role === 'user') return `<|im_user|>user<|im_middle|>${content}<|im_end|>`;
  if (role === 'tool') return `<|im_system|>tool<|im_middle|>## Return of ${id}\n${content}<|im_end|>`;
  return `<|im_assistant|>assistant<|im_middle|><think>${reasoning}</think>${content}${section}<|im_end|>`;
}

const roundOf = ['user', 'assistant', 'tool', 'assistant'];

describe.each(REQUEST_MESSAGES)('%i messages', (count) => {
  const fixture = createPromptFixture(count);
  const { messages } = fixture;
  const rounds = count / MESSAGES_PER_ROUND;

  it('are whole rounds of question, call, result and answer', () => {
    expect(messages.map(({ role }) => role)).toEqual(Array.from({ length: rounds }, () => roundOf).flat());
    for (let at = 1; at < count; at += MESSAGES_PER_ROUND) {
      expect(messages[at]?.tool_calls?.map((call) => call.id)).toEqual([messages[at + 1]?.tool_call_id]);
    }
  });

  it('come as the prompt of the template: tools, every message with its thought, the open thought', () => {
    const prompt = renderPrompt(fixture);
    const [declaration = ''] = prompt.split('<|im_end|>', 1);
    expect(declaration).toMatch(/^<\|im_system\|>tool_declare<\|im_middle\|># Tools\n/);
    expect(declaration.match(/^type \w+ = /gm)).toHaveLength(30);
    const rest = prompt.slice(`${declaration}<|im_end|>`.length);
    const expected = `${messages.map(spellOut).join('')}<|im_assistant|>assistant<|im_middle|><think>`;
    expect(rest === expected).toBe(true);
  });

  it('hold quoted control tokens, which `break` takes apart and nothing else', () => {
    const kept = renderPrompt(fixture);
    const broken = renderPrompt({ ...fixture, specialTokensInText: 'break' });
    const quotes = Math.ceil(rounds / ROUNDS_PER_QUOTE);
    const apart = QUOTE.replaceAll('<|', `<${BREAK}|`);
    expect(kept.split(QUOTE)).toHaveLength(quotes + 1);
    expect(broken.split(BREAK)).toHaveLength(3 * quotes + 1);
    expect(broken === kept.replaceAll(QUOTE, apart)).toBe(true);
  });
});

it('has the model speak as the parser reads it', () => {
  const { messages } = createPromptFixture(MESSAGES_PER_ROUND);
  const message = messages[1] as PromptMessage;
  const written = spellOut(message).slice(
    '<|im_assistant|>assistant<|im_middle|>'.length,
    -'<|im_end|>'.length,
  );
  expect(parse(written, { tools: offeredTools() })).toMatchObject({
    reasoning: message.reasoning_content,
    content: message.content,
    toolCalls: [{ id: 'functions.read_file:0', arguments: message.tool_calls?.[0]?.function?.arguments }],
    problems: [],
  });
});
