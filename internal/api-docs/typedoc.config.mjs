import { entries } from './entries.mjs';

/** @type {import('typedoc').TypeDocOptions} */
const config = {
  name: 'kimi-tc',
  out: 'dist',
  tsconfig: 'tsconfig.json',
  readme: 'overview.md',
  plugin: ['./name-modules.mjs'],
  entryPoints: entries.map(({ file }) => file),
  // Sources are in the packages themselves; paths of one machine would change with each run elsewhere.
  disableSources: true,
  hideGenerator: true,
  excludePrivate: true,
  excludeInternal: true,
  // What a class inherits from a host is in that host's documentation.
  excludeExternals: true,
  sort: ['kind', 'alphabetical'],
  treatWarningsAsErrors: true,
};

export default config;
