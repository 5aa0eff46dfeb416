import { type Endpoint, KimiError } from '@kimi-tc/core';

const MOONSHOT = /(^|\.)(moonshot\.(ai|cn)|kimi\.com)$/;
/** Loopback, link-local and private addresses, and names without a public domain. */
const PRIVATE =
  /^(\[.*\]|127\..*|10\..*|192\.168\..*|169\.254\..*|172\.(1[6-9]|2\d|3[01])\..*|[^.]+|.*\.(local|internal|lan|localhost))$/;

/**
 * Who answers at an address: what `endpoint: 'auto'` of `@kimi-tc/openai` goes by.
 *
 * @throws KimiError if it is none
 */
export function endpointOf(baseURL: string): Endpoint {
  const host = URL.parse(baseURL)?.hostname;
  if (host === undefined) throw new KimiError('baseURL', 'baseURL: expected a URL');
  if (MOONSHOT.test(host)) return 'moonshot';
  return PRIVATE.test(host) ? 'self-hosted' : 'router';
}
