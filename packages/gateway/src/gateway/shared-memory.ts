import KeyvRedis, { createClient } from '@keyv/redis';
import { createReasoningMemory, type ReasoningMemory } from '@kimi-tc/openai';
import { Keyv } from 'keyv';
import type { Log } from './create-log.ts';
import type { Metrics } from './metrics.ts';
import { startPatience } from './patience.ts';

/** A memory that several gateways share, which never fails a request. */
export interface SharedMemory extends ReasoningMemory {
  close(): void;
}

/** What one gateway keeps by itself: many conversations at a time, in at most 64 MB. */
export function createOwnMemory(): ReasoningMemory {
  return createReasoningMemory({ maxTurns: 10_000, maxLength: 2 ** 25 });
}

/** How long a request waits for the store before the own memory answers. */
const WAIT_MS = 500;
/** How long the store is left alone after it failed or hung, so that not every request waits for it. */
const REST_MS = 5000;
/** How long the store keeps a turn: a conversation that rests longer goes on without its old thoughts. */
const KEEP_MS = 24 * 60 * 60 * 1000;
/** Turns that are brought to the store when it is back; older ones are known here alone. */
const MOST_UNSENT = 1000;

/**
 * Remembers in Redis and here. While Redis is away, what is here answers; what was learnt meanwhile is brought
 * there when it comes back. Values are reasoning texts as they are, keys are digests.
 *
 * @param url with the credentials, if it needs any; never logged
 */
export function createSharedMemory(url: string, log: Log, metrics: Metrics): SharedMemory {
  const own = createOwnMemory();
  /** What the store has not taken yet. */
  const unsent = new Map<string, string>();
  let isDown = false;
  /** By `Date.now()`. */
  let restsUntil = 0;
  const client = createClient({
    url,
    // What cannot be sent now fails now: the own memory is there.
    disableOfflineQueue: true,
    socket: { connectTimeout: 2000, reconnectStrategy: (attempt) => Math.min(100 * attempt, 2000) },
  });
  const store = new Keyv({
    store: new KeyvRedis(client, { throwOnErrors: true }),
    namespace: 'kimi-tc',
    throwOnErrors: true,
    useKeyPrefix: false,
  });
  store.on('error', () => {});
  client.on('error', degrade);
  client.on('ready', recover);
  client.connect().catch(degrade);

  function degrade(error: unknown): void {
    if (isDown) return;
    isDown = true;
    metrics.memoryDegraded.set(1);
    const { code, name } = Object(error) as { code?: string; name?: string };
    log.warn({ error: code ?? name }, 'the shared memory is away; the memory of this gateway stands in');
  }

  function recover(): void {
    if (isDown) log.info({ unsent: unsent.size }, 'the shared memory is back');
    isDown = false;
    restsUntil = 0;
    metrics.memoryDegraded.set(0);
    for (const [key, reasoning] of [...unsent]) void save(key, reasoning);
  }

  /** What the store says, or `undefined` if it is away. */
  async function ask<Result>(question: () => Promise<Result>): Promise<Result | undefined> {
    if (!client.isReady || Date.now() < restsUntil) return undefined;
    try {
      const answer = await within(question());
      if (isDown) recover();
      return answer;
    } catch (error) {
      metrics.memoryFailures.inc();
      restsUntil = Date.now() + REST_MS;
      degrade(error);
      return undefined;
    }
  }

  async function save(key: string, reasoning: string): Promise<void> {
    const isSaved = await ask(() => store.set(key, reasoning, KEEP_MS));
    if (isSaved && unsent.get(key) === reasoning) unsent.delete(key);
  }

  return {
    async get(key) {
      // What was not sent is newer than what the store has.
      const waiting = unsent.get(key);
      if (waiting !== undefined) return waiting;
      const found = await ask(() => store.get<string>(key));
      if (found !== undefined) return found;
      return own.get(key);
    },
    async set(key, reasoning) {
      await own.set(key, reasoning);
      unsent.set(key, reasoning);
      for (const oldest of unsent.keys()) {
        if (unsent.size <= MOST_UNSENT) break;
        unsent.delete(oldest);
      }
      // The next request may reach another gateway as soon as this turn has ended there.
      await save(key, reasoning);
    },
    close() {
      client.removeAllListeners('ready');
      client.destroy();
    },
  };
}

/** @throws Error if it takes too long */
function within<Result>(promise: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const cancel = startPatience(WAIT_MS, () => reject(new Error('the store took too long')));
    promise.then(resolve, reject).finally(cancel);
  });
}
