// The lowest langchain that this package supports, in place of the newest: the tests of agents once more.
import { readFileSync, realpathSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const modules = new URL('../node_modules/', import.meta.url);
const folderOf = (name: string) =>
  `${pathToFileURL(realpathSync(fileURLToPath(new URL(name, modules)))).href}/`;
const newest = folderOf('langchain');
const lowest = folderOf('langchain-lowest');
let redirected = 0;

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (!found.url.startsWith(newest)) return found;
    redirected++;
    return { ...found, url: lowest + found.url.slice(newest.length) };
  },
});

await import('./kimi-agent-middleware.test.ts');
await import('./agents.test.ts');

test('it is the lowest', () => {
  const versionOf = (folder: string) =>
    (JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as { version: string }).version;
  const own = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    peerDependencies: Record<string, string>;
  };
  expect(`^${versionOf(lowest)}`).toBe(own.peerDependencies.langchain);
  expect(redirected).toBeGreaterThan(0);
});
