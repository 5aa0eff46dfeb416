/** An object of JSON whose fields nobody has checked yet: servers send anything. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is a string, else nothing. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** `undefined` for what is no JSON. */
export function parseJson(text: string): unknown {
  // Comments have none, and throwing takes longer than reading a chunk.
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
