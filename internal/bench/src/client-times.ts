import {
  type Client,
  createAiSdkClient,
  createKimiClient,
  createPassThroughFetch,
  createSdkClient,
} from './clients.ts';
import { type Reply, startLoopback, toWrites } from './loopback.ts';
import { median } from './measure.ts';
import { createRandom } from './random.ts';
import { createWireFixtures, EVENTS_PER_WRITE, type WireFixture } from './wire-fixtures.ts';

export const SDK_CHUNKS = 1000;
export const AI_SDK_CHUNKS = 2000;

/** Of the rounds, a fourth is enough where each event is a write of its own: that takes a second each. */
export interface ClientEffort {
  /** Rounds before those that count, until all that runs for each chunk is compiled. */
  warmUp: number;
  /** The same where all events are one write: there it also counts what runs a few times in each reply. */
  warmUpAtOnce: number;
  rounds: number;
  /** The same where all events are one write: nothing is waited for, so that each is short. */
  roundsAtOnce: number;
  /** Processes that each take so many of those, one behind the other. */
  processes: number;
  /** Replies that each client reads in each round, all at once. */
  replies: number;
  eventsPerWrite: readonly number[];
}

export const FULL_CLIENTS: ClientEffort = {
  warmUp: 80,
  warmUpAtOnce: 300,
  rounds: 40,
  roundsAtOnce: 80,
  processes: 3,
  replies: 4,
  eventsPerWrite: EVENTS_PER_WRITE,
};
export const QUICK_CLIENTS: ClientEffort = {
  warmUp: 5,
  warmUpAtOnce: 5,
  rounds: 3,
  roundsAtOnce: 12,
  processes: 1,
  replies: 4,
  eventsPerWrite: EVENTS_PER_WRITE.slice(1),
};

/** Milliseconds. */
export interface Cost {
  /** Of the processor for one reply, over all threads of this process. */
  cpu: number;
  /** Until the replies of a round were read; most of it waiting where the server makes pauses. */
  wall: number;
}

/** One reply read by several clients of one kind; the first of them goes without help. */
export interface ClientRow {
  reply: string;
  /** `null` for all of them. */
  eventsPerWrite: number | null;
  chunks: number;
  clients: {
    name: string;
    cost: Cost;
    /** Times of what the first takes. */
    ratio: Cost;
    /** Of `ratio.wall`, over the processes, where there were several. */
    spread?: { least: number; most: number };
  }[];
}

type Clients = readonly { name: string; client: Client }[];

export const createSdkClients = (baseURL: string): Clients => [
  { name: 'fetch', client: createSdkClient(baseURL, fetch) },
  { name: 'pass-through', client: createSdkClient(baseURL, createPassThroughFetch()) },
  { name: 'createKimiFetch', client: createKimiClient(baseURL) },
];

export const createAiSdkClients = (baseURL: string): Clients => [
  { name: 'provider', client: createAiSdkClient(baseURL, false) },
  { name: 'kimiMiddleware', client: createAiSdkClient(baseURL, true) },
];

export const toReplyName = (fixture: WireFixture, eventsPerWrite: number) =>
  `${fixture.name} by ${eventsPerWrite}`;

export function toReplies(fixtures: readonly WireFixture[]): Record<string, Reply> {
  return Object.fromEntries(
    fixtures.flatMap((fixture) =>
      EVENTS_PER_WRITE.map((count) => [
        toReplyName(fixture, count),
        { writes: toWrites(fixture.events, count) },
      ]),
    ),
  );
}

/** Reads a reply so many times at once. */
async function readReplies(
  client: Client,
  fixture: WireFixture,
  reply: string,
  times: number,
): Promise<Cost> {
  const { tools } = fixture;
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  await Promise.all(Array.from({ length: times }, () => client({ reply, tools })));
  const wall = performance.now() - start;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { cpu: (user + system) / 1000 / times, wall };
}

async function measureRow(
  clients: Clients,
  fixture: WireFixture,
  eventsPerWrite: number,
  { warmUp, warmUpAtOnce, rounds, roundsAtOnce, replies }: Omit<ClientEffort, 'processes'>,
): Promise<ClientRow> {
  const reply = toReplyName(fixture, eventsPerWrite);
  const costs = clients.map((): Cost[] => []);
  const shareOf = (count: number) => (eventsPerWrite === 1 ? Math.ceil(count / 4) : count);
  const [before, timed] = Number.isFinite(eventsPerWrite)
    ? [shareOf(warmUp), shareOf(rounds)]
    : [warmUpAtOnce, roundsAtOnce];
  for (let round = 0; round < before; round++) {
    for (const { client } of clients) await readReplies(client, fixture, reply, replies);
  }
  const random = createRandom(1);
  for (let round = 0; round < timed; round++) {
    // In any order, as each finds what the one before has left to be collected.
    const turns = [...clients.keys()];
    while (turns.length > 0) {
      const [at = 0] = turns.splice(random.number(turns.length), 1);
      const { client } = clients[at] as Clients[0];
      costs[at]?.push(await readReplies(client, fixture, reply, replies));
    }
  }
  const bare = costs[0] as Cost[];
  return {
    reply: fixture.name,
    eventsPerWrite: Number.isFinite(eventsPerWrite) ? eventsPerWrite : null,
    chunks: fixture.chunks,
    clients: clients.map(({ name }, at) => {
      const own = costs[at] as Cost[];
      const medianOf = (pick: (cost: Cost, round: number) => number) => median(own.map(pick));
      return {
        name,
        cost: { cpu: medianOf(({ cpu }) => cpu), wall: medianOf(({ wall }) => wall) },
        ratio: {
          cpu: medianOf(({ cpu }, round) => cpu / (bare[round] as Cost).cpu),
          wall: medianOf(({ wall }, round) => wall / (bare[round] as Cost).wall),
        },
      };
    }),
  };
}

/** Times clients on the same replies, in rounds that each time every client. */
export async function measureClients(
  fixtures: readonly WireFixture[],
  createClients: (baseURL: string) => Clients,
  effort: Omit<ClientEffort, 'processes'>,
): Promise<ClientRow[]> {
  const server = await startLoopback(toReplies(fixtures));
  try {
    const clients = createClients(server.baseURL);
    const rows: ClientRow[] = [];
    for (const fixture of fixtures) {
      for (const count of effort.eventsPerWrite) {
        rows.push(await measureRow(clients, fixture, count, effort));
      }
    }
    return rows;
  } finally {
    server.stop();
  }
}

export const measureSdk = (effort: ClientEffort): Promise<ClientRow[]> =>
  measureClients(createWireFixtures(SDK_CHUNKS), createSdkClients, effort);

/**
 * The middleware is timed on what it has nothing to do for. It does the same for each of twice as many chunks: half the
 * rounds compile it.
 */
export const measureAiSdk = (effort: ClientEffort): Promise<ClientRow[]> =>
  measureClients(createWireFixtures(AI_SDK_CHUNKS).slice(0, 2), createAiSdkClients, {
    ...effort,
    warmUp: Math.ceil(effort.warmUp / 2),
    warmUpAtOnce: Math.ceil(effort.warmUp / 2),
  });
