// Changes the parser and the grammar, one small thing at a time, and shows the changes that no test notices:
//     pnpm --filter @kimi-tc/hardening mutate [parse/json-scanner.ts …]
// Files are named from packages/core/src; without any, all of parse/ and grammar/ are mutated, which takes hours.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const stryker = fileURLToPath(new URL('../bin/stryker.js', import.meta.resolve('@stryker-mutator/core')));
const plugin = fileURLToPath(import.meta.resolve('@stryker-mutator/vitest-runner'));
const given = process.argv.slice(2).filter((word) => word !== '--');
const files =
  given.length > 0 ? given : ['parse/*.ts', 'grammar/*.ts', '!parse/problem-messages.ts', '!**/*.test.ts'];
const mutate = files
  .map((file) => (file.startsWith('!') ? `!packages/core/src/${file.slice(1)}` : `packages/core/src/${file}`))
  .join(',');

const { status } = spawnSync(
  process.execPath,
  [stryker, 'run', 'internal/hardening/src/mutation/stryker.json', '--mutate', mutate, '--plugins', plugin],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, KIMI_CORPUS_QUICK: '1', KIMI_LAW_RUNS: '10' },
  },
);
process.exitCode = status ?? 1;
