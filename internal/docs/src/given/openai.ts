import OpenAI from 'openai';
import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions';
import { apiKey, baseURL, functionTool } from './shared.ts';

export { apiKey, baseURL, prompt, run, text } from './shared.ts';

export const model: string = 'kimi-k2-thinking';

export const tools = [functionTool];

export const client: OpenAI = new OpenAI({ baseURL, apiKey });

export const request: Omit<ChatCompletionCreateParams, 'stream'> & { tools: typeof tools } = {
  model,
  messages: [{ role: 'user', content: 'What is in src/main.ts?' }],
  tools,
};
