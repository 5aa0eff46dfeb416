import { expect, it } from 'vitest';
import { readEndpoint, readHosts, readPretendDelay } from './endpoint.ts';

it('reads the endpoint', () => {
  expect(readEndpoint({})).toBeUndefined();
  expect(readEndpoint({ KIMI_BASE_URL: 'http://127.0.0.1:8000/v1' })).toEqual({
    baseURL: 'http://127.0.0.1:8000/v1',
    model: 'kimi-k2-thinking',
  });
  expect(
    readEndpoint({ KIMI_BASE_URL: 'https://api.example/v1', KIMI_API_KEY: 'k', KIMI_MODEL: 'm' }),
  ).toEqual({ baseURL: 'https://api.example/v1', apiKey: 'k', model: 'm' });
});

it('names the variable that is wrong', () => {
  expect(() => readEndpoint({ KIMI_BASE_URL: 'ftp://x' })).toThrow('KIMI_BASE_URL: expected an http');
  expect(() => readEndpoint({ KIMI_BASE_URL: 'http://k@x' })).toThrow('KIMI_API_KEY');
  expect(() => readPretendDelay({ PRETEND_DELAY_MS: 'fast' })).toThrow('PRETEND_DELAY_MS: expected');
});

it('reads the pace', () => {
  expect(readPretendDelay({})).toBe(14);
  expect(readPretendDelay({ PRETEND_DELAY_MS: '0' })).toBe(0);
});

it('reads the names of the site', () => {
  expect(readHosts({})).toEqual([]);
  expect(readHosts({ ALLOWED_HOSTS: 'Chat.example, other.example,' })).toEqual([
    'chat.example',
    'other.example',
  ]);
});
