import type { PromptMessage, ToolDefinition } from '@kimi-tc/core';
import { functionTool, text } from './shared.ts';

export { baseURL, run, text } from './shared.ts';

export const tools: ToolDefinition[] = [functionTool];

export const messages: PromptMessage[] = [{ role: 'user', content: 'What is in src/main.ts?' }];

/** Asks a server for a text completion. */
export async function complete(prompt: string, { stop }: { stop: string[] }): Promise<string> {
  if (!prompt.includes('read_file') || stop.length !== 1) throw new Error('not the prompt of the document');
  return text;
}

export const textStream: ReadableStream<string> = new ReadableStream({
  start(controller) {
    for (const unit of text) controller.enqueue(unit);
    controller.close();
  },
});
