/** Headers in which a caller's key may stand. */
export const KEY_HEADERS: readonly string[] = ['authorization', 'api-key', 'x-api-key'];

/**
 * What goes up from a client's request; everything else stays here: hop-by-hop headers, `x-forwarded-*`,
 * cookies, origins, and whatever might mean something to the upstream that its owner has not thought of.
 */
const UPWARD = new Set([
  ...KEY_HEADERS,
  'accept',
  'http-referer',
  'idempotency-key',
  'openai-organization',
  'openai-project',
  'traceparent',
  'tracestate',
  'user-agent',
  'x-request-id',
  'x-title',
]);

/** What comes down with an answer. */
const DOWNWARD = new Set([
  'content-type',
  'openai-processing-ms',
  'openai-version',
  'request-id',
  'retry-after',
  'retry-after-ms',
  'x-request-id',
  'x-should-retry',
]);
const DOWNWARD_PREFIXES = ['x-ratelimit-'];

/** The headers of a client's request that an upstream may see. */
export function toUpstreamHeaders(headers: Headers): Headers {
  const kept = pick(headers, (name) => UPWARD.has(name));
  // Compressing a stream of small events costs more than it saves, on both sides.
  kept.set('accept-encoding', 'identity');
  return kept;
}

/** The headers of an upstream's answer that a client may see. */
export function toClientHeaders(headers: Headers): Headers {
  return pick(
    headers,
    (name) => DOWNWARD.has(name) || DOWNWARD_PREFIXES.some((prefix) => name.startsWith(prefix)),
  );
}

function pick(headers: Headers, isKept: (name: string) => boolean): Headers {
  // `Connection` may name any header hop-by-hop (RFC 9110, 7.6.1).
  const hopByHop = new Set((headers.get('connection') ?? '').toLowerCase().split(/\s*,\s*/));
  const kept = new Headers();
  for (const [name, value] of headers) if (isKept(name) && !hopByHop.has(name)) kept.append(name, value);
  return kept;
}
