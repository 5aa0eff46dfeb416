import { Refusal } from './refusal.ts';

/** Names of this machine that no name server decides about. */
const ownNames: readonly string[] = ['127.0.0.1', '[::1]', 'localhost'];

/**
 * Lets through what this site's own pages send, and programs that are no browser: a browser says where
 * a post comes from, in `Sec-Fetch-Site` or at least in `Origin`. That alone is not enough, since another
 * site can let its own name point to this machine (DNS rebinding) and is of the same origin then; so the
 * name by which it was asked for has to be known, too.
 *
 * @param hosts that are known beside this machine's own names, see `readHosts`
 * @throws Refusal with status 403 if another site sends it
 */
export function checkOrigin(headers: Headers, hosts: readonly string[]): void {
  const site = headers.get('sec-fetch-site');
  const origin = headers.get('origin');
  const host = headers.get('host');
  const crossSite = site !== null && site !== 'same-origin';
  const crossOrigin = origin !== null && !isOwn(origin, host);
  if (crossSite || crossOrigin)
    throw new Refusal(403, 'Requests are taken from the pages of this site only.');
  if (!isKnown(host, hosts))
    throw new Refusal(403, 'The site is not known by this name; ALLOWED_HOSTS can name it.');
}

function isOwn(origin: string, host: string | null): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}

function isKnown(host: string | null, hosts: readonly string[]): boolean {
  if (host === null || !URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  return ownNames.includes(hostname) || hosts.includes(hostname);
}
