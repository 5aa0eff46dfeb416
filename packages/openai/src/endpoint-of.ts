import type { Endpoint } from '@kimi-tc/core';

const MOONSHOT = /(^|\.)(moonshot\.(ai|cn)|kimi\.com)$/;
/** Loopback, link-local and private addresses, and names without a public domain. */
const PRIVATE =
  /^((127|10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))(\.\d+)+|0\.0\.0\.0|\[(::1?|f[cd].*|fe[89ab].*)\]|[^.:]+|.*\.(local|internal|lan|localhost))$/;

/**
 * Who answers at an address: what `endpoint: 'auto'` goes by.
 *
 * @param url relative ones name no host: `router`
 */
export function endpointOf(url: string): Endpoint {
  const host = URL.parse(url)?.hostname;
  if (host === undefined) return 'router';
  if (MOONSHOT.test(host)) return 'moonshot';
  return PRIVATE.test(host) ? 'self-hosted' : 'router';
}
