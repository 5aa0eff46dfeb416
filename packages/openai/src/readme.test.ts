import { readFileSync } from 'node:fs';
import { startEngine } from '@kimi-tc/testing';
import OpenAI from 'openai';
import { expect, onTestFinished, test } from 'vitest';
import * as ours from './index.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);

/** What the blocks take for granted. */
const scope = ['baseURL', 'apiKey', 'client', 'request', 'model', 'prompt', 'tools', 'console', 'process'];

/** Runs a block; the names it imports are those of this package and of the SDK. */
async function run(code: string, given: Record<string, unknown>): Promise<void> {
  const body = code
    .replaceAll(/^import (\{.*\}) from '@kimi-tc\/openai';$/gm, 'const $1 = ours;')
    .replaceAll(/^import OpenAI from 'openai';$/gm, '');
  expect(body).not.toContain('import ');
  const own = scope.filter((name) => !body.includes(`const ${name} `));
  const block = new Function('ours', 'OpenAI', ...own, `return (async () => {${body}})();`);
  await block(ours, OpenAI, ...own.map((name) => given[name]));
}

test('has blocks to run', () => {
  expect(blocks.length).toBeGreaterThan(3);
});

test.each(blocks)('runs: %s', async (code) => {
  const engine = await startEngine({ script: ['Let me look.'], behaviour: 'raw-content' });
  onTestFinished(() => engine.stop());
  const shown: unknown[] = [];
  const { baseURL } = engine;
  await run(code, {
    baseURL,
    apiKey: 'none',
    client: new OpenAI({ baseURL, apiKey: 'none', fetch: ours.createKimiFetch() }),
    request: { model: 'kimi-k2', messages: [{ role: 'user', content: 'Hi' }], tools: undefined },
    model: 'kimi-k2',
    prompt: 'Hi',
    tools: [],
    console: { log: (value: unknown) => shown.push(value) },
    process: { stdout: { write: (text: string) => shown.push(text) } },
  });
  if (/console|process/.test(code)) expect(JSON.stringify(shown)).toContain('look');
});
