// Enforces "Who may import whom" of ARCHITECTURE.md over the workspace:
//     node scripts/check-house.ts [folder]
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkCoreGlobals } from './house/core-globals.ts';
import { checkPackageFiles, checkSources } from './house/file-rules.ts';
import { checkHostDependencies, checkImports } from './house/import-rules.ts';
import { readWorkspace, type Violation } from './house/workspace.ts';

const RULES = [checkPackageFiles, checkSources, checkImports, checkHostDependencies, checkCoreGlobals];

export function checkHouse(root: string): Violation[] {
  const { members } = readWorkspace(root);
  return members
    .flatMap((member) => RULES.flatMap((check) => check(member)))
    .map((found) => ({ ...found, file: relative(root, found.file).replaceAll('\\', '/') }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const violations = checkHouse(resolve(process.argv[2] ?? '.'));
  for (const { file, line, rule, message } of violations) {
    console.error(`${file}:${line}  ${message}  [${rule}]`);
  }
  if (violations.length > 0) {
    console.error(`\n${violations.length} against ARCHITECTURE.md, "Who may import whom"`);
    process.exitCode = 1;
  } else {
    console.log('house in order');
  }
}
