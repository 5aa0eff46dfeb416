import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A package as `pnpm pack` left it. */
export interface Packed {
  readonly name: string;
  /** Absolute path. */
  readonly tarball: string;
  /** What users import. An entry named after a peer (`./vitest`) runs only inside of it, and is left out. */
  readonly entries: readonly string[];
  /** Commands it installs. */
  readonly commands: readonly string[];
  /** Hosts it wants beside it: name and range. The host of an entry that is left out is, too. */
  readonly peers: readonly (readonly [name: string, range: string])[];
}

interface Manifest {
  name: string;
  exports?: Record<string, unknown>;
  bin?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** All packages; run `check:pkg` first, which packs them. */
export function readPacked(): Packed[] {
  return readdirSync('packages')
    .filter((folder) => existsSync(join('packages', folder, 'package.json')))
    .map((folder) => {
      const text = readFileSync(join('packages', folder, 'package.json'), 'utf8');
      const { name, exports = {}, bin = {}, peerDependencies = {} } = JSON.parse(text) as Manifest;
      const subpaths = Object.keys(exports).map((subpath) => subpath.slice('./'.length));
      return {
        name,
        tarball: resolve('packages', folder, '.pack/package.tgz'),
        entries: subpaths
          .filter((subpath) => !(subpath in peerDependencies))
          .map((subpath) => (subpath === '' ? name : `${name}/${subpath}`)),
        commands: Object.keys(bin),
        peers: Object.entries(peerDependencies).filter(([peer]) => !subpaths.includes(peer)),
      };
    });
}
