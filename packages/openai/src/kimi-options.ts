import {
  createParser,
  KimiError,
  type ParserOptions,
  type Problem,
  type RequestProblem,
} from '@kimi-tc/core';
import { isObject } from './json.ts';

/** Options of everything here that reads replies: those of the parser, and how to hear of problems. */
export interface KimiOptions extends ParserOptions {
  /**
   * Called for each problem when it is found. What it throws breaks the stream. Those of a request come
   * with the `path` they are about, and again with every later request that holds the same message.
   * Default: problems are found under `x_kimi` only.
   */
  onProblem?: ((problem: Problem | RequestProblem, context: ProblemContext) => void) | undefined;
}

/** What a problem is about. Holds no header, no key and no text. */
export interface ProblemContext {
  /** What the client sent, or what came back. Only `createKimiFetch` looks at requests. */
  of: 'request' | 'reply';
  /** `index` of the choice; 0 for a request. */
  choice: number;
  /** `id` of the server's reply, if it has one. */
  id?: string;
  /** The model as the request names it, else as the reply does. */
  model?: string;
  /** The address of the request without credentials, query and fragment. Only from `createKimiFetch`. */
  url?: string;
}

/** @throws KimiError naming the option that is wrong */
export function checkOptions(options: KimiOptions): void {
  checkObject('options', options);
  // The parser checks its own options, and does so before any text comes.
  createParser({ ...options, onEvent: () => {} });
  checkFunction('onProblem', options.onProblem);
}

export function checkFunction(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function') refuse(option, 'a function', value);
}

export function checkText(option: string, value: unknown): void {
  if (typeof value !== 'string') refuse(option, 'a string', value);
}

export function checkWord(option: string, value: unknown, allowed: readonly string[]): void {
  if (!allowed.includes(value as string))
    refuse(option, allowed.map((one) => `'${one}'`).join(' or '), value);
}

export function checkObject(option: string, value: unknown): void {
  if (!isObject(value)) refuse(option, 'an object', value);
}

export function checkStream(stream: unknown): void {
  const isStream = typeof Object(stream)[Symbol.asyncIterator] === 'function';
  if (!isStream) refuse('stream', 'an async iterable, such as the awaited answer of the SDK', stream);
}

function refuse(option: string, expected: string, value: unknown): never {
  const got = value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value;
  throw new KimiError(option, `${option}: expected ${expected}, got ${got}`);
}
