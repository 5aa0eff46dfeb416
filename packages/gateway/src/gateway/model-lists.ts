import { ApiError } from './api-error.ts';
import { exchanges } from './exchange.ts';
import { startPatience } from './patience.ts';
import type { Upstream } from './upstream.ts';

/** An entry of `/v1/models`. */
export type ListedModel = Record<string, unknown> & { id: string };

/** The ids that an upstream lists; none if it fails. */
export interface ModelIds {
  /** Here after {@link LIST_TIMEOUT_MS} at the latest. */
  all: Promise<ReadonlySet<string>>;
  /** The same; none if they were not here within {@link SOON_MS}. */
  soon: Promise<ReadonlySet<string>>;
}

/** What upstreams list, asked once for all requests. */
export interface ModelLists {
  /** @param headers what goes up, should a list be needed */
  idsOf(upstream: Upstream, headers: Headers): ModelIds;
}

/** How long a list may take; what takes longer lists nothing. */
const LIST_TIMEOUT_MS = 5000;
/** How long others that list a model stand back behind an upstream that has not answered yet. */
const SOON_MS = 1000;
/** How long a list is good for telling where a model is, and how long a failure keeps others from waiting again. */
const KEEP_MS = 60_000;
/** How long an upstream is left alone after its list failed. */
const REST_MS = 10_000;

interface Known extends ModelIds {
  /** When it is asked for anew, by `Date.now()`. */
  askAt: number;
  /** By `Date.now()`. Absent: it did not, as far as is known. */
  failedAt: number | undefined;
}

const NONE: ReadonlySet<string> = new Set();

export function createModelLists(): ModelLists {
  const lists = new Map<Upstream, Known>();

  return {
    idsOf(upstream, headers) {
      const now = Date.now();
      const known = lists.get(upstream);
      if (known && now < known.askAt) return known;
      const asked = ask(upstream, headers);
      if (known?.failedAt === undefined || now >= known.failedAt + KEEP_MS) {
        lists.set(upstream, asked);
        return asked;
      }
      // What failed a moment ago tends to fail again: nobody waits for it until it answers.
      known.askAt = now + REST_MS;
      void asked.all.then(() => lists.set(upstream, asked));
      return known;
    },
  };
}

function ask(upstream: Upstream, headers: Headers): Known {
  // It is for all requests that come, and says nothing of the one that waits for it.
  const listing = exchanges.run(undefined, () => fetchModelsInTime(upstream, headers));
  const all = listing.then(
    (list) => new Set(list.map(({ id }) => id)),
    (error) => {
      const isOfClient = error instanceof ApiError && OF_CLIENT.includes(error.status);
      known.failedAt = isOfClient ? undefined : Date.now();
      known.askAt = isOfClient ? 0 : Date.now() + REST_MS;
      return NONE;
    },
  );
  const known: Known = { all, soon: toSoon(all), askAt: Date.now() + KEEP_MS, failedAt: undefined };
  // What came late counts from then on.
  void all.then(() => {
    known.soon = all;
  });
  return known;
}

/** What is refused to the key of one client says nothing to those who come with another. */
const OF_CLIENT: readonly number[] = [401, 403, 429];

function toSoon(all: ModelIds['all']): ModelIds['soon'] {
  return new Promise((resolve) => {
    const cancel = startPatience(SOON_MS, () => resolve(NONE));
    void all.then(resolve).finally(cancel);
  });
}

/** @throws ApiError if it lists none, or takes too long */
export async function fetchModelsInTime(
  upstream: Upstream,
  headers: Headers,
  signal?: AbortSignal,
): Promise<ListedModel[]> {
  const giveUp = new AbortController();
  const cancel = startPatience(LIST_TIMEOUT_MS, () =>
    giveUp.abort(
      new ApiError(
        504,
        'upstream_timeout',
        `The upstream ${upstream.name} listed no models within ${LIST_TIMEOUT_MS} ms.`,
      ),
    ),
  );
  try {
    return await fetchModels(
      upstream,
      headers,
      signal ? AbortSignal.any([signal, giveUp.signal]) : giveUp.signal,
    );
  } finally {
    cancel();
  }
}

/** @throws ApiError if it lists none */
export async function fetchModels(
  upstream: Upstream,
  headers: Headers,
  signal?: AbortSignal,
): Promise<ListedModel[]> {
  const response = await upstream.pass('/models', { headers, ...(signal && { signal }) });
  const answer: unknown = await response.json().catch(() => undefined);
  const data = Object(answer).data as unknown;
  if (!response.ok || !Array.isArray(data))
    throw new ApiError(
      response.ok ? 502 : response.status,
      'upstream_error',
      `The upstream ${upstream.name} lists no models (status ${response.status}).`,
    );
  return data.filter((entry): entry is ListedModel => typeof Object(entry).id === 'string');
}
