type Testing = typeof import('@kimi-tc/testing');

/**
 * The pretend engine and the corpus, for server code. A bundle would not have the case files that the
 * package reads from beside itself, and Turbopack bundles every package of the workspace, whatever
 * `serverExternalPackages` says. So Node.js imports it, at run time.
 */
export function loadTesting(): Promise<Testing> {
  return import(/* turbopackIgnore: true */ '@kimi-tc/testing');
}
