import { Refusal } from './refusal.ts';

/**
 * Lets through what this site's own pages send, and programs that are no browser: a browser says where
 * a post comes from, in `Sec-Fetch-Site` or at least in `Origin`.
 *
 * @throws Refusal with status 403 if another site sends it
 */
export function checkOrigin(headers: Headers): void {
  const site = headers.get('sec-fetch-site');
  const origin = headers.get('origin');
  const crossSite = site !== null && site !== 'same-origin';
  const crossOrigin = origin !== null && !isOwn(origin, headers.get('host'));
  if (crossSite || crossOrigin)
    throw new Refusal(403, 'Requests are taken from the pages of this site only.');
}

function isOwn(origin: string, host: string | null): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}
