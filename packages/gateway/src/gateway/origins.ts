/** Whether a page of this origin may call. */
export type CheckOrigin = (origin: string) => boolean;

/** `https://chat.example.com`, and with a star `vscode-webview://*`, of any name, and `http://localhost:*`, of any port. */
const ORIGIN = /^(?<scheme>[a-z][a-z0-9+.-]*):\/\/(?:\*|(?<host>[^/\s*]+?)(?<port>:\*)?)$/;

/** Whether a setting names an origin, or several, as browsers spell them: no path, no port that goes without saying. */
export function isOriginPattern(text: string): boolean {
  const groups = ORIGIN.exec(text)?.groups;
  if (text === '*' || groups === undefined) return text === '*';
  const isOfWeb = /^https?$/.test(groups.scheme ?? '');
  if (!isOfWeb) return true;
  // Any page on the web is as good as all.
  return (
    groups.host !== undefined &&
    URL.parse(`${groups.scheme}://${groups.host}`)?.origin === text.replace(/:\*$/, '')
  );
}

/** @param patterns each fits {@link isOriginPattern} */
export function createOriginCheck(patterns: readonly string[]): CheckOrigin {
  return (origin) =>
    patterns.some((pattern) => {
      if (pattern === '*' || pattern === origin) return true;
      if (pattern.endsWith('://*')) return origin.startsWith(pattern.slice(0, -1));
      if (!pattern.endsWith(':*')) return false;
      const host = pattern.slice(0, -2);
      return (
        origin === host || (origin.startsWith(`${host}:`) && /^\d+$/.test(origin.slice(host.length + 1)))
      );
    });
}
