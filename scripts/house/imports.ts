import { dirname, posix } from 'node:path';
import ts from 'typescript';
import { type Source, visitNodes } from './workspace.ts';

export interface Import {
  specifier: string;
  typeOnly: boolean;
  node: ts.Node;
  /** Path from the importer's `src/` for a relative import: `parse/lexer.ts`, or `../…` when it leaves. */
  target: string | undefined;
}

/** Every way to name another module: static, re-exporting, dynamic, and inside a type. */
export function readImports(source: Source): Import[] {
  const imports: Import[] = [];
  visitNodes(source, (node) => {
    const found = readImport(node);
    if (!found || !ts.isStringLiteralLike(found.specifier)) return;
    const specifier = found.specifier.text;
    const target = specifier.startsWith('.')
      ? posix.normalize(posix.join(dirname(source.path), specifier))
      : undefined;
    imports.push({ specifier, typeOnly: found.typeOnly, node, target });
  });
  return imports;
}

function readImport(node: ts.Node): { specifier: ts.Node; typeOnly: boolean } | undefined {
  if (ts.isImportDeclaration(node)) {
    return { specifier: node.moduleSpecifier, typeOnly: importsOnlyTypes(node.importClause) };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
    return { specifier: node.moduleSpecifier, typeOnly: node.isTypeOnly };
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return { specifier: node.argument.literal, typeOnly: true };
  }
  if (
    ts.isCallExpression(node) &&
    node.expression.kind === ts.SyntaxKind.ImportKeyword &&
    node.arguments[0]
  ) {
    return { specifier: node.arguments[0], typeOnly: false };
  }
  return undefined;
}

function importsOnlyTypes(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const bindings = clause.namedBindings;
  if (clause.name || !bindings || !ts.isNamedImports(bindings)) return false;
  return bindings.elements.length > 0 && bindings.elements.every((element) => element.isTypeOnly);
}
