import { readFileSync } from 'node:fs';
import { startEngine } from '@kimi-tc/testing';
import { AIMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { FakeListChatModel, FakeStreamingLLM } from '@langchain/core/utils/testing';
import * as langchain from 'langchain';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import * as zod from 'zod';
import * as ours from './index.ts';
import * as middleware from './kimi-agent-middleware.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);

const modules: Record<string, object> = {
  '@kimi-tc/langchain': ours,
  '@kimi-tc/langchain/output-parser': ours,
  '@kimi-tc/langchain/middleware': middleware,
  langchain,
  zod,
};

const raw =
  'Let me look.<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>' +
  '{"path":"src/main.ts"}<|tool_call_end|><|tool_calls_section_end|>';
const readFile = tool(({ path }) => `text of ${path}`, {
  name: 'read_file',
  description: 'Reads a file.',
  schema: zod.z.object({ path: zod.z.string() }),
});

/** A model that has the raw reply once, and then a word. */
class OtherModel extends FakeListChatModel {
  override bindTools(): this {
    return this;
  }
}

/** Runs a block, and returns what it names. */
async function run(
  code: string,
  results: readonly string[],
  given: Record<string, unknown>,
): Promise<unknown[]> {
  const body = code.replaceAll(/^import (\{.*\}) from '(.*)';$/gm, "const $1 = modules['$2'];");
  expect(body).not.toMatch(/^import/m);
  const names = Object.keys(given);
  const block = new Function('modules', ...names, `return (async () => {${body}; return [${results}];})();`);
  return (await block(modules, ...Object.values(given))) as unknown[];
}

const block = (marker: string): string =>
  blocks.find((code) => code.includes(marker)) ?? 'throw new Error("no block")';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('has no block that is not run below', () => {
  expect(blocks).toHaveLength(4);
});

test('the first example', async () => {
  const engine = await startEngine({ script: [raw, 'It is a program.'], behaviour: 'raw-content' });
  onTestFinished(() => engine.stop());
  const code = block('moonshotai/Kimi-K2-Thinking').replace('http://localhost:8000/v1', engine.baseURL);
  const [messages] = (await run(code, ['messages'], { tools: [readFile] })) as [AIMessage[]];
  expect(messages.map(({ text }) => text)).toEqual([
    'What is in src/main.ts?',
    'Let me look.',
    'text of src/main.ts',
    'It is a program.',
  ]);
  expect(messages[1]).toMatchObject({
    content: 'Let me look.',
    tool_calls: [{ name: 'read_file', args: { path: 'src/main.ts' }, id: 'functions.read_file:0' }],
  });
});

test('structured output', async () => {
  const engine = await startEngine({
    script: [
      raw
        .replace('read_file:0', 'extract:0')
        .replace('{"path":"src/main.ts"}', '{"city":"Oslo","degrees":-3}'),
    ],
    behaviour: 'raw-content',
    apiKey: 'sk-moonshot',
  });
  onTestFinished(() => engine.stop());
  vi.stubEnv('MOONSHOT_API_KEY', 'sk-moonshot');
  const fetch: typeof globalThis.fetch = (input, init) =>
    globalThis.fetch(String(input).replace('https://api.moonshot.ai', engine.url), init);
  const code = block('withStructuredOutput').replace('thinking: false', 'thinking: false, fetch');
  expect(await run(code, ['weather'], { fetch })).toEqual([{ city: 'Oslo', degrees: -3 }]);
  expect(engine.requests[0]?.body).toMatchObject({ thinking: { type: 'disabled' } });
});

test('the parser', async () => {
  const shown: unknown[][] = [];
  const console = { log: (...values: unknown[]) => shown.push(values) };
  const llm = new FakeStreamingLLM({ responses: [raw] });
  await run(block('KimiOutputParser'), [], { llm, tools: [readFile], console });
  expect(shown.map(([content]) => content).join('')).toBe('Let me look.');
  expect(JSON.stringify(shown)).toContain('read_file');
});

test('the middleware', async () => {
  const otherModel = new OtherModel({ responses: [raw, 'It is a program.'] });
  const [messages] = (await run(block('otherModel'), ['messages'], { otherModel, tools: [readFile] })) as [
    AIMessage[],
  ];
  expect(messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
  expect(AIMessage.isInstance(messages.at(-1)) && messages.at(-1)?.text).toBe('It is a program.');
});
