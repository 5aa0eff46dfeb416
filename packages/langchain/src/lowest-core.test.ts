// The lowest @langchain/core that this package supports, under everything that imports the newest: the
// conformance tests once more, the faults of servers, and calls that somebody has changed. In a file of its own as
// modules stay loaded.
import { readFileSync, realpathSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const modules = new URL('../node_modules/', import.meta.url);
const folderOf = (name: string) =>
  `${pathToFileURL(realpathSync(fileURLToPath(new URL(name, modules)))).href}/`;
const newest = folderOf('@langchain/core');
const lowest = folderOf('langchain-core-lowest');
let redirected = 0;

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (!found.url.startsWith(newest)) return found;
    redirected++;
    return { ...found, url: lowest + found.url.slice(newest.length) };
  },
});

await import('./conformance.test.ts');
await import('./chat-kimi.test.ts');
await import('./to-call-pieces.test.ts');

test('it is the lowest', async () => {
  const { dependencies, peerDependencies } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  ) as Record<string, Record<string, string>>;
  const { ChatKimi } = await import('./index.ts');
  const { metadata } = new ChatKimi('kimi-k2', { baseURL: 'http://localhost/v1' });
  const versions = metadata?.versions as Record<string, string>;
  expect(`^${versions['@langchain/core']}`).toBe(peerDependencies?.['@langchain/core']);
  expect(dependencies?.['@langchain/openai']).toBe(`^${versions['@langchain/openai']}`);
  expect(redirected).toBeGreaterThan(10);
});
