import { readFileSync } from 'node:fs';
import * as openaiCompatible from '@ai-sdk/openai-compatible';
import * as openai from '@kimi-tc/openai';
import { startEngine } from '@kimi-tc/testing';
import * as ai from 'ai';
import * as ai6 from 'ai-6';
import * as openaiCompatible2 from 'openai-compatible-2';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import * as ours from './index.ts';

globalThis.AI_SDK_LOG_WARNINGS = false;

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);
const newest: Record<string, object> = {
  ai,
  '@ai-sdk/openai-compatible': openaiCompatible,
  '@kimi-tc/ai-sdk': ours,
  '@kimi-tc/openai': openai,
};

/** Runs the block in which a text stands, and returns the value of one of its names. */
async function run<Result>(
  mark: string,
  result: string,
  given: Record<string, unknown>,
  change = (code: string) => code,
  modules = newest,
): Promise<Result> {
  const code = change(blocks.find((block) => block.includes(mark)) ?? '').replaceAll(
    /^import (\{.*\}) from '(.*)';.*$/gm,
    "const $1 = modules['$2'];",
  );
  expect(code).not.toContain('import ');
  const block = new Function(
    'modules',
    ...Object.keys(given),
    `return (async () => { ${code}; return ${result}; })();`,
  );
  return block(modules, ...Object.values(given));
}

const raw =
  'Let me look.<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0' +
  '<|tool_call_argument_begin|>{"path":"src/main.ts"}<|tool_call_end|><|tool_calls_section_end|>';
const tools = {
  read_file: ai.tool({ inputSchema: z.object({ path: z.string() }), execute: async () => 'A program.' }),
};
const prompt = 'What is in src/main.ts?';

async function start(script: string[], apiKey?: string) {
  const engine = await startEngine({ script, behaviour: 'raw-content', ...(apiKey && { apiKey }) });
  onTestFinished(() => engine.stop());
  return engine;
}

test('has these blocks', () => {
  expect(blocks).toHaveLength(4);
});

test('the first example, with what it is said to give', async () => {
  const engine = await start([raw, 'It is a program.']);
  const result = await run<ai.StreamTextResult<typeof tools, never, never>>(
    'moonshotai/Kimi-K2-Thinking',
    'result',
    { tools, prompt },
    (code) => code.replace('http://localhost:8000/v1', engine.baseURL),
  );
  const [first, last] = await result.steps;
  const { text, toolCalls, finishReason } = first ?? {};
  const said = JSON.parse(/^and with it\n\n```json\n(.*)\n```/m.exec(readme)?.[1] ?? '');
  expect({ text, toolCalls, finishReason }).toMatchObject(said);
  expect(last?.text).toBe('It is a program.');
});

test('Moonshot, thinking switched off', async () => {
  const engine = await start(['Hi.'], 'sk-moonshot');
  vi.stubEnv('MOONSHOT_API_KEY', 'sk-moonshot');
  const send = globalThis.fetch;
  vi.stubGlobal('fetch', (input: unknown, init?: RequestInit) =>
    send(String(input).replace('https://api.moonshot.ai', engine.url), init),
  );
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
  });
  expect(await run('reasoning:', 'text', { prompt })).toBe('Hi.');
  expect(engine.requests[0]?.body).toMatchObject({ thinking: { type: 'disabled' } });
});

test('the middleware', async () => {
  const engine = await start([raw, 'It is a program.']);
  const openrouter = openaiCompatible.createOpenAICompatible({ name: 'some', baseURL: engine.baseURL });
  const model = await run<ai.LanguageModel>('openrouter(', 'model', { openrouter });
  const { text } = await ai.generateText({ model, tools, prompt, stopWhen: ai.isStepCount(2) });
  expect(text).toBe('It is a program.');
});

test('AI SDK 6', async () => {
  const { baseURL } = await start([raw]);
  const modules = { ...newest, '@ai-sdk/openai-compatible': openaiCompatible2 };
  const provider = await run<(id: string) => ai6.LanguageModel>(
    'createKimiFetch',
    'provider',
    { baseURL },
    undefined,
    modules,
  );
  const read_file = ai6.tool({ inputSchema: z.object({ path: z.string() }), execute: ({ path }) => path });
  const { toolCalls } = await ai6.generateText({ model: provider('kimi-k2'), tools: { read_file }, prompt });
  expect(toolCalls).toMatchObject([{ toolName: 'read_file', input: { path: 'src/main.ts' } }]);
});
