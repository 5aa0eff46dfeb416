/** A real server. */
export interface Endpoint {
  readonly baseURL: string;
  /** Stays in this process. */
  readonly apiKey?: string;
  readonly model: string;
}

/**
 * The real endpoint that the environment names, if it names one.
 *
 * @throws Error naming the variable that is wrong and what was expected
 */
export function readEndpoint(env: Readonly<Record<string, string | undefined>>): Endpoint | undefined {
  const { KIMI_BASE_URL: baseURL, KIMI_API_KEY: apiKey, KIMI_MODEL: model } = env;
  if (!baseURL) return undefined;
  if (!URL.canParse(baseURL) || !/^https?:$/.test(new URL(baseURL).protocol)) {
    throw new Error('KIMI_BASE_URL: expected an http or https address, like http://127.0.0.1:8000/v1');
  }
  const { username, password } = new URL(baseURL);
  if (username || password) throw new Error('KIMI_BASE_URL: the key goes into KIMI_API_KEY');
  return { baseURL, ...(apiKey && { apiKey }), model: model || 'kimi-k2-thinking' };
}

/**
 * Milliseconds between the pieces of a pretend reply. Default: 14, about the speed of a server.
 *
 * @throws Error if it is no such number
 */
export function readPretendDelay(env: Readonly<Record<string, string | undefined>>): number {
  const given = env.PRETEND_DELAY_MS;
  if (given === undefined || given === '') return 14;
  const delay = Number(given);
  if (!(delay >= 0 && delay <= 10_000)) throw new Error('PRETEND_DELAY_MS: expected 0 to 10000');
  return delay;
}

/** The names that the app is reached by beside this machine's own, from `ALLOWED_HOSTS`; commas between them. */
export function readHosts(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const names = (env.ALLOWED_HOSTS ?? '').split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '');
}
