// Run in a package's folder: packs what would be published, then checks the tarball, not the folder,
// because packing rewrites `exports` (the source condition goes) and `workspace:` ranges.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const TARBALL = '.pack/package.tgz';

run('pnpm', 'pack', '--out', TARBALL);
run('publint', 'run', TARBALL, '--strict');
// A package that is only a command has no types to get wrong.
if ('exports' in JSON.parse(readFileSync('package.json', 'utf8')))
  run('attw', TARBALL, '--profile', 'esm-only', '--no-emoji');

function run(command: string, ...args: string[]): void {
  const { status } = spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
}
