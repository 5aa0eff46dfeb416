import ts from 'typescript';
import { type Member, type Source, type Violation, violation, visitNodes } from './workspace.ts';

/** Web streams are the one thing beyond the language, and only the stream shells use them. */
const STREAM_FILE = 'parse/stream.ts';
const STREAM_NAME = /^(Readable|Writable|Transform)Stream/;

/** The compiler's several ways to say "cannot find name", by what it guesses the name to be. */
const UNKNOWN_NAME = new Set([2304, 2503, 2552, 2580, 2581, 2582, 2583, 2584, 2585, 2591, 2592, 2593, 2868]);

/**
 * Core runs in any JavaScript runtime. Compiled against the bare language, a name of Node.js or of
 * the DOM is an unknown name.
 */
export function checkCoreGlobals(member: Member): Violation[] {
  if (member.kind !== 'packages' || member.name !== 'core') return [];
  const sources = member.sources.filter((source) => !source.isTest);
  const program = ts.createProgram(
    sources.map(({ file }) => file),
    {
      lib: ['lib.es2023.d.ts'],
      types: [],
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      allowImportingTsExtensions: true,
      noEmit: true,
    },
  );
  return sources.flatMap((source) => [...checkNames(program, source), ...checkGlobalThis(source)]);
}

function checkNames(program: ts.Program, source: Source): Violation[] {
  return program
    .getSemanticDiagnostics(program.getSourceFile(source.file))
    .filter(({ code }) => UNKNOWN_NAME.has(code))
    .flatMap(({ start = 0, length = 0 }) => {
      const name = source.tree.text.slice(start, start + length);
      if (!/^[\w$]/.test(name)) return []; // a module's name: an import, which has its own rule
      if (source.path === STREAM_FILE && STREAM_NAME.test(name)) return [];
      const { line } = source.tree.getLineAndCharacterOfPosition(start);
      return [{ ...violation('core-is-bare', source, undefined, notOfTheLanguage(name)), line: line + 1 }];
    });
}

/** `globalThis.process` would pass the compiler by way of an index signature or a cast. */
function checkGlobalThis(source: Source): Violation[] {
  const violations: Violation[] = [];
  visitNodes(source, (node) => {
    if (ts.isIdentifier(node) && node.text === 'globalThis') {
      violations.push(violation('core-is-bare', source, node, notOfTheLanguage('globalThis')));
    }
  });
  return violations;
}

function notOfTheLanguage(name: string): string {
  return `uses '${name}', which not every JavaScript runtime has`;
}
