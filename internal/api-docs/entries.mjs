import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../../packages/', import.meta.url));

/** Every public entry of every package: the name it is imported by, and its source. */
export const entries = readdirSync(packages)
  .filter((folder) => existsSync(`${packages}${folder}/package.json`))
  .flatMap((folder) => {
    const { name, exports = {} } = JSON.parse(readFileSync(`${packages}${folder}/package.json`, 'utf8'));
    return Object.entries(exports)
      .filter(([, { '@kimi-tc/source': file }]) => file !== undefined)
      .map(([subpath, { '@kimi-tc/source': file }]) => ({
        name: name + subpath.slice('.'.length),
        file: join(packages, folder, file),
      }));
  });
