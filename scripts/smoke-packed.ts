// Installs the tarballs that check:pkg packed into an empty npm project, as a user would, and
// there imports, requires and type-checks every entry of every package.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

interface Manifest {
  name: string;
  exports: Record<string, unknown>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

const packages = readdirSync('packages')
  .filter((name) => existsSync(join('packages', name, 'package.json')))
  .map((name) => ({
    manifest: JSON.parse(readFileSync(join('packages', name, 'package.json'), 'utf8')) as Manifest,
    tarball: resolve('packages', name, '.pack/package.tgz'),
  }));
const nodeTypes = JSON.parse(readFileSync('node_modules/@types/node/package.json', 'utf8')).version;
const tsc = resolve('node_modules/typescript7/bin/tsc');

const project = mkdtempSync(join(tmpdir(), 'kimi-tc-smoke-'));
try {
  write('package.json', JSON.stringify({ name: 'smoke', private: true, type: 'module' }));
  run('npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', ...installed());
  const entries = packages.flatMap(({ manifest }) => entriesOf(manifest));
  runBothWays(entries);
  checkTypes(entries);
  console.log(`imported, required and type-checked: ${entries.join(', ')}`);
} finally {
  rmSync(project, { recursive: true, force: true });
}

function installed(): string[] {
  return [...packages.map(({ tarball }) => tarball), ...optionalPeers(), `@types/node@${nodeTypes}`];
}

/** npm installs the other peers by itself. */
function optionalPeers(): string[] {
  return packages.flatMap(({ manifest: { exports, peerDependencies = {}, peerDependenciesMeta = {} } }) =>
    Object.entries(peerDependencies)
      .filter(([name]) => peerDependenciesMeta[name]?.optional && !(`./${name}` in exports))
      .map(([name, range]) => `${name}@${range}`),
  );
}

/** An entry named after a peer (`./vitest`) runs only inside of it, and is left out. */
function entriesOf({ name, exports, peerDependencies = {} }: Manifest): string[] {
  return Object.keys(exports)
    .map((subpath) => subpath.slice('./'.length))
    .filter((subpath) => !(subpath in peerDependencies))
    .map((subpath) => (subpath === '' ? name : `${name}/${subpath}`));
}

function runBothWays(entries: string[]): void {
  const use = `
    const empty = loaded.filter(({ module }) => Object.keys(module).length === 0);
    if (empty.length > 0) throw new Error('no exports in ' + empty.map(({ entry }) => entry));
    const { parse } = loaded.find(({ entry }) => entry === '@kimi-tc/core').module;
    if (parse('<think>a</think>b').content !== 'b') throw new Error('parse does not parse');`;
  const list = JSON.stringify(entries);
  write(
    'import.mjs',
    `const loaded = await Promise.all(${list}.map(async (entry) => ({ entry, module: await import(entry) })));${use}`,
  );
  write('require.cjs', `const loaded = ${list}.map((entry) => ({ entry, module: require(entry) }));${use}`);
  run('node', 'import.mjs');
  run('node', 'require.cjs');
}

function checkTypes(entries: string[]): void {
  const imports = entries.map((entry, i) => `import * as entry${i} from '${entry}';\nvoid entry${i};`);
  write('main.ts', `${imports.join('\n')}\n`);
  for (const [module, moduleResolution] of [
    ['NodeNext', 'NodeNext'],
    ['ESNext', 'Bundler'],
  ]) {
    const compilerOptions = { module, moduleResolution, target: 'ES2022', lib: ['ES2023'], types: ['node'] };
    const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true };
    write('tsconfig.json', JSON.stringify({ compilerOptions: { ...compilerOptions, ...strict } }));
    const errors = typeErrors().filter((line) => /^(?:main\.ts|node_modules\/@kimi-tc\/)/.test(line));
    if (errors.length > 0) throw new Error(`types under ${module}:\n${errors.join('\n')}`);
  }
}

/** Types of host SDKs do not all pass these settings; what is wrong in them is not ours to report. */
function typeErrors(): string[] {
  const { status, stdout, error } = spawnSync(process.execPath, [tsc, '-p', '.', '--pretty', 'false'], {
    cwd: project,
    encoding: 'utf8',
  });
  if (error || status === null) throw error ?? new Error('tsc did not run');
  const lines = stdout.split('\n').filter((line) => line.includes('error TS'));
  if (status !== 0 && lines.length === 0) throw new Error(`tsc failed: ${stdout}`);
  return lines;
}

function write(file: string, text: string): void {
  writeFileSync(join(project, file), text);
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { cwd: project, stdio: 'inherit', shell: process.platform === 'win32' });
}
