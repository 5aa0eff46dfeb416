import { isObject } from './json.ts';

/** Reads one value of a data file, or throws a {@link DataError}. `at` is the path to it, `input.deltas[3]`. */
export type Check = (value: unknown, at: string) => void;

/** A data file that does not fit its schema. The message names the file, the field and what was expected. */
export class DataError extends Error {
  /** Tells it from other errors, also across realms. */
  override readonly name: string = 'DataError';
}

/** Fails with the path of the value and a short rendering of what stands there. */
export function fail(at: string, expected: string, value: unknown): never {
  const shown = value === undefined ? 'nothing' : (JSON.stringify(value)?.slice(0, 80) ?? String(value));
  throw new DataError(`${at || 'the file'}: expected ${expected}, found ${shown}`);
}

export const text: Check = (value, at) => {
  if (typeof value !== 'string') fail(at, 'a string', value);
};

export const filledText: Check = (value, at) => {
  if (typeof value !== 'string' || value === '') fail(at, 'a string that is not empty', value);
};

export const flag: Check = (value, at) => {
  if (typeof value !== 'boolean') fail(at, 'true or false', value);
};

export const count: Check = (value, at) => {
  if (!Number.isSafeInteger(value) || (value as number) < 0) fail(at, 'an integer from 0', value);
};

/** Any JSON object, whatever is in it. */
export const anyObject: Check = (value, at) => {
  if (!isObject(value)) fail(at, 'an object', value);
};

/** Any JSON value; only its presence is asked for. */
export const anything: Check = () => {};

/** One of a few strings. */
export function oneOf(words: readonly string[]): Check {
  return (value, at) => {
    if (!words.includes(value as string)) fail(at, words.map((word) => `"${word}"`).join(' or '), value);
  };
}

/** `null`, or what the other check takes. */
export function orNull(check: Check): Check {
  return (value, at) => {
    if (value !== null) check(value, at);
  };
}

/** A list of which every item fits. */
export function listOf(check: Check): Check {
  return (value, at) => {
    if (!Array.isArray(value)) fail(at, 'a list', value);
    value.forEach((item, index) => {
      check(item, `${at}[${index}]`);
    });
  };
}

/** A list of fixed length, one check for each place. */
export function tuple(...checks: readonly Check[]): Check {
  return (value, at) => {
    if (!Array.isArray(value) || value.length !== checks.length) {
      fail(at, `a list of ${checks.length}`, value);
    }
    checks.forEach((check, index) => {
      check(value[index], `${at}[${index}]`);
    });
  };
}

/** An object with these fields and no others; a field named in `optional` may be absent. */
export function shape(required: Readonly<Record<string, Check>>, optional: typeof required = {}): Check {
  return (value, at) => {
    if (!isObject(value)) fail(at, 'an object', value);
    const path = (key: string): string => (at ? `${at}.${key}` : key);
    for (const key of Object.keys(value)) {
      if (!Object.hasOwn(required, key) && !Object.hasOwn(optional, key)) {
        throw new DataError(`${path(key)}: unknown field`);
      }
    }
    for (const [key, check] of Object.entries(required)) {
      if (!Object.hasOwn(value, key)) throw new DataError(`${path(key)}: missing`);
      check(value[key], path(key));
    }
    for (const [key, check] of Object.entries(optional)) {
      if (Object.hasOwn(value, key)) check(value[key], path(key));
    }
  };
}
