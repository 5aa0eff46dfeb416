import { expect, test } from 'vitest';
import { loadPrompts } from './load-prompts.ts';

test('reads all recorded prompts', () => {
  const prompts = loadPrompts();
  expect(prompts).toHaveLength(84);
  expect(new Set(prompts.map(({ id }) => id)).size).toBe(84);
  expect(prompts.find(({ id }) => id === 'k2.5/user_only')?.expected).toBe(
    '<|im_user|>user<|im_middle|>hi<|im_end|><|im_assistant|>assistant<|im_middle|><think>',
  );
});
