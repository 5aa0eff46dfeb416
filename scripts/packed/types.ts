import { type Consumer, compilers } from './consumer.ts';
import type { Packed } from './manifest.ts';

const resolutions = [
  ['NodeNext', 'NodeNext'],
  ['ESNext', 'Bundler'],
] as const;

/** Type-checks an import of every entry, with each compiler, as Node.js and as a bundler resolve. */
export function checkTypes(consumer: Consumer, packed: readonly Packed[]): void {
  const entries = packed.flatMap((one) => one.entries);
  const imports = entries.map((entry, i) => `import * as entry${i} from '${entry}';\nvoid entry${i};`);
  consumer.write('main.ts', `${imports.join('\n')}\n`);
  for (const [module, moduleResolution] of resolutions) {
    const compilerOptions = { module, moduleResolution, target: 'ES2022', lib: ['ES2023'], types: ['node'] };
    const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true };
    consumer.write(
      'tsconfig.json',
      JSON.stringify({ compilerOptions: { ...compilerOptions, ...strict }, files: ['main.ts'] }),
    );
    for (const compiler of Object.keys(compilers)) {
      const errors = listErrors(consumer, compiler);
      if (errors.length > 0) throw new Error(`${compiler}, ${module}:\n${errors.join('\n')}`);
    }
  }
}

/** Types of host SDKs do not all pass these settings; what is wrong in them is not ours to report. */
function listErrors(consumer: Consumer, compiler: string): string[] {
  const { status, stdout } = consumer.try(`node_modules/${compiler}/bin/tsc`, '-p', '.', '--pretty', 'false');
  const errors = stdout.split('\n').filter((line) => line.includes('error TS'));
  if (status !== 0 && errors.length === 0) throw new Error(`${compiler} failed: ${stdout}`);
  return errors.filter((line) => line.startsWith('main.ts') || line.includes('/@kimi-tc/'));
}
