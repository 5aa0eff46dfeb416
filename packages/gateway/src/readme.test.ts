import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { faults } from './doctor/faults.ts';
import { createProgram } from './program.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

test('the README has a row for each fault, as the doctor tells it', () => {
  const rows = readme.split('\n').filter((line) => /^\| `[a-z-]+` \| (fault|note) \|/.test(line));
  expect(rows).toEqual(
    Object.entries(faults).map(
      ([code, { level, title, fix }]) => `| \`${code}\` | ${level} | ${title} | ${fix} |`,
    ),
  );
});

test('the README names every option of doctor, parse and render', () => {
  const commands = createProgram().commands.filter((command) =>
    ['doctor', 'parse', 'render'].includes(command.name()),
  );
  expect(commands).toHaveLength(3);
  for (const command of commands) {
    const [, section = ''] = readme.split(`\n## kimi-tc ${command.name()}\n`);
    const [own = ''] = section.split('\n## ');
    for (const { long } of command.options) expect(own, command.name()).toContain(long);
  }
});
