// The end-to-end tests, in real Chromium against the production build:
//     node e2e/run.ts [--pictures] [arguments of vitest]
// --pictures also writes the pictures of the README.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

if (!existsSync(pathOf('../.next/BUILD_ID'))) {
  console.error('There is no production build. First run: turbo run build --filter=web');
  process.exit(2);
}

const given = process.argv.slice(2);
const pictures = given.includes('--pictures');
const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));
const child = spawn(
  process.execPath,
  [
    vitest,
    'run',
    '--config',
    pathOf('vitest.config.ts'),
    ...given.filter((argument) => argument !== '--pictures'),
  ],
  { stdio: 'inherit', env: { ...process.env, ...(pictures && { E2E_PICTURES: '1' }) } },
);
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
