import { expect, it } from 'vitest';
import { checkOrigin } from './check-origin.ts';

const check = (headers: Record<string, string>) => () => checkOrigin(new Headers(headers), ['chat.example']);
const host = '127.0.0.1:3000';

it.each([
  [{ host }],
  [{ host: 'localhost:3000' }],
  [{ host: '[::1]:3000' }],
  [{ host, 'sec-fetch-site': 'same-origin' }],
  [{ host, 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1:3000' }],
  [{ host: 'chat.example', origin: 'https://chat.example' }],
])('lets %o through', (headers) => {
  expect(check(headers)).not.toThrow();
});

it.each([
  [{ host, 'sec-fetch-site': 'cross-site' }],
  [{ host, 'sec-fetch-site': 'same-site' }],
  [{ host, 'sec-fetch-site': 'none' }],
  [{ host, origin: 'https://evil.example' }],
  [{ host, origin: 'http://127.0.0.1:3001' }],
  [{ host, origin: 'null' }],
])('refuses %o', (headers) => {
  expect(check(headers)).toThrow('pages of this site only');
});

it.each([
  [{}],
  [{ host: 'evil.example:3000', origin: 'http://evil.example:3000', 'sec-fetch-site': 'same-origin' }],
  [{ host: 'evil.example:3000' }],
  [{ host: '127.0.0.1.evil.example' }],
  [{ host: 'sub.chat.example' }],
  [{ host: '@' }],
])('does not believe a name that it does not know: %o', (headers) => {
  expect(check(headers)).toThrow('ALLOWED_HOSTS');
});
