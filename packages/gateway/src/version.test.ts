import { expect, test } from 'vitest';
import { checkNode } from './version.ts';

test('an old Node.js is told what is wanted', () => {
  for (const version of ['20.20.2', '22.9.0', '22.18.99', '8.0.0'])
    expect(() => checkNode(version)).toThrow(`needs Node.js 22.19.0 or newer; this is ${version}`);
  for (const version of ['22.19.0', '22.20.1', '24.0.0', '100.0.0'])
    expect(() => checkNode(version)).not.toThrow();
});
