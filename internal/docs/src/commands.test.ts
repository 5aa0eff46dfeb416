import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readDocuments, root } from './read-documents.ts';

const ofDocuments = readDocuments()
  .flatMap(({ blocks }) => blocks)
  .filter(({ language }) => language === 'sh')
  .flatMap(({ file, code }) => code.split('\n').map((line) => ({ file, command: withoutExtras(line) })));

const workflows = '.github/workflows';
const ofWorkflows = readdirSync(join(root, workflows)).flatMap((name) => {
  const file = `${workflows}/${name}`;
  // `version` and `publish` are what the action for changesets runs.
  const steps = readFileSync(join(root, file), 'utf8').matchAll(/^ +(?:- )?(?:run|version|publish): (.+)$/gm);
  return [...steps].map(([, command = '']) => ({ file, command }));
});

const commands = [...ofDocuments, ...ofWorkflows].filter(({ command }) => command !== '');

/** A line without its comment, the variables in front, and what it is piped into or from. */
function withoutExtras(line: string): string {
  return line
    .replace(/\s+#.*/, '')
    .replace(/^(?:[A-Z_]+=\S+ )+/, '')
    .replace(/^source <\((.*)\)$/, '$1')
    .replace(/ [|>] .*$/, '')
    .trim();
}

interface Manifest {
  name: string;
  scripts?: Record<string, string>;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
}

const members = ['packages', 'apps', 'internal']
  .flatMap((kind) => readdirSync(join(root, kind)).map((name) => `${kind}/${name}`))
  .filter((folder) => existsSync(join(root, folder, 'package.json')))
  .map(readManifest);

const catalog = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8');

/** What pnpm does by itself. */
const ownCommands = ['install', 'exec', 'add', 'changeset', 'vitest'];

function hasScript(script: string | undefined, { scripts = {} }: Manifest): boolean {
  return script !== undefined && (script in scripts || ownCommands.includes(script));
}

/** What is wrong with a command, if anything is. */
function findFault(command: string, folder = '.'): string | undefined {
  const [program, ...args] = command.split(' ');
  switch (program) {
    case 'npm':
    case 'pnpm': {
      const [first, ...rest] = args;
      if (first === 'install' || first === 'add') return rest.map(findUnknownPackage).find(Boolean);
      if (first === '--filter') {
        const member = members.find(({ name }) => name === rest[0]);
        if (!member) return `no workspace is called ${rest[0]}`;
        return hasScript(rest[1], member) ? undefined : `${member.name} has no script ${rest[1]}`;
      }
      const script = first === 'run' ? rest[0] : first;
      return hasScript(script, readManifest('.')) ? undefined : `there is no script ${script}`;
    }
    case 'node': {
      const [file = '', ...rest] = args.filter((arg) => !arg.startsWith('--conditions='));
      if (file === 'scripts/pnpm.mjs') return findFault(`pnpm ${rest.join(' ')}`);
      const there = [folder, '.'].some((from) => existsSync(join(root, from, file)));
      return there ? undefined : `there is no ${file}`;
    }
    case 'npx':
      return args[0] === '@kimi-tc/gateway' ? undefined : `npx ${args[0]} is not ours`;
    case 'kimi-tc':
      return undefined; // the gateway's own test holds its README to the command
    default:
      return existsSync(join(root, program ?? '')) ? undefined : `no test knows ${program}`;
  }
}

function findUnknownPackage(name: string): string | undefined {
  const known = name.startsWith('-') || members.some((member) => member.name === name);
  return known || new RegExp(`^ {2}'?${name}'?: `, 'm').test(catalog) ? undefined : `unknown package ${name}`;
}

describe('the commands of the documents and of CI', () => {
  test('are found', () => {
    expect(ofDocuments.length).toBeGreaterThan(20);
    expect(ofWorkflows.length).toBeGreaterThan(5);
  });

  test.each(commands)('exist: $command', ({ file, command }) => {
    expect(findFault(command, dirname(file))).toBeUndefined();
  });

  test('are missed where they do not', () => {
    const wrong = [
      'npm run nothing',
      'pnpm --filter nobody dev',
      'npm install not-a-package',
      'make',
      'npx cowsay',
    ];
    expect(wrong.every((command) => findFault(command) !== undefined)).toBe(true);
  });
});
