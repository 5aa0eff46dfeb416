/** Anything that `JSON.parse` can return. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** Whether a value is an object that is neither `null` nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether two values are equal as JSON: the order of keys does not count, the order of arrays does. */
export function jsonEquals(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => jsonEquals(item, b[at]));
  }
  if (!isObject(a)) return Object.is(a, b) || (a === 0 && b === 0);
  if (!isObject(b)) return false;
  const keys = presentKeys(a);
  return keys.length === presentKeys(b).length && keys.every((key) => key in b && jsonEquals(a[key], b[key]));
}

/** A key that holds `undefined` would not survive `JSON.stringify`: it is not there. */
function presentKeys(value: Record<string, unknown>): string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined);
}
