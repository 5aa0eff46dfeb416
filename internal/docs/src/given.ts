import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Block } from './read-documents.ts';

/** What the blocks of a document may use without saying so: the exports of a module in `given/`. */
const givenTo: readonly (readonly [documents: RegExp, module: string])[] = [
  [/^packages\/ai-sdk\//, 'ai-sdk'],
  [/^packages\/langchain\//, 'langchain'],
  [/^packages\/openai\/|^README\.md$|^docs\/migration\.md$/, 'openai'],
  [/^packages\/testing\//, 'testing'],
  [/./, 'core'],
];

/** A block as a module of its own, which imports what it takes for granted. */
export function toModule({ file, code }: Block): string {
  const [, module = 'core'] = givenTo.find(([documents]) => documents.test(file)) ?? [];
  const used = namesOf(module).filter((name) => isUsed(name, code));
  const imported = used.length > 0 ? `import { ${used.join(', ')} } from '../src/given/${module}.ts'; ` : '';
  return `${imported}export {};\n${code}`;
}

function namesOf(module: string): string[] {
  const text = readFileSync(fileURLToPath(new URL(`given/${module}.ts`, import.meta.url)), 'utf8');
  const declared = [...text.matchAll(/^export (?:async function|function|const) (\w+)/gm)];
  const passedOn = [...text.matchAll(/^export \{ (.*) \} from/gm)];
  return [
    ...declared.map(([, name = '']) => name),
    ...passedOn.flatMap(([, names = '']) => names.split(', ')),
  ];
}

/** Whether a name stands in the code as a name, and not as a field or as something that the code declares. */
function isUsed(name: string, code: string): boolean {
  const declared = new RegExp(
    `(?:const|let|function) (?:\\{[^}]*\\b)?${name}\\b[^=]*=|import \\{[^}]*\\b${name}\\b`,
  );
  const stands = new RegExp(`(?<![\\w']|(?<!\\.\\.)\\.)${name}\\b(?!')(?!:)`);
  return stands.test(code) && !declared.test(code);
}
