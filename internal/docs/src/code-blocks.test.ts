import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Engine, type EngineRequest, startEngine } from '@kimi-tc/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { text } from './given/shared.ts';
import { toModule } from './given.ts';
import { readDocuments, root } from './read-documents.ts';

const blocks = readDocuments().flatMap((document) => document.blocks);
const folder = fileURLToPath(new URL('../.blocks/', import.meta.url));

const modules = blocks
  .filter(({ language }) => language === 'ts')
  .map((block) => ({
    where: `${block.file}:${block.line}`,
    path: `${folder}${block.file.replaceAll('/', '-')}-${block.line}.ts`,
    source: toModule(block),
  }));

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
for (const { path, source } of modules) writeFileSync(path, source);
writeFileSync(
  `${folder}tsconfig.json`,
  // What an example makes need not be used.
  JSON.stringify({
    extends: '../tsconfig.json',
    compilerOptions: { noUnusedLocals: false },
    include: ['*.ts'],
  }),
);

let engine: Engine;

beforeAll(async () => {
  engine = await startEngine({ script: answer, behaviour: 'raw-content' });
  const { fetch } = globalThis;
  // Every server of a document is the pretend engine.
  vi.stubGlobal('fetch', (input: string | URL | Request, init?: RequestInit) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    return fetch(new URL(pathname, engine.url), init);
  });
  vi.stubEnv('MOONSHOT_API_KEY', 'sk-example');
});

afterAll(async () => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  await engine.stop();
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** The model: calls whatever tool is there, and answers once it has a result. */
function answer({ body }: EngineRequest): string {
  const { messages = [], tools = [] } = body as {
    messages?: { role: string }[];
    tools?: { function: { name: string } }[];
  };
  if (messages.some(({ role }) => role === 'tool')) return 'It is a program.';
  if (!tools.some(({ function: { name } }) => name === 'extract')) return text;
  return text
    .replace('read_file', 'extract')
    .replace('{"path":"src/main.ts"}', '{"city":"Oslo","degrees":-3}');
}

describe('the code of the documents', () => {
  test('is found', () => {
    expect(modules.length).toBeGreaterThan(20);
  });

  test('has the right types', { timeout: 300_000 }, () => {
    const compiler = `${root}node_modules/typescript7/bin/tsc`;
    const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], {
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });

  test.each(modules.filter(({ source }) => !source.includes('@kimi-tc/testing/vitest')))(
    'runs: $where',
    async ({ path, source }) => {
      const asked = engine.requests.length;
      const log = vi.spyOn(console, 'log').mockReturnValue();
      const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
      await import(/* @vite-ignore */ path);
      if (source.includes('console.log')) expect(log).toHaveBeenCalled();
      if (source.includes('process.stdout.write')) expect(write).toHaveBeenCalled();
      if (source.includes('await') && /localhost:8000|\{ baseURL|kimi\(|ChatKimi/.test(source)) {
        expect(engine.requests.length).toBeGreaterThan(asked);
      }
    },
  );
});

describe('the JSON of the documents', () => {
  const json = blocks.filter(({ language, code }) => language === 'json' && !code.includes('…'));

  test.each(json)('parses: $file:$line', ({ code }) => {
    JSON.parse(code);
  });
});
