import { expect, it } from 'vitest';
import { checkOrigin } from './check-origin.ts';

const check = (headers: Record<string, string>) => () => checkOrigin(new Headers(headers));
const host = '127.0.0.1:3000';

it.each([
  [{ host }],
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
