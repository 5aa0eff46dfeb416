import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { behaviours } from './engine/behaviours.ts';

test('the README lists every behaviour, as the table has it', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, table = ''] = readme.split('## Behaviours');
  const listed = table.match(/^\| `[a-z-]+` \| .* \| .* \|$/gm) ?? [];
  expect(listed).toEqual(
    Object.entries(behaviours).map(
      ([name, { doc, source }]) => `| \`${name}\` | ${doc.replaceAll('|', '\\|')} | ${source} |`,
    ),
  );
});
