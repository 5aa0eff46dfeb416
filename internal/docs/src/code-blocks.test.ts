import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Engine, type EngineRequest, startEngine } from '@kimi-tc/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { text } from './given/shared.ts';
import { toModule } from './given.ts';
import { readDocuments, root } from './read-documents.ts';

const blocks = readDocuments().flatMap((document) => document.blocks);
const modules = blocks
  .filter(({ language }) => language === 'ts')
  .map((block) => ({
    where: `${block.file}:${block.line}`,
    name: `${block.file.replaceAll('/', '-')}-${block.line}.ts`,
    source: toModule(block),
  }));

/** Writes modules into a folder of this package, with a configuration of their own; returns where. */
function writeModules(folder: string, sources: Record<string, string>): string {
  const path = fileURLToPath(new URL(`../${folder}/`, import.meta.url));
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path);
  for (const [name, source] of Object.entries(sources)) writeFileSync(`${path}${name}`, source);
  // What an example makes need not be used.
  const compilerOptions = { noUnusedLocals: false };
  writeFileSync(
    `${path}tsconfig.json`,
    JSON.stringify({ extends: '../tsconfig.json', compilerOptions, include: ['*.ts'] }),
  );
  return path;
}

/** What the compiler says about the modules of a folder; nothing, if they are right. */
function compile(folder: string): string {
  const compiler = `${root}node_modules/typescript7/bin/tsc`;
  const args = [compiler, '-p', folder, '--pretty', 'false'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return status === 0 ? stdout : `${stdout}${stderr}` || `exit code ${status}`;
}

const folder = writeModules('.blocks', Object.fromEntries(modules.map(({ name, source }) => [name, source])));

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
    expect(compile(folder)).toBe('');
  });

  test('is missed where it has not', { timeout: 300_000 }, () => {
    const code = 'const turn = parse(text, { tool: tools });\nconsole.log(turn.calls);\n';
    const block = {
      file: 'README.md',
      line: 1,
      language: 'ts',
      code: `import { parse } from '@kimi-tc/core';\n${code}`,
    };
    const wrong = writeModules('.blocks-wrong', { 'wrong.ts': toModule(block) });
    const said = compile(wrong);
    rmSync(wrong, { recursive: true });
    expect(said).toMatch(/'tool' does not exist/);
    expect(said).toMatch(/'calls' does not exist/);
  });

  test.each(modules.filter(({ source }) => !source.includes('@kimi-tc/testing/vitest')))(
    'runs: $where',
    async ({ name, source }) => {
      const asked = engine.requests.length;
      const log = vi.spyOn(console, 'log').mockReturnValue();
      const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
      await import(/* @vite-ignore */ `${folder}${name}`);
      if (source.includes('console.log')) expect(log).toHaveBeenCalled();
      if (source.includes('process.stdout.write')) expect(write).toHaveBeenCalled();
      if (source.includes('await') && /localhost:8000|\{ baseURL|kimi\(|ChatKimi/.test(source)) {
        expect(engine.requests.length).toBeGreaterThan(asked);
      }
    },
  );
});
