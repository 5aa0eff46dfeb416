import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { checkHouse } from './house/check-house.ts';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** What the check says about a house in order once `files` are added: `file:line rule` each. */
function violationsWith(files: Record<string, string>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'house-'));
  roots.push(root);
  for (const [file, text] of Object.entries({ ...HOUSE_IN_ORDER, ...files })) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return checkHouse(root).map(({ file, line, rule }) => `${file}:${line} ${rule}`);
}

function packageFiles(name: string): Record<string, string> {
  const files = { 'README.md': '', 'package.json': '{}', 'tsconfig.json': '{}', 'tsup.config.ts': '' };
  return Object.fromEntries(Object.entries(files).map(([file, text]) => [`packages/${name}/${file}`, text]));
}

const HOUSE_IN_ORDER = {
  ...packageFiles('core'),
  ...packageFiles('openai'),
  ...packageFiles('testing'),
  'packages/core/src/index.ts': `export { parse } from './parse/parse.ts';\nexport type { Turn } from './parse/parse.ts';`,
  'packages/core/src/kimi-error.ts': `export class KimiError extends Error {}`,
  'packages/core/src/grammar/models.ts': `import { KimiError } from '../kimi-error.ts';\nexport const error = new KimiError();`,
  'packages/core/src/normalize.ts': `import { parse } from './parse/parse.ts';\nimport { render } from './prompt/render.ts';\nexport const normalize = () => [parse, render];`,
  'packages/core/src/parse/parse.ts': `import { error } from '../grammar/models.ts';\nexport interface Turn {}\nexport const parse = (): Error => error;`,
  'packages/core/src/parse/parse.test.ts': `import { readFileSync } from 'node:fs';\nimport { parse } from '../index.ts';\nimport { render } from '../prompt/render.ts';\nimport { loadCases } from '@kimi-tc/testing';\nconsole.log(process, readFileSync, parse, render, loadCases);`,
  'packages/core/src/parse/stream.ts': `export class KimiStream extends TransformStream {}`,
  'packages/core/src/prompt/render.ts': `import type { error } from '../grammar/models.ts';\nexport const render = (e: typeof error): string => e.message;`,
  'packages/openai/src/index.ts': `export { toChunk } from './to-chunk.ts';`,
  'packages/openai/src/to-chunk.ts': `import { parse } from '@kimi-tc/core';\nimport type OpenAI from 'openai';\nexport const toChunk = (o: OpenAI): unknown => [o, parse, fetch];`,
  'packages/testing/cases/ids/native.json': '{}',
  'packages/testing/src/index.ts': `export { loadCases } from './load-cases.ts';`,
  'packages/testing/src/load-cases.ts': `import type { Turn } from '@kimi-tc/core';\nexport const loadCases = (): Turn[] => [];`,
};

test('a house in order has no violations', () => {
  expect(violationsWith({})).toEqual([]);
});

test.each([
  [
    'core imports none of our packages',
    'core/src/parse/x.ts',
    `import '@kimi-tc/openai';`,
    'package-imports',
  ],
  ['an adapter imports no sibling', 'openai/src/x.ts', `import '@kimi-tc/langchain';`, 'package-imports'],
  [
    'only tests import testing',
    'openai/src/x.ts',
    `import { a } from '@kimi-tc/testing';`,
    'package-imports',
  ],
  [
    'a package imports no app',
    'openai/src/x.ts',
    `export type A = import('@kimi-tc/agents').A;`,
    'package-imports',
  ],
  [
    'testing imports types alone',
    'testing/src/x.ts',
    `import { parse } from '@kimi-tc/core';`,
    'package-imports',
  ],
  [
    'a relative import stays inside src',
    'openai/src/x.ts',
    `import '../../core/src/index.ts';`,
    'own-folder',
  ],
  ['no file imports its own index', 'openai/src/x.ts', `import { a } from './index.ts';`, 'own-index'],
  ['no file imports its own package', 'openai/src/x.ts', `import { a } from '@kimi-tc/openai';`, 'own-index'],
  ['core imports no package', 'core/src/parse/x.ts', `import { z } from 'zod';`, 'core-is-bare'],
  ['core imports no package lazily', 'core/src/parse/x.ts', `const z = import('zod');`, 'core-is-bare'],
  ['core imports no Node built-in', 'core/src/parse/x.ts', `import fs from 'node:fs';`, 'core-is-bare'],
  ['core uses no Node global', 'core/src/parse/x.ts', `const x = process.env;`, 'core-is-bare'],
  ['core uses no DOM global', 'core/src/parse/x.ts', `const x = () => fetch('');`, 'core-is-bare'],
  ['core takes no way round by globalThis', 'core/src/parse/x.ts', `const x = globalThis;`, 'core-is-bare'],
  ['core has web streams in one file', 'core/src/parse/x.ts', `type A = ReadableStream;`, 'core-is-bare'],
  [
    'that file has nothing but web streams',
    'core/src/parse/stream.ts',
    `setTimeout(Object);`,
    'core-is-bare',
  ],
  ['grammar imports no station', 'core/src/grammar/x.ts', `import '../parse/parse.ts';`, 'core-stations'],
  ['parse does not import prompt', 'core/src/parse/x.ts', `import '../prompt/render.ts';`, 'core-stations'],
  ['request does not import parse', 'core/src/request/x.ts', `import '../parse/parse.ts';`, 'core-stations'],
  [
    'a type counts as an import',
    'core/src/prompt/x.ts',
    `import type {} from '../parse/parse.ts';`,
    'core-stations',
  ],
  ['no station imports a joint', 'core/src/request/x.ts', `import '../normalize.ts';`, 'core-stations'],
  ['no shared file imports a joint', 'core/src/x.ts', `import './normalize.ts';`, 'core-stations'],
  ['a shared file stands on no station', 'core/src/x.ts', `import './grammar/models.ts';`, 'core-stations'],
  ['the index holds no code', 'openai/src/index.ts', `export const a = 1;`, 'index-only-re-exports'],
  [
    'the index names what it exports',
    'openai/src/index.ts',
    `export * from './a.ts';`,
    'index-only-re-exports',
  ],
  ['no file but the index re-exports', 'openai/src/x.ts', `export { a } from './to-chunk.ts';`, 'no-barrels'],
  ['no default export of a value', 'openai/src/x.ts', `export default 1;`, 'no-default-export'],
  [
    'no default export of a function',
    'openai/src/x.ts',
    `export default function a() {}`,
    'no-default-export',
  ],
  [
    'no default export by name',
    'openai/src/x.ts',
    `const a = 1; export { a as default };`,
    'no-default-export',
  ],
  ['no any', 'openai/src/x.ts', `export const a = (b: any): unknown => b;`, 'no-any'],
  ['no any in tests either', 'openai/src/x.test.ts', `const a = [] as any[];`, 'no-any'],
  ['file names are kebab-case', 'openai/src/toPart.ts', '', 'file-names'],
  ['folder names are kebab-case', 'openai/src/Parts/x.ts', '', 'file-names'],
  ['a package holds the allowed files alone', 'openai/notes.md', '', 'package-files'],
  ['case files are for testing', 'openai/cases/a.json', '', 'package-files'],
])('%s', (_, file, text, rule) => {
  const path = rule === 'package-files' ? file.split('/').slice(0, 2).join('/') : file;
  expect(violationsWith({ [`packages/${file}`]: text })).toEqual([`packages/${path}:1 ${rule}`]);
});

test('a host SDK is a peer dependency', () => {
  const manifest = JSON.stringify({ dependencies: { openai: '^7' } });
  expect(violationsWith({ 'packages/openai/package.json': manifest })).toEqual([
    'packages/openai/package.json:1 hosts-are-peers',
  ]);
});

test('every package has the common files', () => {
  expect(violationsWith({ 'packages/ai-sdk/package.json': '{}' })).toEqual([
    'packages/ai-sdk/README.md:1 package-files',
    'packages/ai-sdk/src:1 package-files',
    'packages/ai-sdk/tsconfig.json:1 package-files',
    'packages/ai-sdk/tsup.config.ts:1 package-files',
  ]);
});

test('an app keeps its relative imports to itself and imports any package', () => {
  const main = `import '@kimi-tc/core';\nimport '@kimi-tc/testing';\nimport '../../../packages/core/src/index.ts';`;
  expect(violationsWith({ 'apps/agents/package.json': '{}', 'apps/agents/src/main.ts': main })).toEqual([
    'apps/agents/src/main.ts:3 own-folder',
  ]);
});
