import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { measurements } from './apart-process.ts';

type Measurements = typeof measurements;

/**
 * Measures in a process of its own: in one that has timed something else, code is compiled for that, and the heap
 * is full of what it left.
 */
export async function measureApart<Name extends keyof Measurements>(
  name: Name,
  ...given: Parameters<Measurements[Name]>
): Promise<Awaited<ReturnType<Measurements[Name]>>> {
  const child = fork(new URL('./apart-process.ts', import.meta.url), { serialization: 'advanced' });
  const failure = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`${name} ended with ${signal ?? code}`);
  });
  child.send({ name, given });
  const [result] = await Promise.race([once(child, 'message'), failure]);
  return result;
}
