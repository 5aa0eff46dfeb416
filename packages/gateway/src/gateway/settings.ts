import { isIP } from 'node:net';
import { z } from 'zod';
import { BASE_URL, isBaseUrl, trimBaseUrl } from '../base-url.ts';
import { isOriginPattern } from './origins.ts';

/** Fields that may hold a key by mistake, alone or in a part: what is found there is never shown. */
export const SECRET_FIELDS: readonly string[] = ['apiKeyEnv', 'gatewayKeysEnv', 'redis', 'upstreams', 'url'];

const count = (from: number, unit: string) => {
  const error = `a whole number of ${unit} from ${from}`;
  return z.int({ error }).min(from, { error });
};
const port = () => {
  const error = 'a port, from 0 to 65535';
  return z.int({ error }).min(0, { error }).max(65_535, { error });
};
const milliseconds = () =>
  count(1, 'milliseconds').max(2 ** 31 - 1, { error: 'less than 2^31 milliseconds' });
const flag = () => z.boolean({ error: 'true or false' });
const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, { error: words.map((word) => `"${word}"`).join(' or ') });
const text = (error: string) => z.string({ error }).min(1, { error });
const variable = () => {
  const error = 'the name of an environment variable';
  return z.string({ error }).regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error });
};

const baseUrl = z
  .string({ error: 'a URL such as http://localhost:8000/v1' })
  .refine(isBaseUrl, { error: BASE_URL })
  .transform(trimBaseUrl);

const redisUrl = z.string({ error: 'a URL such as redis://localhost:6379' }).refine(isRedisUrl, {
  error: 'a redis:// or rediss:// URL with nothing behind the host but the number of a database',
});

const origin = z.string({ error: 'an origin' }).refine(isOriginPattern, {
  error:
    'an origin such as https://chat.example.com, http://localhost:* (any port), vscode-webview://* (any name), or *',
});

const requestRules = z.union(
  [
    z.boolean(),
    z.strictObject({
      ids: flag().optional(),
      messages: flag().optional(),
      parameters: flag().optional(),
      reasoning: flag().optional(),
      strict: flag().optional(),
      thinking: flag().optional(),
      toolNames: flag().optional(),
      toolSchemas: flag().optional(),
    }),
  ],
  {
    error:
      'true, false, or an object of ids, messages, parameters, reasoning, strict, thinking, toolNames, toolSchemas',
  },
);

/** How an upstream is spoken to; set for all, or for one. */
const speech = {
  /** Who answers, as far as requests depend on it. */
  endpoint: oneOf(['auto', 'moonshot', 'self-hosted', 'router']).optional(),
  /** The upstream is made to answer with a JSON list of calls. */
  guidedJson: flag().optional(),
  /** Whose rules apply where the upstream's model ids do not tell: a Kimi model id or `k2.5`. */
  model: text('a model id such as kimi-k2-thinking').optional(),
  /** The upstream's prompts end in an open `<think>`, and it leaves the thought in the content. */
  promptOpensThink: flag().optional(),
  recoverTextCalls: oneOf(['off', 'default', 'lenient']).optional(),
  request: requestRules.optional(),
  specialTokensInText: oneOf(['break', 'keep', 'reject']).optional(),
  transport: oneOf(['chat', 'completions', 'auto']).optional(),
};

const upstream = z.strictObject(
  {
    ...speech,
    /** For logs and metrics. Default: the host of `url`. */
    name: text('a name').optional(),
    url: baseUrl,
    /** The environment variable with the key for it. Default: the client's key is passed on. */
    apiKeyEnv: variable().optional(),
    /** From the name that clients use to the id that the upstream knows. With it, nothing else is served. */
    models: z
      .record(z.string(), text('the model id of the upstream'), {
        error: 'an object from names for clients to model ids of the upstream',
      })
      .refine((map) => Object.keys(map).length > 0, { error: 'at least one model' })
      .optional(),
  },
  { error: (issue) => (issue.code === 'invalid_type' ? 'an object with a url' : undefined) },
);

/** A part with defaults of its own, for one that is absent. */
const part = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, { error: (issue) => (issue.code === 'invalid_type' ? 'an object' : undefined) });

/** The configuration file, and what flags and environment are put into. */
export const settingsSchema = part({
  ...speech,
  upstreams: z
    .array(upstream, { error: 'a list of upstreams' })
    .min(1, { error: 'at least one upstream (--upstream URL)' }),
  /** The environment variable with the keys that callers need, with commas between. Default: none is needed. */
  gatewayKeysEnv: variable().optional(),
  listen: part({
    host: text('an address or host name').default('127.0.0.1'),
    port: port().default(4040),
    allowPublic: flag().default(false),
  }).prefault({}),
  /** Origins of web pages that may call. Default: none; callers that are no pages send no origin. */
  origins: z.array(origin, { error: 'a list of origins' }).default([]),
  timeouts: part({
    connectMs: milliseconds().default(10_000),
    firstByteMs: milliseconds().default(300_000),
    idleMs: milliseconds().default(120_000),
    queueMs: milliseconds().default(30_000),
    shutdownMs: milliseconds().default(30_000),
  }).prefault({}),
  limits: part({
    bodyBytes: count(1, 'bytes').default(32 * 2 ** 20),
    concurrency: count(1, 'requests').default(256),
    queue: count(0, 'requests').default(256),
  }).prefault({}),
  /** The store that several gateways share for reasoning. Default: each has its own in memory. */
  redis: redisUrl.optional(),
  /** The folder that replies are recorded in. Default: none is. */
  record: text('a folder').optional(),
  log: part({
    level: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
    /** `auto`: pretty on a terminal, else JSON. */
    format: oneOf(['auto', 'json', 'pretty']).default('auto'),
  }).prefault({}),
});

export type FileSettings = z.input<typeof settingsSchema>;
export type ParsedSettings = z.output<typeof settingsSchema>;
export type UpstreamSettings = ParsedSettings['upstreams'][number] & {
  name: string;
  /** The key for it. Absent: there is none of our own. */
  apiKey?: string;
};

/** Everything a gateway needs to run; keys are here, and nowhere else. */
export interface Settings extends Omit<ParsedSettings, 'upstreams' | 'gatewayKeysEnv'> {
  upstreams: readonly UpstreamSettings[];
  /** Callers need one of these. Empty: they need none, and their own key goes up. */
  gatewayKeys: readonly string[];
}

/** Whether others than this machine can reach a bind address. */
export function isPublicHost(host: string): boolean {
  if (host === 'localhost' || host === '::1') return false;
  return !(isIP(host) === 4 && host.startsWith('127.'));
}

/** What the client of Redis takes: it throws on the rest, when it is too late to say of what. */
function isRedisUrl(value: string): boolean {
  const url = URL.parse(value);
  if (!url || !['redis:', 'rediss:'].includes(url.protocol) || !/^(?:\/\d*)?$/.test(url.pathname))
    return false;
  return !/%(?![\da-f]{2})/i.test(url.username + url.password);
}
