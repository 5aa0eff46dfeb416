import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTools } from './create-tools.ts';
import { type CallResult, isRunnable, runCall } from './run-call.ts';
import type { Tool } from './tool.ts';

let root: string;
let tools: readonly Tool[];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'kimi-tc-tools-'));
  await mkdir(join(root, 'src/empty'), { recursive: true });
  await writeFile(join(root, 'src/a.ts'), 'const a = 1;\nconst b = a;\n');
  await writeFile(join(root, 'src/b.ts'), 'let c = [a];');
  await writeFile(join(root, 'long.txt'), 'line\n'.repeat(20_000));
  await writeFile(join(root, 'binary'), Buffer.from([0, 1, 2]));
  tools = await createTools(root);
});

afterAll(() => rm(root, { recursive: true, force: true }));

function call(name: string, args: unknown): Promise<CallResult> {
  const signal = new AbortController().signal;
  return runCall(tools, { id: 'functions.x:0', name, arguments: JSON.stringify(args) }, signal);
}

describe('read_file', () => {
  it('reads several files in one call', async () => {
    expect(await call('read_file', { args: [{ path: 'src/a.ts' }, { path: 'src/b.ts' }] })).toEqual({
      ok: true,
      text: '=== src/a.ts ===\nconst a = 1;\nconst b = a;\n\n\n=== src/b.ts ===\nlet c = [a];',
      summary: '2 files, 3 lines',
    });
  });

  it('tells of a file it cannot read, and gives the others', async () => {
    const result = await call('read_file', { args: [{ path: '../secret' }, { path: 'src/b.ts' }] });
    expect(result).toMatchObject({ ok: true, summary: '1 file, 1 line, 1 could not be read' });
    expect(result.text).toContain("=== ../secret ===\nerror: ../secret: '..' is refused in paths");
    expect(result.text).toContain('let c = [a];');
  });

  it('fails if no file can be read', async () => {
    const result = await call('read_file', { args: [{ path: 'nothing.ts' }] });
    expect(result.ok).toBe(false);
    expect(result.text).toMatch(/no such file/);
  });

  it('gives the start of a large file and says so', async () => {
    const { text } = await call('read_file', { args: [{ path: 'long.txt' }] });
    expect(text.length).toBeLessThan(50_000);
    expect(text).toMatch(/\[the first 49152 of 100000 bytes;/);
  });

  it.each([
    [{}, /args: expected a list/],
    [{ args: [] }, /args: expected a list/],
    [{ args: 'src/a.ts' }, /args: expected a list/],
    [{ args: ['src/a.ts'] }, /args\[0\]: expected an object/],
    [{ args: [{ path: '' }] }, /args\[0\]\.path: expected a string/],
    [{ args: [{ path: 5 }] }, /args\[0\]\.path: expected a string/],
    [{ args: [{ path: 'a', lines: 1 }] }, /unknown argument args\[0\]\.lines/],
    [{ args: Array(11).fill({ path: 'src/a.ts' }) }, /at most 10 files/],
    [{ args: [{ path: 'x'.repeat(501) }] }, /at most 500 characters/],
    [{ path: 'src/a.ts' }, /unknown argument path; there are: args/],
  ])('refuses %j', async (args, message) => {
    const result = await call('read_file', args);
    expect(result.ok).toBe(false);
    expect(result.text).toMatch(message);
  });
});

describe('list_files', () => {
  it('lists everything below a folder', async () => {
    expect((await call('list_files', {})).text).toBe(
      'binary\nlong.txt\nsrc/\nsrc/a.ts\nsrc/b.ts\nsrc/empty/',
    );
    expect((await call('list_files', { path: 'src/empty' })).text).toBe('[the folder is empty]');
  });

  it.each([
    [{ path: '/etc' }, /absolute/],
    [{ path: '..' }, /'\.\.' is refused/],
    [{ path: 'long.txt' }, /is not a folder/],
    [{ folder: 'src' }, /unknown argument folder/],
  ])('refuses %j', async (args, message) => {
    const result = await call('list_files', args);
    expect(result.ok).toBe(false);
    expect(result.text).toMatch(message);
  });
});

describe('search_text', () => {
  it('finds lines with their places', async () => {
    expect(await call('search_text', { query: 'a;', path: 'src' })).toEqual({
      ok: true,
      text: 'src/a.ts:2: const b = a;',
      summary: '1 line in 1 file',
    });
  });

  it('takes the text as it is written', async () => {
    expect((await call('search_text', { query: '[a]' })).text).toBe('src/b.ts:1: let c = [a];');
    expect((await call('search_text', { query: 'nowhere' })).text).toBe('[no line contains it]');
  });

  it('stops at a hundred lines', async () => {
    const lines = (await call('search_text', { query: 'line' })).text.split('\n');
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toMatch(/there are more/);
  });

  it.each([
    [{}, /query: expected a string/],
    [{ query: 'a\nb' }, /query: expected a single line/],
    [{ query: 'a', path: '../..' }, /'\.\.' is refused/],
  ])('refuses %j', async (args, message) => {
    const result = await call('search_text', args);
    expect(result.ok).toBe(false);
    expect(result.text).toMatch(message);
  });
});

describe('calculator', () => {
  it('calculates', async () => {
    expect((await call('calculator', { expression: '0.1 + 0.2' })).text).toBe('0.3');
  });

  it('tells what is wrong', async () => {
    expect(await call('calculator', { expression: '1 +' })).toEqual({
      ok: false,
      text: 'error: expected a number at position 4',
      summary: 'expected a number at position 4',
    });
    expect((await call('calculator', { expression: '1'.repeat(301) })).text).toMatch(/at most 300/);
  });
});

describe('any call', () => {
  it('of an unknown tool is answered with the names there are', async () => {
    expect((await call('delete_file', {})).text).toBe(
      'error: there is no tool delete_file; there are: list_files, read_file, search_text, calculator',
    );
  });

  it('needs an object', async () => {
    expect((await call('list_files', [])).text).toBe('error: the arguments must be a JSON object');
  });

  it('that was cut may not run', () => {
    const cut = { id: 'a', name: 'list_files', arguments: '{"path": "sr' };
    expect(isRunnable(cut)).toBe(false);
    expect(isRunnable({ ...cut, arguments: '' })).toBe(false);
    expect(isRunnable({ ...cut, arguments: '{}' })).toBe(true);
  });

  it('ends with the run', async () => {
    const run = runCall(tools, { id: 'a', name: 'list_files', arguments: '{}' }, AbortSignal.abort('stop'));
    await expect(run).rejects.toBe('stop');
  });
});
