import { UsageError } from './terminal/usage-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What an environment variable holds that is there for keys, trimmed. The message names the place alone: where the
 * name of a variable is due, some give the key.
 *
 * @param place the option or field that names the variable
 * @throws UsageError if there is no such variable, or it is empty
 */
export function readKeys(name: string, place: string, env: Environment): string {
  const value = env[name]?.trim();
  if (value) return value;
  throw new UsageError(
    `${place}: expected the name of an environment variable that holds a key, ` +
      'found one that is not set (not shown: it may be a key)',
  );
}

/**
 * The one key in an environment variable.
 *
 * @throws UsageError as {@link readKeys} does, and if no header can hold the key
 */
export function readKey(name: string, place: string, env: Environment): string {
  const key = readKeys(name, place, env);
  // What sends it would quote it in the error.
  if (/^[\t\x20-\x7e\x80-\xff]+$/.test(key)) return key;
  throw new UsageError(`${place}: expected a key that fits into a header, found one with other characters`);
}
