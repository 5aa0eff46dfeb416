// Lists what the packages bring into an application, and fails on a licence that asks more of it than
// to keep a notice:
//     node scripts/check-licences.ts
import { execFileSync } from 'node:child_process';

const allowed = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
]);

const output = execFileSync('pnpm', ['--filter', './packages/*', 'licenses', 'list', '--prod', '--json'], {
  encoding: 'utf8',
  shell: process.platform === 'win32',
});
const found = JSON.parse(output) as Record<string, { name: string; versions: string[] }[]>;
const count = Object.values(found).flat().length;
if (count === 0) throw new Error('pnpm lists no dependencies; are they installed?');

/** Of alternatives, one that is allowed is enough; of licences that hold together, all have to be. */
function isAllowed(expression: string): boolean {
  return expression
    .replaceAll(/[()]/g, '')
    .split(/ OR /)
    .some((choice) => choice.split(/ AND /).every((licence) => allowed.has(licence)));
}

const refused = Object.entries(found).filter(([licence]) => !isAllowed(licence));
for (const [licence, packages] of refused) {
  console.error(`${licence}: ${packages.map(({ name, versions }) => `${name}@${versions}`).join(', ')}`);
}
if (refused.length > 0) process.exitCode = 1;
else console.log(`${count} dependencies, all under licences of the list`);
