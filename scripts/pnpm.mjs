#!/usr/bin/env node
// Runs `pnpm ...arguments` with a Node.js and a pnpm that this workspace can use.
// The caller's own are used where they are new enough. What is too old or missing is
// installed once, from the npm registry, into .tools/, and nowhere else.
// No dependencies here, and no syntax newer than Node.js 18.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { packageManager, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const nodeFloor = engines.node.replace('>=', '');
const pnpm = packageManager.split('+')[0];
const shell = process.platform === 'win32';

function atLeast(version, floor) {
  const [have, want] = [version, floor].map((text) => text.trim().replace(/^v/, '').split('.').map(Number));
  for (let i = 0; i < 3; i++) if (have[i] !== want[i]) return have[i] > want[i];
  return true;
}

function ownPnpmIsFine() {
  const env = { ...process.env, COREPACK_ENABLE_DOWNLOAD_PROMPT: '0' };
  const asked = spawnSync('pnpm', ['--version'], {
    cwd: root,
    env,
    shell,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return asked.status === 0 && atLeast(asked.stdout, '11.0.0');
}

const missing = [];
if (!atLeast(process.versions.node, nodeFloor)) {
  // node-linux-* hold the binary itself; `node` fetches that of any other platform when it is installed.
  const direct = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
  missing.push(direct ? `node-linux-${process.arch}@24.22.3` : 'node@24.21.0');
}
if (!ownPnpmIsFine()) missing.push(pnpm);

const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', NEXT_TELEMETRY_DISABLED: '1' };
if (missing.length > 0) {
  const home = join(root, '.tools', missing.join('+'));
  if (!existsSync(home)) {
    console.error(
      `Fetching ${missing.join(' and ')} into .tools/ (this once; your own Node.js is ${process.version})`,
    );
    const draft = `${home}.${process.pid}`;
    mkdirSync(draft, { recursive: true });
    const flags = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];
    const done = spawnSync('npm', ['install', '--prefix', '.', ...flags, ...missing], {
      cwd: draft,
      shell,
      stdio: ['ignore', 2, 2],
    });
    if (done.status !== 0) {
      rmSync(draft, { recursive: true, force: true });
      console.error(
        `That failed. Install Node.js ${nodeFloor} or newer and ${pnpm} by hand, then try again.`,
      );
      process.exit(1);
    }
    try {
      renameSync(draft, home);
    } catch (error) {
      rmSync(draft, { recursive: true, force: true }); // another run was first
      if (!existsSync(home)) throw error;
    }
  }
  const key = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  env[key] = join(home, 'node_modules', '.bin') + delimiter + (env[key] ?? '');
}

const child = spawn('pnpm', process.argv.slice(2), { cwd: root, env, shell, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 1)));
