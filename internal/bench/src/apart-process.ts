// The process that `measureApart` starts: it is sent what to measure, and sends back what came of it.
import { once } from 'node:events';
import { type ClientEffort, measureAiSdk, measureSdk } from './client-times.ts';

export const measurements = { measureSdk, measureAiSdk };

interface Asked {
  name: keyof typeof measurements;
  given: [ClientEffort];
}

const [{ name, given }] = (await once(process, 'message')) as [Asked];
process.send?.(await measurements[name](...given), () => process.exit());
