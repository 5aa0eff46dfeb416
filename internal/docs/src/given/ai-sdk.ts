import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { tool } from 'ai';
import { z } from 'zod';
import { baseURL, run } from './shared.ts';

export { baseURL, prompt } from './shared.ts';

export const tools = {
  read_file: tool({
    description: 'Reads a file.',
    inputSchema: z.object({ path: z.string() }),
    execute: (input) => run('read_file', input),
  }),
};

/** Stands for the provider of any router. */
export const openrouter = createOpenAICompatible({ name: 'openrouter', baseURL });
