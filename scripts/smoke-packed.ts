// Installs the tarballs that check:pkg packed into empty projects, as users would with npm and with
// pnpm, under strict rules for peers; and there imports, requires, bundles and type-checks every entry
// of every package, and runs every command. The two projects are independent, and checked side by side.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkBundles } from './packed/bundles.ts';
import { createConsumer, type Manager } from './packed/consumer.ts';
import { readPacked } from './packed/manifest.ts';
import { checkRuns } from './packed/runs.ts';
import { checkTypes } from './packed/types.ts';

const packed = readPacked();

async function check(manager: Manager): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), `kimi-tc-${manager}-`));
  try {
    const consumer = await createConsumer(folder, manager, packed);
    await checkRuns(consumer, packed);
    await checkTypes(consumer, packed);
    // What a bundler finds does not depend on who installed it.
    if (manager === 'npm') await checkBundles(consumer, packed);
    console.log(`${manager}: all entries and commands work`);
  } catch (error) {
    process.exitCode = 1;
    console.error(`${manager}:`, error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await Promise.all([check('npm'), check('pnpm')]);
