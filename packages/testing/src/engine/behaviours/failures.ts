import type { Behaviour, FailureAnswer } from '../behaviour.ts';
import { errorBody } from '../errors.ts';

export type FailureName =
  | 'rate-limited'
  | 'rate-limited-once'
  | 'server-error'
  | 'server-error-once'
  | 'connection-reset'
  | 'connection-reset-once'
  | 'html-error-page'
  | 'tool-use-failed';

const json = { 'content-type': 'application/json' };

const rateLimited: FailureAnswer = {
  status: 429,
  headers: { ...json, 'retry-after': '0' },
  body: () => errorBody(429, 'The engine is currently overloaded, please try again later'),
};

const serverError: FailureAnswer = {
  status: 500,
  headers: json,
  body: () => errorBody(500, "invalid character 'I' looking for beginning of value"),
};

const htmlPage: FailureAnswer = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: () =>
    '<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head><body>Bad gateway</body></html>\n',
};

const toolUseFailed: FailureAnswer = {
  status: 400,
  headers: json,
  body: (text) =>
    errorBody(400, 'Failed to call a function. See failed_generation.', {
      code: 'tool_use_failed',
      failed_generation: text,
    }),
};

/**
 * Answers in place of a reply. Those named `once` come to the first request with certain messages
 * and not to its retries.
 */
export const failures: Readonly<Record<FailureName, Behaviour>> = {
  'rate-limited': {
    doc: 'Status 429 with `retry-after: 0`.',
    source: 'MoonshotAI docs: Errors',
    failure: { once: false, answer: rateLimited },
  },
  'rate-limited-once': {
    doc: 'Status 429 with `retry-after: 0`, then the reply.',
    source: 'MoonshotAI docs: Errors',
    failure: { once: true, answer: rateLimited },
  },
  'server-error': {
    doc: 'Status 500.',
    source: 'ollama/ollama-python#600',
    failure: { once: false, answer: serverError },
  },
  'server-error-once': {
    doc: 'Status 500, then the reply.',
    source: 'ollama/ollama-python#600',
    failure: { once: true, answer: serverError },
  },
  'connection-reset': {
    doc: 'The connection is reset before any answer.',
    source: 'MoonshotAI/kimi-code#2687',
    failure: { once: false, answer: 'reset' },
  },
  'connection-reset-once': {
    doc: 'The connection is reset before any answer, then the reply.',
    source: 'MoonshotAI/kimi-code#2687',
    failure: { once: true, answer: 'reset' },
  },
  'html-error-page': {
    doc: 'Status 502 with the HTML page of a proxy.',
    source: 'musistudio/claude-code-router#204',
    failure: { once: false, answer: htmlPage },
  },
  'tool-use-failed': {
    doc: 'Status 400, `tool_use_failed`, with the raw text in `failed_generation`.',
    source: 'anomalyco/opencode#1018',
    failure: { once: false, answer: toolUseFailed },
  },
};
