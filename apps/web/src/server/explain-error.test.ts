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

  it('never repeats the key, and cuts what is long', () => {
    const text = explainError(fail(400, `sk-1 ${'x'.repeat(999)}`), 'sk-1');
    expect(text).not.toContain('sk-1');
    expect(text).toContain('[key] x');
    expect(text.length).toBeLessThan(400);
  });
});
