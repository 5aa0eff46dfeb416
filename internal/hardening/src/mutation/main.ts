// Changes the parser and the grammar, one small thing at a time, and shows the changes that no test notices:
//     pnpm --filter @kimi-tc/hardening mutate [--unit] [parse/json-scanner.ts …]
// Files are named from packages/core/src; without any, all of parse/ and grammar/ are mutated. The corpus and the laws
// are run against every mutant; with --unit also the unit tests, which takes seconds for each.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const stryker = fileURLToPath(new URL('../../bin/stryker.js', import.meta.resolve('@stryker-mutator/core')));
const words = process.argv.slice(2).filter((word) => word !== '--');
const isUnit = words.includes('--unit');
/** What plays the tests against each mutant. */
const runner = isUnit ? '@stryker-mutator/vitest-runner' : './corpus-runner.ts';
const given = words.filter((word) => word !== '--unit');
const files =
  given.length > 0 ? given : ['parse/*.ts', 'grammar/*.ts', '!parse/problem-messages.ts', '!**/*.test.ts'];
const mutate = files
  .map((file) => (file.startsWith('!') ? `!packages/core/src/${file.slice(1)}` : `packages/core/src/${file}`))
  .join(',');

const { status } = spawnSync(
  process.execPath,
  [
    '--conditions=@kimi-tc/source',
    stryker,
    'run',
    'internal/hardening/src/mutation/stryker.json',
    '--mutate',
    mutate,
    '--plugins',
    fileURLToPath(import.meta.resolve(runner)),
    '--testRunner',
    isUnit ? 'vitest' : 'corpus',
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, KIMI_CORPUS_QUICK: '1', KIMI_LAW_RUNS: '10' },
  },
);
process.exitCode = status ?? 1;
