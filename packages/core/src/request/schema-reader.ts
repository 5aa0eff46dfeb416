import { toJson } from '../to-json.ts';
import { isObject, type JsonObject, textOf, toPointer, withChanges } from './json.ts';
import { isDisjoint, isSame, sharedTypes, sharedValues, toList, withoutNarrower } from './schema-types.ts';

export interface SchemaReader {
  /**
   * The schema in itself: `$ref`, `allOf`, `oneOf`, `const` and `nullable` resolved at its top level.
   * A recursive reference stays, pointing below `$defs`, unless `inline`.
   */
  expand(schema: JsonObject, at: string, level: number, inline?: boolean): JsonObject;
  /** One schema for values that both accept. With `nearer`, members of `right` win over those of `left`. */
  combine(left: JsonObject, right: JsonObject, at: string, nearer?: boolean): JsonObject;
  /** The definitions that references still point to; `undefined` if none does. */
  convertDefinitions(convert: (schema: JsonObject, at: string) => JsonObject): JsonObject | undefined;
}

export interface SchemaReaderHooks {
  refuse(at: string, why: string): never;
  /** More is accepted than before. */
  relax(at: string, why: string): void;
  /** Counts one schema; refuses what is too large or too deep. */
  enter(level: number, at: string): void;
}

const EXPANDABLE = ['$ref', 'allOf', 'oneOf', 'const', 'nullable'];
/** Beside a reference these restrict nothing. */
const WEIGHTLESS =
  /^(\$ref|\$defs|definitions|\$id|\$schema|\$comment|title|description|default|examples?|deprecated|readOnly|writeOnly)$/;
/** Members that hold values, not schemas. */
const VALUES = /^(enum|const|default|examples?)$/;
/** Keywords that have a meaning with `null`, or that nobody can guess the meaning of. */
const MEANS_NULL = ['const', 'default', 'type'];
/** PHP writes an empty object as `[]`. */
const MAPS = ['properties', 'additionalProperties'];
/** Nodes looked at in search of references, and references followed. */
const MOST_SCANNED = 500_000;

export function createSchemaReader(root: JsonObject, hooks: SchemaReaderHooks): SchemaReader {
  const { refuse, relax, enter } = hooks;
  /** From a reference to the name of its definition, for those that stay. */
  const names = new Map<string, string>();
  const taken = new Set(Object.keys(isObject(root.$defs) ? root.$defs : {}));
  const recursive = new Map<string, boolean>();
  const references = new Map<string, readonly string[]>();
  let scanned = 0;

  /** What servers write by mistake, as what it can only mean; the rest of it is refused. */
  function tidy(schema: JsonObject, at: string): JsonObject {
    const changes: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(schema)) {
      if (value === null && !MEANS_NULL.includes(key)) changes[key] = undefined;
      else if (MAPS.includes(key) && Array.isArray(value) && value.length === 0) changes[key] = {};
      else if (value !== undefined && isMalformed(key, value))
        refuse(at + toPointer(key), `${key} cannot be ${toJson(value).slice(0, 100)}.`);
    }
    return withChanges(schema, changes);
  }

  function expand(
    given: JsonObject,
    at: string,
    level: number,
    inline = false,
    chain: readonly string[] = [],
  ): JsonObject {
    const schema = tidy(given, at);
    if (!EXPANDABLE.some((key) => key in schema)) return schema;
    let flat = typeof schema.$ref === 'string' ? expandReference(schema, at, level, inline, chain) : schema;
    if (typeof flat.$ref === 'string') return flat;
    if (Array.isArray(flat.allOf)) {
      const { allOf, ...rest } = flat;
      flat = rest;
      for (const [index, member] of allOf.entries()) {
        if (member === true) continue;
        const path = `${at}/allOf/${index}`;
        if (!isObject(member)) return refuse(path, 'a schema has to be an object here.');
        enter(level, path);
        flat = combine(flat, expand(member, path, level + 1, true, chain), at);
      }
    }
    if ('const' in flat) {
      const { const: value, ...rest } = flat;
      flat = combine(rest, { enum: [value] }, at);
    }
    if (Array.isArray(flat.oneOf)) {
      const { oneOf, ...rest } = flat;
      if (!areDisjoint(oneOf, at, level)) relax(at, 'oneOf became anyOf.');
      flat = combine(rest, { anyOf: oneOf }, at);
    }
    return 'nullable' in flat ? addNull(flat) : flat;
  }

  function expandReference(
    schema: JsonObject,
    at: string,
    level: number,
    inline: boolean,
    chain: readonly string[],
  ): JsonObject {
    const { $ref, $defs: _, definitions: __, ...beside } = schema;
    const reference = textOf($ref);
    const path = `${at}/$ref`;
    const isRestricted = Object.keys(beside).some((key) => !WEIGHTLESS.test(key));
    if (!inline && !isRestricted && isRecursive(reference, path)) {
      expectEnd(reference, path);
      const { title, description } = schema;
      return {
        ...(title !== undefined && { title }),
        ...(description !== undefined && { description }),
        $ref: nameDefinition(reference),
      };
    }
    if (chain.includes(reference)) refuse(path, 'the reference leads back to itself.');
    enter(level, path);
    const target = expand(resolve(reference, path), at, level + 1, inline || isRestricted, [
      ...chain,
      reference,
    ]);
    return typeof target.$ref === 'string' ? { ...target, ...beside } : combine(target, beside, at, true);
  }

  function areDisjoint(branches: readonly unknown[], at: string, level: number): boolean {
    const plain = branches.map((branch) =>
      isObject(branch) && typeof branch.$ref === 'string' ? expand(branch, at, level + 1, true) : branch,
    );
    // Every pair is looked at.
    return (
      plain.length <= 50 &&
      plain.every((one, at) => plain.slice(at + 1).every((other) => isDisjoint(one, other)))
    );
  }

  /** OpenAPI's way to allow `null`. */
  function addNull({ nullable, ...schema }: JsonObject): JsonObject {
    if (nullable !== true) return schema;
    if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] };
    const types = toList(schema.type);
    return schema.type === undefined || types.includes('null')
      ? schema
      : { ...schema, type: [...types, 'null'] };
  }

  function combine(left: JsonObject, right: JsonObject, at: string, nearer = false): JsonObject {
    const merged = new Map(Object.entries(left));
    for (const [key, value] of Object.entries(right)) {
      const known = merged.get(key);
      const isNew = known === undefined || isSame(known, value);
      merged.set(key, isNew ? value : both(key, known, value, at, nearer));
    }
    if (closes(left, right) || closes(right, left))
      relax(at, 'additionalProperties of one part would forbid the properties of another.');
    return Object.fromEntries(merged);
  }

  function both(key: string, left: unknown, right: unknown, at: string, nearer: boolean): unknown {
    const exact = intersect(key, left, right, at, nearer);
    if (nearer && !/^(properties|required|anyOf)$/.test(key)) {
      if (!WEIGHTLESS.test(key) && !isSame(exact, right)) relax(at, `${key} beside the reference won.`);
      return right;
    }
    if (exact === undefined && !WEIGHTLESS.test(key)) relax(at, `two values of ${key} have no common form.`);
    return exact ?? right;
  }

  /** `undefined`: there is no such value. */
  function intersect(key: string, left: unknown, right: unknown, at: string, nearer: boolean): unknown {
    if (typeof left === 'number' && typeof right === 'number') {
      if (/^(min|exclusiveMin)/.test(key)) return Math.max(left, right);
      return /^(max|exclusiveMax)/.test(key) ? Math.min(left, right) : undefined;
    }
    if (key === 'additionalProperties' && typeof left === 'boolean') return left ? right : false;
    if (key === 'additionalProperties' && typeof right === 'boolean') return right ? left : false;
    if (key === 'type') {
      const types = withoutNarrower(sharedTypes(left, right));
      return types.length > 1 ? types : types[0];
    }
    if (Array.isArray(left) && Array.isArray(right)) {
      if (key === 'required') return [...new Set([...left, ...right])];
      if (key === 'enum') {
        const values = sharedValues(left, right);
        return values.length > 0 ? values : refuse(at, 'no value satisfies the schema.');
      }
      if (key !== 'anyOf' || left.length * right.length > 500) return undefined;
      return left.flatMap((one) => right.map((other) => ({ allOf: [one, other] })));
    }
    if (!isObject(left) || !isObject(right)) return undefined;
    if (key === 'items' || key === 'additionalProperties') return { allOf: [left, right] };
    if (key !== 'properties') return undefined;
    const members = Object.entries(right).map(([name, schema]) => {
      const known = Object.hasOwn(left, name) ? left[name] : undefined;
      return [
        name,
        known === undefined || nearer || isSame(known, schema) ? schema : { allOf: [known, schema] },
      ];
    });
    return Object.fromEntries([...Object.entries(left), ...members]);
  }

  function isRecursive(reference: string, at: string): boolean {
    let found = recursive.get(reference);
    if (found !== undefined) return found;
    const seen = new Set<string>();
    const next = [...referencesIn(reference, at)];
    found = false;
    for (let one = next.pop(); one !== undefined && !found; one = next.pop()) {
      scan(at);
      if (one === reference) found = true;
      else if (!seen.has(one)) {
        seen.add(one);
        next.push(...referencesIn(one, at));
      }
    }
    recursive.set(reference, found);
    return found;
  }

  function scan(at: string): void {
    if (++scanned > MOST_SCANNED) refuse(at, 'the schema is too large.');
  }

  function referencesIn(reference: string, at: string): readonly string[] {
    const known = references.get(reference);
    if (known) return known;
    const found = new Set<string>();
    const open: unknown[] = [resolve(reference, at)];
    while (open.length > 0) {
      const node = open.pop();
      if (typeof node !== 'object' || node === null) continue;
      scan(at);
      for (const [key, value] of Object.entries(node)) {
        if (key === '$ref' && typeof value === 'string') found.add(value);
        else if (!VALUES.test(key)) open.push(value);
      }
    }
    const list = [...found];
    references.set(reference, list);
    return list;
  }

  function resolve(reference: string, at: string): JsonObject {
    if (!/^#(\/|$)/.test(reference)) return refuse(at, 'the reference leads out of the schema.');
    let node: unknown = root;
    for (const step of reference.split('/').slice(1)) {
      const key = decode(step).replaceAll('~1', '/').replaceAll('~0', '~');
      node =
        typeof node === 'object' && node !== null && Object.hasOwn(node, key)
          ? (node as JsonObject)[key]
          : undefined;
    }
    return isObject(node) ? node : refuse(at, 'the reference leads to no schema.');
  }

  /** Refuses references that lead to references alone, round and round. */
  function expectEnd(reference: string, at: string): void {
    const seen = new Set<unknown>();
    for (let next: unknown = reference; typeof next === 'string'; next = resolve(next, at).$ref) {
      if (seen.has(next)) refuse(at, 'the reference leads back to itself.');
      seen.add(next);
    }
  }

  function nameDefinition(reference: string): string {
    if (reference === '#') return reference;
    let name = names.get(reference);
    if (name === undefined) {
      const [, plain] = /^#\/\$defs\/([^/~%]+)$/.exec(reference) ?? [];
      const stem = decode(reference.slice(reference.lastIndexOf('/') + 1)).replace(/[^\w.-]/g, '_') || '_';
      name = plain ?? stem;
      for (let number = 2; plain === undefined && taken.has(name); number++) name = `${stem}_${number}`;
      names.set(reference, name);
      taken.add(name);
    }
    return `#/$defs/${name}`;
  }

  return {
    expand,
    combine,
    convertDefinitions(convert) {
      const definitions: [string, JsonObject][] = [];
      // Converting one may name more; a map walks them, too.
      for (const [reference, name] of names)
        definitions.push([name, convert(resolve(reference, ''), reference.slice(1))]);
      return definitions.length > 0 ? Object.fromEntries(definitions) : undefined;
    },
  };
}

/** Whether no dialect of JSON Schema has such a value for the keyword. */
function isMalformed(key: string, value: unknown): boolean {
  if (/^(anyOf|oneOf)$/.test(key)) return !Array.isArray(value) || value.length === 0;
  if (/^(allOf|enum)$/.test(key)) return !Array.isArray(value);
  if (/^(title|description)$/.test(key)) return typeof value !== 'string';
  if (key === 'properties') return !isObject(value);
  if (key === 'additionalProperties') return !isObject(value) && typeof value !== 'boolean';
  if (key === 'items') return typeof value !== 'object' && typeof value !== 'boolean';
  return false;
}

/** Whether the one's `additionalProperties` is about properties that only the other declares. */
function closes(one: JsonObject, other: JsonObject): boolean {
  if (one.additionalProperties === undefined || one.additionalProperties === true) return false;
  const declared = isObject(one.properties) ? one.properties : {};
  return (
    isObject(other.properties) && Object.keys(other.properties).some((name) => !Object.hasOwn(declared, name))
  );
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
