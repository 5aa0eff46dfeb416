import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const tools = fileURLToPath(new URL('../../../.tools', import.meta.url));

/**
 * Installs a runtime that comes as an npm package into `.tools/`, unless it is there.
 *
 * @param spec the package that holds the binary itself, with its exact version
 * @param binary path of the binary in that package
 * @returns path of the binary
 */
export function fetchRuntime(spec: string, binary: string): string {
  const home = join(tools, spec.replaceAll('/', '+'));
  const path = join(home, 'node_modules', spec.slice(0, spec.lastIndexOf('@')), binary);
  if (existsSync(path)) return path;
  const draft = `${home}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  const flags = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', '--prefix', '.', ...flags, spec], {
    cwd: draft,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) {
    rmSync(draft, { recursive: true, force: true });
    throw new Error(`npm could not install ${spec}`);
  }
  rmSync(home, { recursive: true, force: true });
  renameSync(draft, home);
  return path;
}
