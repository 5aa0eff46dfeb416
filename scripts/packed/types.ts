import { join } from 'node:path';
import { type Consumer, compilers } from './consumer.ts';
import type { Packed } from './manifest.ts';

const resolutions = [
  ['NodeNext', 'NodeNext'],
  ['ESNext', 'Bundler'],
] as const;

/** Type-checks an import of every entry, with each compiler, as Node.js and as a bundler resolve. */
export async function checkTypes(consumer: Consumer, packed: readonly Packed[]): Promise<void> {
  const entries = packed.flatMap((one) => one.entries);
  const imports = entries.map((entry, i) => `import * as entry${i} from '${entry}';\nvoid entry${i};`);
  consumer.write('main.ts', `${imports.join('\n')}\n`);
  const configs = resolutions.map(([module, moduleResolution]) => {
    const compilerOptions = { module, moduleResolution, target: 'ES2022', lib: ['ES2023'], types: ['node'] };
    const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true };
    const config = `tsconfig.${moduleResolution}.json`;
    consumer.write(
      config,
      JSON.stringify({ compilerOptions: { ...compilerOptions, ...strict }, files: ['main.ts'] }),
    );
    return config;
  });
  for (const compiler of Object.keys(compilers) as (keyof typeof compilers)[]) {
    const errors = await listErrors(consumer, compiler, configs);
    if (errors.length > 0) throw new Error(`${compiler}:\n${errors.join('\n')}`);
  }
}

/** Types of host SDKs do not all pass these settings; what is wrong in them is not ours to report. */
async function listErrors(
  consumer: Consumer,
  compiler: keyof typeof compilers,
  configs: readonly string[],
): Promise<string[]> {
  const errors: string[] = [];
  for (const args of toRuns(compiler, configs)) {
    const { status, stdout } = await consumer.try(...args);
    const said = stdout.split('\n').filter((line) => line.includes('error TS'));
    if (status !== 0 && said.length === 0) throw new Error(`${args.join(' ')} failed: ${stdout}`);
    errors.push(...said.filter((line) => !line.startsWith('node_modules/') || line.includes('/@kimi-tc/')));
  }
  return errors;
}

/**
 * Two thirds of what `tsc` does is to check the hosts' declarations. Where a compiler can be asked about
 * single files it is asked about ours, and once for all configurations.
 */
function toRuns(compiler: keyof typeof compilers, configs: readonly string[]): string[][] {
  if (compiler !== 'typescript7')
    return [[join(import.meta.dirname, 'check-own-files.ts'), compiler, ...configs]];
  return configs.map((config) => [`node_modules/${compiler}/bin/tsc`, '-p', config, '--pretty', 'false']);
}
