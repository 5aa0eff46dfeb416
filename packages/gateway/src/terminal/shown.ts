/** Name and password in front of the host of a URL. */
const CREDENTIALS = /\/\/[^/?#\s"']*@/g;

/** A value as a message shows it: JSON, cut to 80 units, without the credentials of URLs. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const json = JSON.stringify(value).replace(CREDENTIALS, '//…@');
  return json.length > 80 ? `${json.slice(0, 77)}...` : json;
}

/** A value that may be a key, or hold one, by mistake: of what is not empty, the kind alone. */
export function showSecret(value: unknown): string {
  const hidden = '(not shown: it may hold a key)';
  if (typeof value === 'string' && value !== '') return `another text ${hidden}`;
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return show(value);
  return `${Array.isArray(value) ? 'a list' : 'an object'} ${hidden}`;
}

/** What commander says of wrong arguments, without those that may hold a key: it quotes them as they were typed. */
export function hideArguments(message: string): string {
  return (
    message
      .replace(/(unknown option '--?[^'=]*)=[^\n]*'/, "$1=…'")
      .replace(/(but got \d+): [^\n]*/, '$1.')
      // A word is more likely a slip of the fingers.
      .replace(/(unknown command|argument value) '(?![a-z-]+')[^\n]*?'/, '$1 (not shown: it may hold a key)')
  );
}
