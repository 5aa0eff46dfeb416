// Run in a consumer's folder: says, as `tsc` would, what is wrong in its own files and in @kimi-tc's
// declarations, and with the options and the program as a whole; not what is wrong in other packages.
//     node check-own-files.ts COMPILER TSCONFIG…
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type typescript from 'typescript';

const [compiler = '', ...configs] = process.argv.slice(2);
const folder = process.cwd();
const ts = createRequire(join(folder, 'package.json'))(compiler) as typeof typescript;

const names: typescript.FormatDiagnosticsHost = {
  getCurrentDirectory: () => folder,
  getCanonicalFileName: (name) => name,
  getNewLine: () => '\n',
};

for (const config of configs) {
  const diagnostics = diagnose(config);
  if (diagnostics.length > 0) process.exitCode = 2;
  process.stdout.write(ts.formatDiagnostics(diagnostics, names));
}

function diagnose(config: string): typescript.Diagnostic[] {
  const { config: json, error } = ts.readConfigFile(config, ts.sys.readFile);
  if (error) return [error];
  const { fileNames, options, errors } = ts.parseJsonConfigFileContent(json, ts.sys, folder);
  const program = ts.createProgram({ rootNames: fileNames, options, configFileParsingDiagnostics: errors });
  const own = program
    .getSourceFiles()
    .filter(({ fileName }) => fileNames.includes(fileName) || fileName.includes('/@kimi-tc/'));
  return [
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...own.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]),
    ...program.getGlobalDiagnostics(),
  ];
}
