import { expect, test } from 'vitest';
import { gatewayOptions } from './options.ts';
import { readSettings } from './read-settings.ts';

const upstream = { from: '--upstream', path: 'upstreams', value: ['http://localhost:8000/v1'] };
const valueAt = (settings: object, path: string) =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], settings);

const words = gatewayOptions.flatMap((option) => (option.words ?? []).map((word) => ({ ...option, word })));
const switches = gatewayOptions
  .filter(({ flags }) => !flags.includes('<'))
  .map((option) => ({ ...option, word: 'true' }));

test.each([...words, ...switches])('$flags takes $word', ({ env, path, read, word }) => {
  const settings = readSettings([upstream, { from: env, path, value: read(word) }], undefined, {});
  expect(valueAt(settings, path)).toEqual(read(word));
});

test('a word that help and shells do not offer is refused', () => {
  for (const { env, path, read, words: offered } of gatewayOptions) {
    if (offered === undefined) continue;
    const given = [upstream, { from: env, path, value: read('nonsense') }];
    expect(() => readSettings(given, undefined, {})).toThrow(new RegExp(`^${env}: expected `));
  }
});
