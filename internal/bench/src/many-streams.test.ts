import { expect, onTestFinished, test } from 'vitest';
import { createKimiClient, createSdkClient } from './clients.ts';
import { startLoopback } from './loopback.ts';
import { createOwnFixture, measureManyStreams } from './many-streams.ts';

const fixtures = Array.from({ length: 6 }, (_, stream) => createOwnFixture(stream));

test('each stream has a turn of its own, with as many chunks as it tells', () => {
  expect(new Set(fixtures.map(({ turn }) => JSON.stringify(turn))).size).toBe(fixtures.length);
  for (const { events, chunks } of fixtures) expect(events).toHaveLength(chunks + 1);
});

test('is read as it is to be, alone', async () => {
  const replies = fixtures.map(({ name, events }) => [name, { writes: events }]);
  const server = await startLoopback(Object.fromEntries(replies));
  onTestFinished(server.stop);
  for (const { name, tools, said, turn } of fixtures) {
    expect(await createSdkClient(server.baseURL, fetch)({ reply: name, tools })).toEqual(said);
    expect(await createKimiClient(server.baseURL)({ reply: name, tools })).toEqual(turn);
  }
});

test('runs all streams at once, each its own', async () => {
  const { streams, chunks, atOnce, wrong, heap } = await measureManyStreams(30);
  expect({ streams, chunks, atOnce, wrong }).toEqual({ streams: 30, chunks: 30 * 62, atOnce: 30, wrong: 0 });
  expect(heap).toHaveLength(6);
  expect(Math.min(...heap)).toBeGreaterThan(0);
});
