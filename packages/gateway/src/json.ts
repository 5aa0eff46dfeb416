/** An object of JSON whose fields nobody has checked yet: servers send anything. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is a string, else nothing. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The objects in a list; none if it is no list. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The object in a JSON text, if it is one. */
export function readObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Where `JSON.parse` stopped, to follow the word JSON; empty if it does not say. Its own words quote the text, which
 * may hold anything.
 */
export function placeInJson(error: unknown): string {
  const place = /position \d+(?: \(line \d+ column \d+\))?/.exec((error as Error).message)?.[0];
  return place === undefined ? '' : `, which ends at ${place}`;
}
