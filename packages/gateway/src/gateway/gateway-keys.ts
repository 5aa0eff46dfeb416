import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from './api-error.ts';

/** Lets only callers with one of the gateway's keys in. */
export type CheckKey = (headers: Headers) => void;

/**
 * Each key is compared as a whole and all of them every time, digests of one length against each other, so
 * that the time it takes tells nothing of how much was right.
 *
 * @param keys none: everybody may call
 * @throws ApiError 401 from what it returns
 */
export function createKeyCheck(keys: readonly string[]): CheckKey {
  const known = keys.map(digest);
  return (headers) => {
    if (known.length === 0) return;
    const given = keyOf(headers);
    if (given === undefined) throw refuse('This gateway wants a key: Authorization: Bearer KEY.');
    const own = digest(given);
    const matches = known.filter((one) => timingSafeEqual(one, own)).length;
    if (matches === 0) throw refuse('The key is not one of this gateway.');
  };
}

function keyOf(headers: Headers): string | undefined {
  const bearer = /^Bearer +(.+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  return bearer ?? headers.get('api-key') ?? headers.get('x-api-key') ?? undefined;
}

function refuse(message: string): ApiError {
  return new ApiError(401, 'invalid_api_key', message, { headers: { 'www-authenticate': 'Bearer' } });
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
