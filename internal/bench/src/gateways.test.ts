import { expect, test } from 'vitest';
import { GATEWAY_CHUNKS, measureGateways } from './gateways.ts';
import { createWireFixtures } from './wire-fixtures.ts';

test('every way brings a reply as it is, or right', async () => {
  const raw = createWireFixtures(GATEWAY_CHUNKS).slice(-1);
  const rows = await measureGateways({ rounds: 1, replies: 2 }, raw);
  expect(rows.map(({ way }) => way)).toEqual(['direct', 'kimi-tc', '@portkey-ai/gateway']);
  for (const { firstToken, added, chunksPerSecond } of rows)
    expect([firstToken, added, chunksPerSecond].every(Number.isFinite)).toBe(true);
});
