import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * Bundles a module of the smoke with the built packages, as an app's bundler would.
 *
 * @param entry file name in `src`
 * @param conditions export conditions of the runtime
 */
export async function bundle(
  entry: string,
  { format, conditions }: { format: 'esm' | 'iife'; conditions: string[] },
): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../${entry}`, import.meta.url))],
    bundle: true,
    write: false,
    format,
    globalName: 'smoke',
    platform: 'browser',
    conditions,
    target: 'es2022',
    logLevel: 'error',
  });
  const [file] = outputFiles;
  if (!file) throw new Error(`esbuild made nothing of ${entry}`);
  return file.text;
}
