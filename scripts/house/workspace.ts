import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ts from 'typescript';

/** A workspace package: one of `packages/*`, `apps/*`, `internal/*`. */
export interface Member {
  kind: 'packages' | 'apps' | 'internal';
  /** Folder name; the npm name is `@kimi-tc/` before it. */
  name: string;
  folder: string;
  manifest: Manifest;
  sources: Source[];
}

export interface Manifest {
  private?: boolean;
  dependencies?: Record<string, string>;
}

export interface Source {
  /** Path from the member's `src/`, with forward slashes. */
  path: string;
  file: string;
  isTest: boolean;
  tree: ts.SourceFile;
}

export interface Violation {
  rule: string;
  file: string;
  line: number;
  message: string;
}

/** The packages under `packages/`, `apps/` and `internal/` of the folder `root`. */
export function readWorkspace(root: string): Member[] {
  return (['packages', 'apps', 'internal'] as const).flatMap((kind) =>
    listFolder(join(root, kind)).flatMap((name) => readMember(join(root, kind, name), kind, name)),
  );
}

/** A violation at a node, or at the top of the file. */
export function violation(
  rule: string,
  source: Source,
  node: ts.Node | undefined,
  message: string,
): Violation {
  const line = node ? source.tree.getLineAndCharacterOfPosition(node.getStart(source.tree)).line + 1 : 1;
  return { rule, file: source.file, line, message };
}

export function visitNodes(source: Source, visit: (node: ts.Node) => void): void {
  const walk = (node: ts.Node): void => {
    visit(node);
    ts.forEachChild(node, walk);
  };
  walk(source.tree);
}

export function listFolder(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

function readMember(folder: string, kind: Member['kind'], name: string): Member[] {
  const manifestFile = join(folder, 'package.json');
  if (!existsSync(manifestFile)) return [];
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest;
  return [{ kind, name, folder, manifest, sources: readSources(join(folder, 'src')) }];
}

function readSources(folder: string): Source[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({
      path: relative(folder, file).split(sep).join('/'),
      file,
      isTest: /\.(test|bench)\.tsx?$/.test(file),
      tree: ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest),
    }));
}
