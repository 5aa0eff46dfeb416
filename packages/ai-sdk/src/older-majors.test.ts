import { createRequire } from 'node:module';
import { join } from 'node:path';
import { startEngine } from '@kimi-tc/testing';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';

const section =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"n":1}' +
  '<|tool_call_end|><|tool_calls_section_end|>';
const script = [`<think>Hm.</think>Reading.${section}`, '<think>So.</think>Done.'];

interface Outcome {
  read: number[];
  text: string;
  steps: { reasoningText: string; text: string; finishReason: string }[];
}

/** What the README tells users of these majors to write. */
function toApp(sdk: string, provider: string): string {
  return `
    import { createKimiFetch } from '@kimi-tc/openai';
    import { stepCountIs, streamText, tool } from '${sdk}';
    import { createOpenAICompatible } from '${provider}';
    import { z } from 'zod';

    export async function run(baseURL) {
      const provider = createOpenAICompatible({ name: 'kimi', baseURL, fetch: createKimiFetch() });
      const read = [];
      const result = streamText({
        model: provider('kimi-k2-thinking'),
        tools: { read: tool({ inputSchema: z.object({ n: z.number() }), execute: ({ n }) => read.push(n) }) },
        prompt: 'Read page 1.',
        stopWhen: stepCountIs(5),
      });
      await result.consumeStream();
      const steps = (await result.steps).map(({ reasoningText, text, finishReason }) => ({ reasoningText, text, finishReason }));
      return { read, text: await result.text, steps };
    }
  `;
}

// Bundled, as these majors import packages that do not load under the conditions that tests run with.
async function load(contents: string): Promise<{ run(baseURL: string): Promise<Outcome> }> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    conditions: ['@kimi-tc/source'],
    target: 'node22',
    write: false,
  });
  const module = { exports: {} as { run(baseURL: string): Promise<Outcome> } };
  const require = createRequire(join(import.meta.dirname, 'app.js'));
  new Function('module', 'exports', 'require', outputFiles[0]?.text ?? '')(module, module.exports, require);
  return module.exports;
}

test.each([
  ['AI SDK 5', 'ai-5', 'openai-compatible-1'],
  ['AI SDK 6', 'ai-6', 'openai-compatible-2'],
])('%s through the fetch of @kimi-tc/openai', async (_, sdk, provider) => {
  const engine = await startEngine({ script, behaviour: 'raw-content' });
  onTestFinished(() => engine.stop());
  const { run } = await load(toApp(sdk, provider));
  expect(await run(engine.baseURL)).toEqual({
    read: [1],
    text: 'Done.',
    steps: [
      { reasoningText: 'Hm.', text: 'Reading.', finishReason: 'tool-calls' },
      { reasoningText: 'So.', text: 'Done.', finishReason: 'stop' },
    ],
  });
});
