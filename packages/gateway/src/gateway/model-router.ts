import { ApiError } from './api-error.ts';
import { exchanges } from './exchange.ts';
import type { Upstream } from './upstream.ts';

/** Who answers for a model, and what it is called there. */
export interface ModelRoute {
  upstream: Upstream;
  model: string | undefined;
}

/** An entry of `/v1/models`. */
type Listed = Record<string, unknown> & { id: string };

export interface ModelRouter {
  /**
   * The upstream whose map names the model; else, of those without a map, the first that lists it or simply the
   * first.
   *
   * @param headers what goes up, should a list be needed
   * @throws ApiError if all upstreams have maps: 404 where none names it, 400 for what is no name
   */
  pick(model: unknown, headers: Headers): Promise<ModelRoute>;
  /**
   * The models of all upstreams under the names for clients; of one name the first upstream's.
   *
   * @throws ApiError if there is nothing to list because upstreams fail
   */
  list(headers: Headers, signal?: AbortSignal): Promise<Listed[]>;
  /** Whether an upstream answers at all. */
  isReady(): Promise<boolean>;
}

/** How long a list is good for telling where a model is, and how long an answer to {@link ModelRouter.isReady} is. */
const LIST_MS = 60_000;
const READY_MS = 2000;

export function createModelRouter(upstreams: readonly Upstream[]): ModelRouter {
  const open = upstreams.filter(({ models }) => models === undefined);
  const lists = new Map<Upstream, { until: number; ids: Promise<ReadonlySet<string>> }>();
  let ready: { until: number; answer: Promise<boolean> } | undefined;

  function idsOf(upstream: Upstream, headers: Headers): Promise<ReadonlySet<string>> {
    const known = lists.get(upstream);
    if (known && known.until > Date.now()) return known.ids;
    // It is for all requests that come, and says nothing of the one that waits for it.
    const listing = exchanges.run(undefined, () => fetchList(upstream, headers));
    const ids = listing.then(
      (list) => new Set(list.map(({ id }) => id)),
      () => {
        lists.delete(upstream);
        return new Set<string>();
      },
    );
    lists.set(upstream, { until: Date.now() + LIST_MS, ids });
    return ids;
  }

  async function pickOpen(model: unknown, headers: Headers): Promise<Upstream | undefined> {
    if (open.length < 2) return open[0];
    const lists = await Promise.all(open.map((upstream) => idsOf(upstream, headers)));
    return open[lists.findIndex((ids) => ids.has(String(model)))] ?? open[0];
  }

  return {
    async pick(model, headers) {
      const own = typeof model === 'string' ? model : undefined;
      for (const upstream of upstreams) {
        const mapped = own === undefined ? undefined : upstream.models?.get(own);
        if (mapped !== undefined) return { upstream, model: mapped };
      }
      const upstream = await pickOpen(model, headers);
      if (upstream) return { upstream, model: own };
      if (own === undefined)
        throw new ApiError(400, 'model_required', 'model: expected a name.', { param: 'model' });
      throw toUnknownModel(own);
    },

    async list(headers, signal) {
      const answers = await Promise.allSettled(
        upstreams.map(async (upstream) => toNames(await fetchList(upstream, headers, signal), upstream)),
      );
      const entries = new Map<string, Listed>();
      for (const [at, answer] of answers.entries()) {
        const upstream = upstreams[at] as Upstream;
        const own = answer.status === 'fulfilled' ? answer.value : toNames([], upstream);
        for (const entry of own) if (!entries.has(entry.id)) entries.set(entry.id, entry);
      }
      const failed = answers.find((answer) => answer.status === 'rejected');
      if (entries.size === 0 && failed) throw failed.reason;
      return [...entries.values()];
    },

    isReady() {
      if (ready && ready.until > Date.now()) return ready.answer;
      const signal = AbortSignal.timeout(READY_MS);
      const answer = Promise.any(upstreams.map((upstream) => reach(upstream, signal))).then(
        () => true,
        () => false,
      );
      ready = { until: Date.now() + READY_MS, answer };
      return answer;
    },
  };
}

export function toUnknownModel(name: string): ApiError {
  return new ApiError(
    404,
    'model_not_found',
    `There is no model ${JSON.stringify(name.slice(0, 100))} here; GET /v1/models lists them.`,
    { param: 'model' },
  );
}

/** Any answer but a failure will do: a server that wants a key is there, and one that has a page in place of a list. */
async function reach(upstream: Upstream, signal: AbortSignal): Promise<void> {
  const response = await upstream.pass('/models', { signal }).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'upstream_error') return new Response();
    throw error;
  });
  await response.body?.cancel();
  if (response.status >= 500) throw new Error(`status ${response.status}`);
}

async function fetchList(upstream: Upstream, headers: Headers, signal?: AbortSignal): Promise<Listed[]> {
  const response = await upstream.pass('/models', { headers, ...(signal && { signal }) });
  const answer: unknown = await response.json().catch(() => undefined);
  const data = Object(answer).data as unknown;
  if (!response.ok || !Array.isArray(data))
    throw new ApiError(
      response.ok ? 502 : response.status,
      'upstream_error',
      `The upstream ${upstream.name} lists no models (status ${response.status}).`,
    );
  return data.filter((entry): entry is Listed => typeof Object(entry).id === 'string');
}

function toNames(list: readonly Listed[], { models, name }: Upstream): Listed[] {
  if (!models) return [...list];
  return [...models].map(([own, id]) => {
    const listed = list.find((entry) => entry.id === id);
    return { object: 'model', created: 0, owned_by: name, ...listed, id: own };
  });
}
