import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root: string = fileURLToPath(new URL('../../../', import.meta.url));

/** A fenced block of a document. */
export interface Block {
  /** Path from the root, with forward slashes. */
  readonly file: string;
  /** Of its first line of code, from 1. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

export interface Document {
  readonly file: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** Every document of the repository; changelogs and changesets are history. */
export function readDocuments(): readonly Document[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed
    .split('\n')
    .filter((file) => file !== '' && !/(^|\/)CHANGELOG\.md$|^\.changeset\//.test(file))
    .map((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return { file, text, blocks: readBlocks(file, text) };
    });
}

function readBlocks(file: string, text: string): Block[] {
  return [...text.matchAll(/^( *)```([a-z]+)\n([\s\S]*?)^ *```$/gm)].map((found) => {
    const [, indent = '', language = '', code = ''] = found;
    return {
      file,
      line: text.slice(0, found.index).split('\n').length + 1,
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    };
  });
}
