import { expect, it } from 'vitest';
import { readOptions, UsageError } from './options.ts';

it('reads options, question and environment', () => {
  expect(readOptions([], {})).toEqual({
    json: false,
    showRaw: false,
    help: false,
    sdk: 'openai',
    transport: 'chat',
  });
  expect(
    readOptions(['--json', '--fault', 'crlf', 'Why?', '--show-raw', '--transport', 'completions'], {}),
  ).toEqual({
    json: true,
    showRaw: true,
    help: false,
    sdk: 'openai',
    transport: 'completions',
    question: 'Why?',
    fault: 'crlf',
  });
  const endpoint = { baseURL: 'http://127.0.0.1:1/v1', model: 'kimi-k2-thinking' };
  expect(readOptions([], { KIMI_BASE_URL: endpoint.baseURL }).endpoint).toEqual(endpoint);
  expect(
    readOptions([], { KIMI_BASE_URL: endpoint.baseURL, KIMI_API_KEY: 'key', KIMI_MODEL: 'kimi-k2.5' })
      .endpoint,
  ).toEqual({ ...endpoint, apiKey: 'key', model: 'kimi-k2.5' });
});

it('gives help whatever else is wrong', () => {
  expect(readOptions(['--help', '--fault', 'x'], { KIMI_BASE_URL: 'x' })).toMatchObject({ help: true });
});

it.each([
  [['--verbose'], {}, /^Unknown option '--verbose'$/],
  [['--fault'], {}, /--fault/],
  [['--fault', 'nonsense'], {}, /^--fault nonsense: there is none of this name/],
  [['--fault', 'constructor'], {}, /there is none of this name/],
  [['--json=yes'], {}, /--json/],
  [['--sdk', 'toString'], {}, /^--sdk toString: expected openai, ai-sdk, or langchain$/],
  [['--transport', 'auto'], {}, /^--transport auto: expected chat or completions$/],
  [['--transport', 'completions', '--fault', 'interleaved-calls'], {}, /only chat replies can have it/],
  [
    ['--transport', 'completions', '--fault', 'reasoning-replay-required'],
    {},
    /only chat replies can have it/,
  ],
  [['a', 'b'], {}, /^more than one question/],
  [[' '], {}, /^the question is empty/],
  [[], { KIMI_BASE_URL: 'localhost:8000' }, /^KIMI_BASE_URL: expected/],
  [[], { KIMI_BASE_URL: 'file:///etc/passwd' }, /^KIMI_BASE_URL: expected/],
  [
    [],
    { KIMI_BASE_URL: 'http://user:secret@127.0.0.1/v1' },
    /^KIMI_BASE_URL: the key goes into KIMI_API_KEY$/,
  ],
  [['--fault', 'crlf'], { KIMI_BASE_URL: 'http://127.0.0.1/v1' }, /^--fault is for the pretend engine/],
])('refuses %j with %j', (args, env, message) => {
  expect(() => readOptions(args, env)).toThrow(UsageError);
  expect(() => readOptions(args, env)).toThrow(message);
});
