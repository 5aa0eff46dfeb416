// Runs the smoke on each runtime, over the built packages and a real server:
//     node src/main.ts [NAME…]
import { startEngine } from '@kimi-tc/testing';
import { hosts } from './hosts.ts';
import { script } from './task.ts';

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !hosts.some((host) => host.name === name));
if (unknown.length > 0) {
  const known = hosts.map(({ name }) => name).join(', ');
  throw new Error(`no runtime is called ${unknown.join(' or ')}; there are ${known}`);
}

const engine = await startEngine({ script, behaviour: 'raw-content', chunking: 'units' });
try {
  for (const { name, run } of hosts) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const asked = engine.requests.length;
    try {
      const passed = await run(engine.baseURL);
      const requests = engine.requests.length - asked;
      // Two turns with each SDK; a host that asked less has not run what it says.
      const expected = 2 * passed.filter((part) => part !== 'core').length;
      if (requests !== expected) throw new Error(`expected ${expected} requests, got ${requests}`);
      console.log(`ok    ${name}: ${passed.join(', ')}`);
    } catch (error) {
      process.exitCode = 1;
      console.log(`FAIL  ${name}: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
    }
  }
} finally {
  await engine.stop();
}
