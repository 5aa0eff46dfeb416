import { join } from 'node:path';
import ts from 'typescript';
import { listFolder, type Member, type Source, type Violation, violation, visitNodes } from './workspace.ts';

const REQUIRED = ['README.md', 'package.json', 'src', 'tsconfig.json'];
const OPTIONAL = ['CHANGELOG.md', 'tsup.config.ts'];
/** Made by tools and ignored by git. */
const GENERATED = ['.pack', '.turbo', 'coverage', 'dist', 'node_modules'];
/** What single packages hold beyond the common set. */
const EXTRA: Record<string, readonly string[]> = { testing: ['cases', 'prompts'] };

const KEBAB_PATH = /^([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*\.tsx?$/;

export function checkPackageFiles(member: Member): Violation[] {
  if (member.kind !== 'packages') return [];
  const present = listFolder(member.folder);
  const required = member.manifest.private ? REQUIRED : [...REQUIRED, 'tsup.config.ts'];
  const known = [...REQUIRED, ...OPTIONAL, ...GENERATED, ...(EXTRA[member.name] ?? [])];
  const report = (name: string, message: string): Violation => ({
    rule: 'package-files',
    file: join(member.folder, name),
    line: 1,
    message,
  });
  return [
    ...required.filter((name) => !present.includes(name)).map((name) => report(name, 'every package has it')),
    ...present
      .filter((name) => !known.includes(name))
      .map((name) => report(name, 'not among the allowed files')),
  ];
}

export function checkSources(member: Member): Violation[] {
  if (member.kind !== 'packages') return [];
  return member.sources.flatMap((source) => [
    ...checkFileName(source),
    ...checkSyntax(source),
    ...(source.path === 'index.ts' ? checkIndex(source) : checkBarrels(source)),
  ]);
}

function checkFileName(source: Source): Violation[] {
  if (KEBAB_PATH.test(source.path)) return [];
  return [violation('file-names', source, undefined, `'${source.path}' is not kebab-case`)];
}

function checkSyntax(source: Source): Violation[] {
  const violations: Violation[] = [];
  visitNodes(source, (node) => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) {
      violations.push(violation('no-any', source, node, `'any' gives the type up; 'unknown' keeps it`));
    }
    if (isDefaultExport(node)) {
      violations.push(violation('no-default-export', source, node, 'exports have names'));
    }
  });
  return violations;
}

function isDefaultExport(node: ts.Node): boolean {
  if (ts.isExportAssignment(node)) return true;
  if (ts.isExportSpecifier(node)) return node.name.text === 'default';
  return ts.canHaveModifiers(node) && !!ts.getModifiers(node)?.some(isDefaultKeyword);
}

function isDefaultKeyword(modifier: ts.Modifier): boolean {
  return modifier.kind === ts.SyntaxKind.DefaultKeyword;
}

/** The front door lists names: what a package exports is read there, not gathered from stars. */
function checkIndex(source: Source): Violation[] {
  return source.tree.statements
    .filter((statement) => !listsNames(statement))
    .map((statement) => violation('index-only-re-exports', source, statement, `only 'export { … } from'`));
}

function listsNames(statement: ts.Statement): boolean {
  if (!ts.isExportDeclaration(statement) || !statement.moduleSpecifier) return false;
  return statement.exportClause !== undefined && ts.isNamedExports(statement.exportClause);
}

function checkBarrels(source: Source): Violation[] {
  return source.tree.statements
    .filter((statement) => ts.isExportDeclaration(statement) && statement.moduleSpecifier)
    .map((statement) => violation('no-barrels', source, statement, 'only src/index.ts re-exports'));
}
