import { join } from 'node:path';
import type { Consumer } from './consumer.ts';
import type { Packed } from './manifest.ts';

/** Loads every entry by `import` and by `require`, and runs every command. */
export async function checkRuns(consumer: Consumer, packed: readonly Packed[]): Promise<void> {
  const entries = packed.flatMap((one) => one.entries);
  const peers = packed.flatMap((one) => one.peers.map(([name]) => name));
  consumer.write('import.mjs', importAll(entries, peers));
  consumer.write(
    'require.cjs',
    `const loaded = ${JSON.stringify(entries)}.map((entry) => ({ entry, module: require(entry) }));${use}`,
  );
  await consumer.run('node', 'import.mjs');
  await consumer.run('node', 'require.cjs');
  for (const command of packed.flatMap(({ commands }) => commands)) {
    const said = await consumer.run(join('node_modules', '.bin', command), '--version');
    if (!/^\d+\.\d+\.\d+/.test(said)) throw new Error(`${command} --version says ${said}`);
  }
}

const use = `
  const empty = loaded.filter(({ module }) => Object.keys(module).length === 0);
  if (empty.length > 0) throw new Error('no exports in ' + empty.map(({ entry }) => entry));
  const { parse } = loaded.find(({ entry }) => entry === '@kimi-tc/core').module;
  if (parse('<think>a</think>b').content !== 'b') throw new Error('parse does not parse');`;

/** Loading an entry must not be seen anywhere else: that is what `sideEffects: false` says of it. */
function importAll(entries: readonly string[], peers: readonly string[]): string {
  return `
    for (const peer of ${JSON.stringify(peers)}) await import(peer).catch(() => {}); // some have no main entry
    const places = { globalThis, process, Object, Array, String, Promise, JSON, Math, Symbol };
    const look = () => Object.entries(places).flatMap(([name, place]) => [
      ...Reflect.ownKeys(place).map((key) => name + '.' + String(key)),
      ...Reflect.ownKeys(place.prototype ?? {}).map((key) => name + '.prototype.' + String(key)),
    ]);
    const before = new Set(look());
    const loaded = [];
    for (const entry of ${JSON.stringify(entries)}) loaded.push({ entry, module: await import(entry) });
    const added = look().filter((name) => !before.has(name));
    if (added.length > 0) throw new Error('loading adds ' + added.join(', '));
    ${use}`;
}
