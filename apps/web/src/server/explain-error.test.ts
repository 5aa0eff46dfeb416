import { APICallError, RetryError } from 'ai';
import { describe, expect, it } from 'vitest';
import { explainError } from './explain-error.ts';

function fail(statusCode: number | undefined, message: string): APICallError {
  return new APICallError({
    message,
    url: 'http://x/v1',
    requestBodyValues: {},
    ...(statusCode !== undefined && { statusCode }),
  });
}

describe('explainError', () => {
  it('says what happened, then what the server says', () => {
    expect(explainError(fail(429, 'Too many  requests'))).toBe(
      'The server is asked too much at the moment. Try again in a while. It says: Too many requests',
    );
    expect(explainError(fail(500, '<html>Bad</html>'))).toBe(
      'The server has trouble of its own (status 500).',
    );
    expect(explainError(fail(undefined, 'fetch failed'))).toBe(
      'The server cannot be reached, or it closed the connection.',
    );
    for (const error of [new TypeError('terminated'), fail(200, 'Failed to process successful response')]) {
      expect(explainError(error)).toContain('broke in the middle of the reply');
    }
  });

  it('looks behind the last of several attempts', () => {
    const error = new RetryError({
      message: '3 times',
      reason: 'maxRetriesExceeded',
      errors: [fail(401, 'no')],
    });
    expect(explainError(error)).toBe('The server refuses the key. It says: no');
  });

  it('reads an error that came as plain JSON', () => {
    expect(explainError({ message: 'Out of memory', code: 500 })).toBe(
      'The reply ended with an error. It says: Out of memory',
    );
  });

  it('never repeats the key, and cuts what is long', () => {
    const text = explainError(fail(400, `sk-1 ${'x'.repeat(999)}`), 'sk-1');
    expect(text).not.toContain('sk-1');
    expect(text).toContain('[key] x');
    expect(text.length).toBeLessThan(400);
    expect(explainError(fail(400, `${'x'.repeat(298)}sk-1`), 'sk-1')).not.toContain('sk');
  });
});
