import { relative } from 'node:path';
import { checkCoreGlobals } from './core-globals.ts';
import { checkPackageFiles, checkSources } from './file-rules.ts';
import { checkHostDependencies, checkImports } from './import-rules.ts';
import { readWorkspace, type Violation } from './workspace.ts';

const RULES = [checkPackageFiles, checkSources, checkImports, checkHostDependencies, checkCoreGlobals];

/** All violations in the workspace at `root`, their files named from there with forward slashes. */
export function checkHouse(root: string): Violation[] {
  return readWorkspace(root)
    .flatMap((member) => RULES.flatMap((check) => check(member)))
    .map((found) => ({ ...found, file: relative(root, found.file).replaceAll('\\', '/') }));
}
