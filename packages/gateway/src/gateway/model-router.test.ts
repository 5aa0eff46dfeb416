import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiError } from './api-error.ts';
import { createModelRouter } from './model-router.ts';
import type { Upstream } from './upstream.ts';

/** Time passes when a test says so. */
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What it lists when it is asked, and after how many milliseconds; nothing: it never answers. */
interface Plan {
  ids?: readonly string[];
  afterMs?: number;
  /** Of the answer, if not 200. */
  status?: number;
}

/** An upstream that does what its plan says at the time, and counts how often it was asked. */
function pretend(name: string, plan: Plan) {
  const upstream = {
    name,
    plan,
    asked: 0,
    models: undefined,
    pass: (_: string, { signal }: RequestInit) => {
      upstream.asked++;
      const { ids, afterMs = 0, status = 200 } = upstream.plan;
      return new Promise<Response>((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        const data = ids?.map((id) => ({ id }));
        if (data) setTimeout(() => resolve(Response.json({ data }, { status })), afterMs);
      });
    },
    chat: () => Promise.reject(new Error('nobody chats here')),
    close: async () => {},
  };
  return upstream satisfies Upstream;
}

function start(...plans: readonly Plan[]) {
  const upstreams = plans.map((plan, at) => pretend(['first', 'second', 'third'][at] as string, plan));
  const router = createModelRouter(upstreams);
  /** Who answers, and after how many milliseconds that was known; by tens, as pretended turns take one each. */
  const pick = async (model: string, signal = new AbortController().signal) => {
    const began = Date.now();
    const since = () => Math.floor((Date.now() - began) / 10) * 10;
    const picked = router.pick(model, new Headers(), signal).then(
      ({ upstream }) => [upstream.name, since()],
      (error) => [error, since()],
    );
    let isPicked = false;
    void picked.finally(() => {
      isPicked = true;
    });
    while (!isPicked) await vi.advanceTimersByTimeAsync(10);
    return picked;
  };
  return { upstreams, router, pick };
}

describe('the first upstream that lists a model gets it', () => {
  test('if its list comes later than that of another one, within a second', async () => {
    const { pick } = start({ ids: ['a'], afterMs: 900 }, { ids: ['a'] });
    expect(await pick('a')).toEqual(['first', 900]);
    expect(await pick('a')).toEqual(['first', 0]);
  });

  test('without waiting for those behind it', async () => {
    const { pick } = start({ ids: ['a'] }, {}, { ids: ['a'] });
    expect(await pick('a')).toEqual(['first', 0]);
  });

  test('but for one that is silent', async () => {
    const { pick } = start({}, { ids: ['b'] }, { ids: ['a', 'b'] });
    expect(await pick('a')).toEqual(['third', 1000]);
    // All that time it has had by then.
    expect(await pick('b')).toEqual(['second', 0]);
  });

  test('again once a list has come that was late', async () => {
    const { pick } = start({ ids: ['a'], afterMs: 2000 }, { ids: ['a'] });
    expect(await pick('a')).toEqual(['second', 1000]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await pick('a')).toEqual(['first', 0]);
  });
});

describe('a model that nobody lists within a second', () => {
  test('goes to whoever is the first to do so', async () => {
    const { pick } = start({}, { ids: ['a'], afterMs: 4000 }, { ids: ['a'], afterMs: 3000 });
    expect(await pick('a')).toEqual(['third', 3000]);
  });

  test('goes to the first upstream if none does within five', async () => {
    const { pick } = start({ ids: ['b'] }, { ids: ['a'], afterMs: 6000 });
    expect(await pick('a')).toEqual(['first', 5000]);
  });

  test('goes to the first upstream at once if all list others', async () => {
    const { pick } = start({ ids: ['b'] }, { ids: ['c'] });
    expect(await pick('a')).toEqual(['first', 0]);
  });
});

describe('a list that fails', () => {
  test.each<[string, Plan]>([
    ['by silence', {}],
    ['by its status', { ids: [], status: 503 }],
  ])('%s is not waited for again, while requests come', async (_, plan) => {
    const { pick, upstreams } = start({ ids: ['b'] }, plan);
    await pick('a');
    for (let at = 0; at < 20; at++) {
      await vi.advanceTimersByTimeAsync(4000);
      expect(await pick('a')).toEqual(['first', 0]);
    }
    // Each ten seconds.
    expect(upstreams[1]?.asked).toBeGreaterThan(5);
    expect(upstreams[1]?.asked).toBeLessThan(10);
  });

  test('counts again when it has come', async () => {
    const { pick, upstreams } = start({ ids: ['b'] }, {});
    await pick('a');
    (upstreams[1] as { plan: Plan }).plan = { ids: ['a'], afterMs: 100 };
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await pick('a')).toEqual(['first', 0]);
    await vi.advanceTimersByTimeAsync(100);
    expect(await pick('a')).toEqual(['second', 0]);
  });

  test('is waited for when that was long ago', async () => {
    const { pick, upstreams } = start({ ids: ['b'] }, {});
    await pick('a');
    (upstreams[1] as { plan: Plan }).plan = { ids: ['a'], afterMs: 100 };
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await pick('a')).toEqual(['second', 100]);
  });

  test.each([401, 403, 429])(
    'as the client may not have it (%i) is asked for by the next one',
    async (status) => {
      const { pick, upstreams } = start({ ids: ['b'] }, { ids: [], status });
      expect(await pick('a')).toEqual(['first', 0]);
      (upstreams[1] as { plan: Plan }).plan = { ids: ['a'] };
      expect(await pick('a')).toEqual(['second', 0]);
    },
  );
});

test('a request that ends waits no longer, and the list still comes for others', async () => {
  const { pick } = start({ ids: ['b'], afterMs: 500 }, {});
  const leaving = new AbortController();
  const reason = new Error('left');
  setTimeout(() => leaving.abort(reason), 200);
  expect(await pick('b', leaving.signal)).toEqual([reason, 200]);
  expect(await pick('b')).toEqual(['first', 300]);
  expect(await pick('b', AbortSignal.abort(reason))).toEqual([reason, 0]);
});

describe('the list of all models', () => {
  const list = async (router: ReturnType<typeof createModelRouter>) => {
    const listed = router.list(new Headers()).then(
      (models) => models.map(({ id }) => id),
      (error) => error,
    );
    await vi.advanceTimersByTimeAsync(5010);
    return Promise.race([listed, 'nothing yet']);
  };

  test('does without an upstream that is silent', async () => {
    expect(await list(start({}, { ids: ['a'] }).router)).toEqual(['a']);
  });

  test('fails if all are silent', async () => {
    const error = await list(start({}, {}).router);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 504, code: 'upstream_timeout' });
  });

  test('is waited for where there is one upstream alone', async () => {
    const { router } = start({ ids: ['a'], afterMs: 7000 });
    const listed = router.list(new Headers());
    await vi.advanceTimersByTimeAsync(7000);
    expect(await listed).toEqual([{ id: 'a' }]);
  });
});
