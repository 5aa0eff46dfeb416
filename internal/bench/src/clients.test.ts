import { expect, onTestFinished, test } from 'vitest';
import {
  AI_SDK_CHUNKS,
  createAiSdkClients,
  createSdkClients,
  measureClients,
  SDK_CHUNKS,
  toReplies,
  toReplyName,
} from './client-times.ts';
import { withParsedCalls } from './clients.ts';
import { mergeRuns } from './clients-apart.ts';
import { startLoopback } from './loopback.ts';
import { createWireFixtures, EVENTS_PER_WRITE, toEvents, toTextDeltas, toTokens } from './wire-fixtures.ts';

async function start(fixtures: ReturnType<typeof createWireFixtures>) {
  const server = await startLoopback(toReplies(fixtures));
  onTestFinished(server.stop);
  return server.baseURL;
}

const sdkFixtures = createWireFixtures(SDK_CHUNKS);
const aiSdkFixtures = createWireFixtures(AI_SDK_CHUNKS).slice(0, 2);
const named = (fixtures: typeof sdkFixtures) =>
  fixtures.flatMap((fixture) =>
    EVENTS_PER_WRITE.map((count) => [toReplyName(fixture, count), fixture, count] as const),
  );

test.each([...sdkFixtures, ...aiSdkFixtures])('$name has $chunks chunks, of about one token', (fixture) => {
  const { events, chunks } = fixture;
  expect(events).toHaveLength(chunks + 1);
  expect(events.at(-1)).toBe('data: [DONE]\n\n');
  const deltas = events.slice(0, -1).map((event) => {
    const { choices } = JSON.parse(event.slice('data: '.length));
    const { content, tool_calls: calls } = choices[0].delta;
    return content ?? calls?.[0].function.arguments ?? '';
  });
  const text: string = deltas.join('');
  expect(toTokens(text).join('')).toBe(text);
  expect(toTokens(text).length / chunks).toBeGreaterThan(0.95);
  expect(toTokens(text).length / chunks).toBeLessThan(1.5);
  expect(text.length / chunks).toBeGreaterThan(2.5);
});

test.each(named(sdkFixtures))('%s arrives in reads of its own', async (name, fixture, count) => {
  const response = await fetch(`${await start([fixture])}/chat/completions`, {
    headers: { 'x-reply': name },
  });
  const reads: Uint8Array[] = [];
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) reads.push(bytes);
  expect(Buffer.concat(reads).toString()).toBe(fixture.events.join(''));
  const writes = Math.ceil(fixture.events.length / count);
  // What is written at once may come in several reads; and a machine with other work may join some.
  if (count === Infinity) expect(reads.length).toBeLessThan(20);
  else {
    expect(reads.length).toBeGreaterThan(writes / 10);
    expect(reads.length).toBeLessThan(1.3 * writes);
  }
});

test.each(named(sdkFixtures))('the OpenAI SDK reads %s', async (reply, fixture) => {
  const [bare, passing, helped] = createSdkClients(await start([fixture]));
  const { tools } = fixture;
  const read = [bare, passing, helped].map((one) => one?.client({ reply, tools }));
  expect(await Promise.all(read)).toEqual([fixture.said, fixture.said, fixture.turn]);
});

test.each(named(aiSdkFixtures))('the AI SDK reads %s', async (reply, fixture) => {
  const { tools, turn } = fixture;
  const read = createAiSdkClients(await start([fixture])).map(({ client }) => client({ reply, tools }));
  expect(await Promise.all(read)).toEqual([withParsedCalls(turn), withParsedCalls(turn)]);
});

test('gives costs, and ratios to the first client', async () => {
  const answer = { content: 'All is well.', calls: [], finish: 'stop' };
  const events = toEvents(toTextDeltas(toTokens(answer.content)), 'stop');
  const fixture = { name: 'short', events, chunks: 6, tools: [], said: answer, turn: answer };
  const rows = await measureClients([fixture], createSdkClients, {
    warmUp: 1,
    warmUpAtOnce: 1,
    rounds: 1,
    roundsAtOnce: 1,
    replies: 1,
    eventsPerWrite: EVENTS_PER_WRITE,
  });
  expect(rows.map(({ reply, eventsPerWrite, chunks }) => [reply, eventsPerWrite, chunks])).toEqual([
    ['short', 1, 6],
    ['short', 8, 6],
    ['short', null, 6],
  ]);
  for (const { clients } of rows) {
    expect(clients.map(({ name }) => name)).toEqual(['fetch', 'pass-through', 'createKimiFetch']);
    const [bare] = clients;
    for (const { cost, ratio } of clients) {
      expect(cost.cpu).toBeGreaterThan(0);
      expect(ratio.cpu).toBe(cost.cpu / (bare?.cost.cpu as number));
      expect(ratio.wall).toBe(cost.wall / (bare?.cost.wall as number));
    }
  }
});

test('takes the medians of several processes, and says how far they are apart', () => {
  const rowOf = (wall: number, cpu: number) => ({
    ...{ reply: 'short', eventsPerWrite: null, chunks: 6 },
    clients: [{ name: 'fetch', cost: { cpu: 2 * cpu, wall: 2 * wall }, ratio: { cpu, wall } }],
  });
  const merged = mergeRuns([[rowOf(1.2, 5)], [rowOf(1, 6)], [rowOf(1.1, 7)]]);
  expect(merged).toEqual([
    {
      ...rowOf(1.1, 6),
      clients: [{ ...rowOf(1.1, 6).clients[0], spread: { least: 1, most: 1.2 } }],
    },
  ]);
});
