// Enforces "Who may import whom" of ARCHITECTURE.md over the workspace:
//     node scripts/check-house.ts
import { fileURLToPath } from 'node:url';
import { checkHouse } from './house/check-house.ts';

const violations = checkHouse(fileURLToPath(new URL('..', import.meta.url)));
for (const { file, line, rule, message } of violations) {
  console.error(`${file}:${line}  ${message}  [${rule}]`);
}
if (violations.length > 0) {
  console.error(`\n${violations.length} against ARCHITECTURE.md, "Who may import whom"`);
  process.exitCode = 1;
} else {
  console.log('house in order');
}
