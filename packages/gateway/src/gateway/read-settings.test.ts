import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type GivenOption, readSettings } from './read-settings.ts';
import { makeFolder } from './test-gateway.ts';

const url = 'http://localhost:8000/v1';
const flags = (...given: [string, string, unknown][]): GivenOption[] =>
  given.map(([from, path, value]) => ({ from, path, value }));
const upstream = flags(['--upstream', 'upstreams', [url]]);

function fileOf(settings: unknown): string {
  const file = join(makeFolder(), 'gateway.json');
  writeFileSync(file, typeof settings === 'string' ? settings : JSON.stringify(settings));
  return file;
}

function errorOf(settings: unknown, env: Record<string, string> = {}): string {
  const file = fileOf(settings);
  try {
    readSettings([], file, env);
  } catch (error) {
    return (error as Error).message.replaceAll(file, 'FILE');
  }
  throw new Error('no error');
}

describe('settings', () => {
  test('an upstream is enough; the rest has defaults', () => {
    expect(readSettings(upstream, undefined, {})).toEqual({
      upstreams: [{ name: 'localhost:8000', url }],
      gatewayKeys: [],
      listen: { host: '127.0.0.1', port: 4040, allowPublic: false },
      origins: [],
      timeouts: {
        connectMs: 10_000,
        firstByteMs: 300_000,
        idleMs: 120_000,
        queueMs: 30_000,
        shutdownMs: 30_000,
      },
      limits: { bodyBytes: 33_554_432, concurrency: 256, queue: 256 },
      log: { level: 'info', format: 'auto' },
    });
  });

  test('flags come before the file, field by field', () => {
    const file = fileOf({
      upstreams: [{ name: 'a', url: `${url}/`, models: { x: 'y' } }],
      listen: { port: 1, host: '127.0.0.2' },
      transport: 'auto',
    });
    const given = flags(['--port', 'listen.port', 2], ['--api-key-env', 'upstream.apiKeyEnv', 'KEY']);
    expect(readSettings(given, file, { KEY: ' k ' })).toMatchObject({
      upstreams: [{ name: 'a', url, models: { x: 'y' }, apiKey: 'k' }],
      listen: { port: 2, host: '127.0.0.2' },
      transport: 'auto',
    });
    expect(readSettings(upstream, file, {}).upstreams).toEqual([{ name: 'localhost:8000', url }]);
  });

  test('origins with and without a star, and a store with credentials', () => {
    const origins = [
      '*',
      'https://a.b:8443',
      'http://localhost:*',
      'app://obsidian.md',
      'vscode-webview://*',
    ];
    const redis = 'redis://:p%40ss@cache:6379/2';
    expect(readSettings([], fileOf({ upstreams: [{ url }], origins, redis }), {})).toMatchObject({
      origins,
      redis,
    });
  });

  test('models of flags', () => {
    const pairs = [
      ['fast', 'kimi-k2-thinking'],
      ['slow', 'a=b'],
    ];
    const given = [...upstream, ...flags(['--model-map', 'upstream.models', pairs])];
    expect(readSettings(given, undefined, {}).upstreams[0]?.models).toEqual({
      fast: 'kimi-k2-thinking',
      slow: 'a=b',
    });
  });
});

describe('errors name the place, what was expected and what was found', () => {
  test.each([
    [{}, 'FILE: upstreams: expected a list of upstreams, found nothing'],
    [{ upstreams: [] }, 'FILE: upstreams: expected at least one upstream (--upstream URL), found []'],
    [
      { upstreams: ['x'] },
      'FILE: upstreams[0]: expected an object with a url, found another text (not shown: it may hold a key)',
    ],
    [[], 'FILE: expected an object, found []'],
    ['{"a":', 'FILE: expected JSON'],
    [
      { upstreams: [{ url }], listen: { port: 70_000 } },
      'FILE: listen.port: expected a port, from 0 to 65535, found 70000',
    ],
    [
      { upstreams: [{ url }], listen: { port: 'x' } },
      'FILE: listen.port: expected a port, from 0 to 65535, found "x"',
    ],
    [{ upstreams: [{ url }], lisen: {} }, 'FILE: lisen: there is no such setting'],
    [{ upstreams: [{ url, key: 'k' }] }, 'FILE: upstreams[0].key: there is no such setting'],
    [
      { upstreams: [{ url }], timeouts: { idleMs: 0.5 } },
      'FILE: timeouts.idleMs: expected a whole number of milliseconds from 1, found 0.5',
    ],
    [
      { upstreams: [{ url }], transport: 'text' },
      'FILE: transport: expected "chat" or "completions" or "auto", found "text"',
    ],
    [
      { upstreams: [{ url, models: { a: 1 } }] },
      'FILE: upstreams[0].models.a: expected the model id of the upstream, found 1',
    ],
    [{ upstreams: [{ url }], limits: 3 }, 'FILE: limits: expected an object, found 3'],
    [
      { upstreams: [{ url }], origins: ['example.com'] },
      'FILE: origins[0]: expected an origin such as https://chat.example.com, http://localhost:* (any port), vscode-webview://* (any name), or *, found "example.com"',
    ],
    [
      { upstreams: [{ url }, { url }] },
      'FILE: upstreams[1].name: expected a name of its own, found "localhost:8000" once more',
    ],
  ])('%j', (settings, message) => {
    expect(errorOf(settings)).toContain(message);
  });

  test.each([
    'https://*',
    'https://*.example.com',
    'http://localhost*',
    'http://a.b/',
    'http://a:80',
    'HTTP://a',
    'null',
    'http://a:*:*',
  ])('an origin that no browser sends, or a star that says too much: %s', (origin) => {
    expect(errorOf({ upstreams: [{ url }], origins: [origin] })).toContain(
      'FILE: origins[0]: expected an origin',
    );
  });

  test.each(['redis://host/cache', 'redis://:%zz@host', 'http://host', 'host:6379'])(
    'a store that its client does not take: %s',
    (redis) => {
      expect(errorOf({ upstreams: [{ url }], redis })).toContain(
        'FILE: redis: expected a redis:// or rediss:// URL with nothing behind the host but the number of a database',
      );
    },
  );

  test('a flag by its name', () => {
    const given = [...upstream, ...flags(['--port', 'listen.port', 'abc'])];
    expect(() => readSettings(given, undefined, {})).toThrow(
      /^--port: expected a port, from 0 to 65535, found "abc"$/,
    );
    const wrong = [...upstream, ...flags(['KIMI_TC_ALLOW_ORIGIN', 'origins', ['nope']])];
    expect(() => readSettings(wrong, undefined, {})).toThrow(/^KIMI_TC_ALLOW_ORIGIN: expected an origin/);
  });

  test('of a flag that goes to one upstream, where there are several', () => {
    const given = flags(
      ['--upstream', 'upstreams', [url, 'http://other:1/v1']],
      ['--model-map', 'upstream.models', [['a', 'b']]],
    );
    expect(() => readSettings(given, undefined, {})).toThrow('--model-map: expected one upstream, found 2');
    const pair = [...upstream, ...flags(['--model-map', 'upstream.models', ['a']])];
    expect(() => readSettings(pair, undefined, {})).toThrow('--model-map: expected NAME=ID, found "a"');
    const same = flags(['--upstream', 'upstreams', [url, url]]);
    expect(() => readSettings(same, undefined, {})).toThrow(/^--upstream: expected a name of its own/);
  });

  test('of a name that stands for two models', () => {
    const pairs = [
      ['a', 'b'],
      ['c', 'd'],
      ['a', 'e'],
    ];
    const given = [...upstream, ...flags(['--model-map', 'upstream.models', pairs])];
    expect(() => readSettings(given, undefined, {})).toThrow(
      '--model-map: expected each name once, found "a" once more',
    );
  });

  test('of several settings at once', () => {
    const message = errorOf({ upstreams: [{ url: 'ftp://x' }], listen: { port: -1 } });
    expect(message.split('\n')).toHaveLength(2);
  });

  test('but never what may be a key', () => {
    const secret = 'sk-very-secret';
    for (const settings of [
      { upstreams: [{ url, apiKeyEnv: secret }] },
      { upstreams: [{ url }], gatewayKeysEnv: secret },
      { upstreams: [{ url }], redis: `http://user:${secret}@host` },
      { upstreams: [{ url: `http://user:${secret}@host/v1` }] },
      { upstreams: [{ url: `${url}?key=${secret}` }] },
      { upstreams: `http://user:${secret}@host/v1` },
      { upstreams: [`http://user:${secret}@host/v1`] },
      { upstreams: { url, apiKeyEnv: secret } },
      { upstreams: [{ url: { secret } }] },
      { upstreams: [{ url, apiKeyEnv: 'sk_very_secret' }] },
      { upstreams: [{ url }], gatewayKeysEnv: [secret] },
      { upstreams: [{ url }], redis: { url: secret } },
      { upstreams: [{ url }], origins: [`https://user:${secret}@host`] },
      [secret],
      `{"upstreams": ["${secret}`,
    ])
      expect(errorOf(settings)).not.toContain('secret');
  });

  test('of a key that is not there', () => {
    const settings = { upstreams: [{ url, apiKeyEnv: 'NO_KEY' }] };
    const expected =
      'expected the name of an environment variable that holds a key, found one that is not set';
    expect(errorOf(settings)).toContain(`FILE: upstreams[0].apiKeyEnv: ${expected}`);
    expect(errorOf({ upstreams: [{ url }], gatewayKeysEnv: 'NO' }, { NO: ' ' })).toContain('gatewayKeysEnv');
  });

  test('of a key that no header can hold', () => {
    const settings = { upstreams: [{ url, apiKeyEnv: 'KEY' }] };
    expect(errorOf(settings, { KEY: 'secret\nsecret' })).toBe(
      'FILE: upstreams[0].apiKeyEnv: expected a key that fits into a header, found one with other characters',
    );
  });
});

test('a file that an editor began with a byte order mark is read', () => {
  expect(
    readSettings([], fileOf(`\ufeff${JSON.stringify({ upstreams: [{ url }] })}`), {}).upstreams,
  ).toHaveLength(1);
});

describe('a public address', () => {
  const listen = (host: string, more: object = {}) => ({ upstreams: [{ url }], listen: { host }, ...more });

  test.each(['0.0.0.0', '::', '192.168.1.5', 'example.com', '8.8.8.8'])('%s needs keys', (host) => {
    expect(errorOf(listen(host))).toContain('can be reached from other machines');
    const withKeys = fileOf(listen(host, { gatewayKeysEnv: 'KEYS' }));
    expect(readSettings([], withKeys, { KEYS: 'a, b' }).gatewayKeys).toEqual(['a', 'b']);
    const allowed = fileOf({ upstreams: [{ url }], listen: { host, allowPublic: true } });
    expect(readSettings([], allowed, {}).listen.host).toBe(host);
  });

  test.each(['127.0.0.1', '127.9.9.9', 'localhost', '::1'])('%s is none', (host) => {
    expect(readSettings([], fileOf(listen(host)), {}).gatewayKeys).toEqual([]);
  });
});
