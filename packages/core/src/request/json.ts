/** An object of JSON whose members nobody has checked yet. Applications send anything. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** `source` with these members, `undefined` removing one; the same object when nothing differs. */
export function withChanges<Source extends JsonObject>(source: Source, changes: JsonObject): Source {
  const keys = Object.keys(changes);
  if (keys.every((key) => Object.is(source[key], changes[key]))) return source;
  const result: Record<string, unknown> = { ...source, ...changes };
  for (const key of keys) if (result[key] === undefined) delete result[key];
  return result as Source;
}

/** `source` if `result` has the same members, else `result`. */
export function share<Value extends JsonObject>(source: Value, result: Value): Value {
  const keys = Object.keys(result);
  const same =
    keys.length === Object.keys(source).length &&
    keys.every((key) => Object.hasOwn(source, key) && Object.is(source[key], result[key]));
  return same ? source : result;
}

/** The list, each item mapped; the same list when every item is. */
export function mapShared<Item>(
  list: readonly Item[],
  toItem: (item: Item, index: number) => Item,
): readonly Item[] {
  const mapped = list.map(toItem);
  return mapped.every((item, index) => Object.is(item, list[index])) ? list : mapped;
}

/** One step of a JSON pointer. */
export function toPointer(key: string): string {
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
