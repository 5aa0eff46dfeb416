import { readFileSync } from 'node:fs';

import { UsageError } from './terminal/usage-error.ts';

/** The version of this package. */
export function readVersion(): string {
  return readManifest().version;
}

/**
 * @param version of Node.js
 * @throws UsageError if this package does not run on it
 */
export function checkNode(version: string = process.versions.node): void {
  const wanted = readManifest().engines.node.replace('>=', '');
  if (version.localeCompare(wanted, undefined, { numeric: true }) < 0)
    throw new UsageError(`the gateway needs Node.js ${wanted} or newer; this is ${version}`);
}

/** It stands above the sources as above the built command. */
function readManifest(): { version: string; engines: { node: string } } {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
}
