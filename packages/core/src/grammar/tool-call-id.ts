import { expectOption } from '../kimi-error.ts';

/** How an id was written. `native` is what the models are trained on; the others are seen in the wild. */
export type ToolCallIdForm = 'native' | 'no-prefix' | 'no-counter' | 'counter-only' | 'joined' | 'opaque';

/** What can be read from an id alone, without knowing the offered tools. */
export interface ParsedToolCallId {
  /** Tool name; empty when the id holds none (`counter-only`, `opaque`). */
  name: string;
  /** Decimal digits as written. A string, as counters can exceed 2^53. */
  counter: string | undefined;
  /** How it was written. */
  form: ToolCallIdForm;
}

/**
 * Longest text, in UTF-16 units, that is taken for an id where no call begin stands in front of it.
 * Tool names have at most 64 units at Moonshot's API, 256 with K3; more than this is no id.
 */
export const LONGEST_BARE_ID = 512;

/** Characters that are never part of an id. */
const FORBIDDEN = /[\s<>{}"`]/;
/** White space is allowed around these. */
const SEPARATOR = /([.:])/;

/** For each ASCII unit whether it may be part of an id. */
const ID_UNITS = Array.from({ length: 128 }, (_, unit) => !FORBIDDEN.test(String.fromCharCode(unit)));

/** Whether a UTF-16 unit may be part of an id; NaN may not. */
export function isIdUnit(unit: number): boolean {
  return unit < 128 ? ID_UNITS[unit] === true : unit >= 128 && !FORBIDDEN.test(String.fromCharCode(unit));
}

/** The id without outer white space and without spaces around `.` and `:`; `undefined` if it cannot be one. */
export function tidyToolCallId(raw: string): string | undefined {
  const tidy = raw
    .split(SEPARATOR)
    .map((part) => part.trim())
    .join('');
  return FORBIDDEN.test(tidy) ? undefined : tidy;
}

/**
 * Reads an id as far as it can be read without a tool list.
 *
 * `functions.NAME:12` is `native`, `NAME:12` `no-prefix` (split at the last `:` that digits follow),
 * `functions.NAME` `no-counter`, `12` and `functions.:12` `counter-only`, `functions_NAME_12` `joined`,
 * and anything else (`call_9f31`, a uuid) `opaque`.
 *
 * @returns `undefined` when the text cannot be an id: white space inside, or any of `< > { } " \``.
 * @throws KimiError when `raw` is not a string
 */
export function parseToolCallId(raw: string): ParsedToolCallId | undefined {
  expectOption(typeof raw === 'string', 'raw', 'a string', raw);
  const id = tidyToolCallId(raw);
  if (id === undefined) return undefined;
  const prefixed = id.startsWith('functions.');
  const body = prefixed ? id.slice('functions.'.length) : id;
  if (/^\d+$/.test(body) && !prefixed) return { name: '', counter: body, form: 'counter-only' };
  const colon = body.lastIndexOf(':');
  const counter = body.slice(colon + 1);
  if (colon >= 0 && /^\d+$/.test(counter)) {
    const name = body.slice(0, colon);
    return { name, counter, form: name === '' ? 'counter-only' : prefixed ? 'native' : 'no-prefix' };
  }
  if (prefixed && body !== '')
    return { name: colon >= 0 ? body.slice(0, colon) : body, counter: undefined, form: 'no-counter' };
  const joined = /^functions_(.+)_(\d+)$/.exec(id);
  if (joined) return { name: joined[1] ?? '', counter: joined[2], form: 'joined' };
  return { name: '', counter: undefined, form: 'opaque' };
}

/**
 * The id a K2 model is trained on: `functions.NAME:COUNTER`.
 * @param counter a whole number from 0, or its decimal digits (counters run over the conversation).
 * @throws KimiError when `name` is not a string or `counter` is anything else
 */
export function formatToolCallId(name: string, counter: number | bigint | string): string {
  const isWhole =
    typeof counter === 'number'
      ? Number.isSafeInteger(counter) && counter >= 0
      : /^\d+$/.test(String(counter));
  expectOption(typeof name === 'string', 'name', 'a string', name);
  expectOption(isWhole, 'counter', 'a whole number from 0, or its digits', counter);
  return `functions.${name}:${counter}`;
}
