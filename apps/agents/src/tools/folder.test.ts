import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Folder, openFolder } from './folder.ts';
import { ToolError } from './tool.ts';

const signal = new AbortController().signal;
let base: string;
let folder: Folder;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'kimi-tc-folder-'));
  const root = join(base, 'project');
  await mkdir(join(root, 'src/deep'), { recursive: true });
  await mkdir(join(root, 'node_modules/package'), { recursive: true });
  await mkdir(join(base, 'project-secrets'));
  await mkdir(join(base, 'outside'));
  await writeFile(join(root, 'src/a.ts'), 'export const a = 1;\n');
  await writeFile(join(root, 'src/deep/b.ts'), 'b');
  await writeFile(join(root, 'node_modules/package/index.js'), 'x');
  await writeFile(join(root, 'image.png'), Buffer.from([0x89, 0x50, 0x00, 0x01]));
  await writeFile(join(base, 'outside/secret.txt'), 'secret');
  await writeFile(join(base, 'project-secrets/key.txt'), 'secret');
  await symlink(join(base, 'outside/secret.txt'), join(root, 'link-to-file'));
  await symlink(join(base, 'outside'), join(root, 'link-to-folder'));
  await symlink('link-to-folder', join(root, 'link-to-link'));
  await symlink('src/a.ts', join(root, 'link-inside'));
  await symlink('nowhere', join(root, 'link-to-nothing'));
  await symlink('loop', join(root, 'loop'));
  folder = await openFolder(root);
});

afterAll(() => rm(base, { recursive: true, force: true }));

async function refusal(run: Promise<unknown>): Promise<string> {
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ToolError);
  return (error as ToolError).message;
}

describe('what leads out of the folder is refused', () => {
  const ways: [what: string, path: () => string, message: RegExp][] = [
    ['a parent', () => '../outside/secret.txt', /'\.\.' is refused/],
    ['a parent further in', () => 'src/../../outside/secret.txt', /'\.\.' is refused/],
    ['a parent with backslashes', () => '..\\outside\\secret.txt', /'\.\.' is refused/],
    ['a neighbour whose name begins alike', () => '../project-secrets/key.txt', /'\.\.' is refused/],
    ['an absolute path', () => join(base, 'outside/secret.txt'), /absolute/],
    ['an absolute path into the folder', () => join(base, 'project/src/a.ts'), /absolute/],
    ['a drive', () => 'C:\\Windows\\win.ini', /absolute/],
    ['a path relative to a drive', () => 'C:secret.txt', /absolute/],
    ['a network share', () => '\\\\server\\share\\file', /absolute/],
    ['a link to a file outside', () => 'link-to-file', /leads out/],
    ['a link to a folder outside', () => 'link-to-folder/secret.txt', /leads out/],
    ['a link to such a link', () => 'link-to-link/secret.txt', /leads out/],
    ['a null character', () => 'src/a.ts\0.png', /null character/],
  ];
  it.each(ways)('%s', async (_, path, message) => {
    expect(await refusal(folder.readText(path(), 100))).toMatch(message);
    expect(await refusal(folder.walk(path(), signal))).toMatch(message);
  });

  it('also where a walk comes along', async () => {
    const paths = (await folder.walk('.', signal)).map(({ path }) => path);
    expect(paths).toEqual(['image.png', 'src', 'src/a.ts', 'src/deep', 'src/deep/b.ts']);
  });
});

describe('readText', () => {
  it('reads a file, by way of a link inside too', async () => {
    const file = { text: 'export const a = 1;\n', size: 20, cut: false };
    expect(await folder.readText('src/a.ts', 100)).toEqual(file);
    expect(await folder.readText('./src//a.ts', 100)).toEqual(file);
    expect(await folder.readText('link-inside', 100)).toEqual(file);
  });

  it('reads no more than the limit', async () => {
    expect(await folder.readText('src/a.ts', 6)).toEqual({ text: 'export', size: 20, cut: true });
  });

  it.each([
    ['nothing.ts', /no such file/],
    ['src/a.ts/b', /no such file/],
    ['link-to-nothing', /no such file/],
    ['loop', /leads nowhere/],
    ['src', /is a folder/],
    ['image.png', /not a text file/],
    ['x'.repeat(300), /too long/],
  ])('tells what is wrong with %s', async (path, message) => {
    expect(await refusal(folder.readText(path, 100))).toMatch(message);
  });

  it.skipIf(process.platform === 'win32')('does not wait for a pipe', async () => {
    execFileSync('mkfifo', [join(base, 'project/pipe')]);
    expect(await refusal(folder.readText('pipe', 100))).toMatch(/not a regular file/);
    await rm(join(base, 'project/pipe'));
  });
});

it('a walk ends when it is aborted', async () => {
  await expect(folder.walk('.', AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
});
