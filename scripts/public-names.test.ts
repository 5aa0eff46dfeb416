import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Source of each public entry, by the name that users import it by. */
function readEntries(): [name: string, file: string][] {
  return readdirSync(join(root, 'packages')).flatMap((folder) => {
    const path = join(root, 'packages', folder);
    if (!existsSync(join(path, 'package.json'))) return [];
    const { name, exports = {} } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as {
      name: string;
      exports?: Record<string, { '@kimi-tc/source'?: string }>;
    };
    return Object.entries(exports).flatMap(([subpath, { '@kimi-tc/source': file }]) =>
      file === undefined ? [] : [[name + subpath.slice(1), join(path, file)] as [string, string]],
    );
  });
}

/** What an entry exports, in order; a name that is a type alone says so. */
function listNames(checker: ts.TypeChecker, source: ts.SourceFile): string[] {
  const module = checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${source.fileName} is no module`);
  return checker
    .getExportsOfModule(module)
    .map((symbol) => {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      return target.flags & ts.SymbolFlags.Value ? symbol.name : `type ${symbol.name}`;
    })
    .sort();
}

test('the public names of each package are these, and change only on purpose', {
  timeout: 300_000,
}, async () => {
  const entries = readEntries();
  const program = ts.createProgram(
    entries.map(([, file]) => file),
    {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      customConditions: ['@kimi-tc/source'],
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: true,
      noLib: true,
      types: [],
    },
  );
  const checker = program.getTypeChecker();
  const lines = entries.flatMap(([name, file]) => {
    const source = program.getSourceFile(file);
    if (!source) throw new Error(`no source for ${name}`);
    return [name, ...listNames(checker, source).map((one) => `  ${one}`), ''];
  });
  await expect(lines.join('\n')).toMatchFileSnapshot('public-names.txt');
});
