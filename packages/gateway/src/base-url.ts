/** What {@link isBaseUrl} takes, in words. */
export const BASE_URL =
  'an http or https URL without credentials, query and fragment that ends in front of /chat/completions, such as http://localhost:8000/v1';

/** Whether a text is the base URL of an API, as clients are given it. */
export function isBaseUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return false;
  const { username, password, search, hash, pathname } = url;
  return (
    [username, password, search, hash].every((part) => part === '') && !/\/completions\/*$/.test(pathname)
  );
}

/** The base URL, for paths that begin with a slash. */
export function trimBaseUrl(text: string): string {
  return text.replace(/\/+$/, '');
}
