import { loadPrompts } from '@kimi-tc/testing';
import { describe, expect, test } from 'vitest';
import { resolveModel } from '../grammar/models.ts';
import { type PromptMessage, renderPrompt } from './render.ts';

const MODELS = {
  'k2-instruct': 'moonshotai/Kimi-K2-Instruct-0905',
  'k2-thinking': 'kimi-k2-thinking',
  'k2.5': 'kimi-k2.5',
  'k2.6': 'moonshotai/Kimi-K2.6',
  'k2.7-code': 'kimi-k2.7-code',
};

describe('recorded prompts', () => {
  test.each(loadPrompts())('$id', ({ family, messages, tools, options, expected }) => {
    const input = {
      messages: messages as unknown as PromptMessage[],
      tools,
      thinking: options.thinking,
      preserveThinking: options.preserve_thinking,
      addGenerationPrompt: options.add_generation_prompt,
    };
    const profile = resolveModel(MODELS[family]);
    expect(renderPrompt({ ...input, model: MODELS[family] })).toBe(expected);
    expect(renderPrompt({ ...input, model: profile })).toBe(expected);
    expect(renderPrompt({ ...input, model: family })).toBe(expected);
  });
});
