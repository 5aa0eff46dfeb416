import { ApiError } from './api-error.ts';
import { createModelLists, fetchModels, fetchModelsInTime, type ListedModel } from './model-lists.ts';
import type { Upstream } from './upstream.ts';

/** Who answers for a model, and what it is called there. */
export interface ModelRoute {
  upstream: Upstream;
  model: string | undefined;
}

export interface ModelRouter {
  /**
   * The upstream whose map names the model; else, of those without a map, the first that lists it or simply the
   * first. Who is slow to tell what it lists loses its place to others that list the model.
   *
   * @param headers what goes up, should a list be needed
   * @throws ApiError if all upstreams have maps: 404 where none names it, 400 for what is no name; the reason of
   *   the signal
   */
  pick(model: unknown, headers: Headers, signal: AbortSignal): Promise<ModelRoute>;
  /**
   * The models of all upstreams under the names for clients; of one name the first upstream's. Of several
   * upstreams those that take too long are left out.
   *
   * @throws ApiError if there is nothing to list because upstreams fail
   */
  list(headers: Headers, signal?: AbortSignal): Promise<ListedModel[]>;
  /** Whether an upstream answers at all. */
  isReady(): Promise<boolean>;
}

/** How long an answer to {@link ModelRouter.isReady} may take, and how long it is good. */
const READY_MS = 2000;

export function createModelRouter(upstreams: readonly Upstream[]): ModelRouter {
  const open = upstreams.filter(({ models }) => models === undefined);
  const lists = createModelLists();
  let ready: { until: number; answer: Promise<boolean> } | undefined;

  async function pickOpen(model: unknown, headers: Headers): Promise<Upstream | undefined> {
    if (open.length < 2) return open[0];
    const name = String(model);
    const asked = open.map((upstream) => ({ upstream, ids: lists.idsOf(upstream, headers) }));
    for (const { upstream, ids } of asked) if ((await ids.soon).has(name)) return upstream;
    // Those that answer in time do not have it: it is whose list comes first.
    const late = asked.map(async ({ upstream, ids }) => {
      if (!(await ids.all).has(name)) throw new Error('it lists others');
      return upstream;
    });
    return Promise.any(late).catch(() => open[0]);
  }

  return {
    async pick(model, headers, signal) {
      const own = typeof model === 'string' ? model : undefined;
      for (const upstream of upstreams) {
        const mapped = own === undefined ? undefined : upstream.models?.get(own);
        if (mapped !== undefined) return { upstream, model: mapped };
      }
      const upstream = await orAborted(pickOpen(model, headers), signal);
      if (upstream) return { upstream, model: own };
      if (own === undefined)
        throw new ApiError(400, 'model_required', 'model: expected a name.', { param: 'model' });
      throw toUnknownModel(own);
    },

    async list(headers, signal) {
      // Nobody waits for a single upstream but those who want what it lists.
      const fetchList = upstreams.length > 1 ? fetchModelsInTime : fetchModels;
      const answers = await Promise.allSettled(
        upstreams.map(async (upstream) => toNames(await fetchList(upstream, headers, signal), upstream)),
      );
      const entries = new Map<string, ListedModel>();
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

/** The same, unless the signal comes first: then its reason. */
async function orAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

function toNames(list: readonly ListedModel[], { models, name }: Upstream): ListedModel[] {
  if (!models) return [...list];
  return [...models].map(([own, id]) => {
    const listed = list.find((entry) => entry.id === id);
    return { object: 'model', created: 0, owned_by: name, ...listed, id: own };
  });
}
