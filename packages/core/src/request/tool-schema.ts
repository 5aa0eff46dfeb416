import { toJson } from '../to-json.ts';
import { isObject, type JsonObject, listOf, mapShared, share, textOf, toPointer } from './json.ts';
import { isPlainSchema } from './plain-schema.ts';
import type { RequestLog, RequestProblem } from './request-problems.ts';
import { LIMITS, RESERVED } from './schema-keywords.ts';
import { createSchemaReader } from './schema-reader.ts';
import {
  isOfType,
  isSubset,
  sameItems,
  TYPES,
  toList,
  toUnion,
  typesOfValues,
  withoutNarrower,
} from './schema-types.ts';

/** A schema that can be sent, and where it accepts more than the given one. */
export interface NormalizedSchema<Schema> {
  /** What to send: the given schema if nothing had to change. */
  schema: Schema;
  /** `schema-relaxed`, if anything; paths begin at the schema. */
  problems: RequestProblem[];
}

/** Of this library: schemas read, each one as often as it is used, and how deep they may stand. */
const MOST_SCHEMAS = 12_000;
const DEEPEST = 100;

/** Say nothing about values; these alone stay beside `anyOf`, a list of types or a reference. */
const LABELS = ['description', 'title'];

/** What the server takes beside the labels, `default` and `enum`, by the type it is about. */
const TAKEN: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'prefixItems', 'minItems', 'maxItems'],
  string: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
};

/** Those of them, and of what they are made from, that are numbers. */
const NUMERIC: Readonly<Record<string, readonly string[]>> = {
  array: ['minItems', 'maxItems'],
  string: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
};

/** What it refuses although it restricts values, by the type it is about. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  object: [
    'patternProperties',
    'propertyNames',
    'minProperties',
    'maxProperties',
    'dependentRequired',
    'dependentSchemas',
    'dependencies',
    'unevaluatedProperties',
  ],
  array: ['uniqueItems', 'contains', 'minContains', 'maxContains', 'unevaluatedItems'],
  string: ['pattern'],
  number: ['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};
/** The same, about values of all types. */
const REFUSED_EVERYWHERE = ['not', 'if'];
/** Refused, and of no weight; worth telling the model all the same. */
const NOTES = ['format', 'contentEncoding', 'contentMediaType'];

/** What becomes of each keyword is told at `normalizeToolSchema`; that is this, with a place for its problems. */
export function rewriteToolSchema(root: unknown, base: string, log: RequestLog, tool: string): unknown {
  const plain = readPlain(root);
  if (plain) return plain;
  let schema = rewriteOnce(root, base, log, tool);
  // A reference is not recursive any more when what led back to it was refused.
  for (let before = root; before !== schema && isObject(schema) && '$defs' in schema; ) {
    before = schema;
    schema = rewriteOnce(before, base, log, tool);
  }
  return schema;
}

/** A schema that nothing has to be done to, but that its dialect is not named. */
function readPlain(root: unknown): JsonObject | undefined {
  if (!isObject(root)) return undefined;
  const schema = '$schema' in root ? pick(root, (key) => key !== '$schema') : root;
  return isPlainSchema(schema) && toJson(schema).length <= LIMITS.length ? schema : undefined;
}

function rewriteOnce(root: unknown, base: string, log: RequestLog, tool: string): unknown {
  const relaxed = new Set<string>();
  let schemas = 0;
  let properties = 0;
  const subject = tool === '' ? '' : `Tool ${tool}: `;

  function refuse(at: string, why: string): never {
    return log.refuse('unresolvable-schema', base + at, subject + why);
  }
  function relax(at: string, why: string): void {
    if (relaxed.has(at)) return;
    relaxed.add(at);
    log.report('schema-relaxed', base + at, subject + why);
  }
  function enter(level: number, at: string): void {
    if (++schemas > MOST_SCHEMAS) refuse(at, 'the schema is too large once its references are resolved.');
    if (level > DEEPEST) refuse(at, 'the schema is too deep.');
  }

  if (!isObject(root)) refuse('', 'the schema is not an object.');
  const reader = createSchemaReader(root, { refuse, relax, enter });
  const { expand, combine } = reader;

  function expectNumber(schema: JsonObject, key: string, at: string): void {
    const value = schema[key];
    // Draft 4 has booleans for the exclusive ones.
    const isFlag = typeof value === 'boolean' && key.startsWith('exclusive');
    const isCount = /(Length|Items)$/.test(key);
    const isFit = isCount ? Number.isInteger(value) && (value as number) >= 0 : Number.isFinite(value);
    if (value !== undefined && !isFlag && !isFit)
      refuse(at + toPointer(key), `${key} cannot be ${toJson(value).slice(0, 100)}.`);
  }

  function typesOf(type: unknown, at: string): string[] {
    const types = toList(type);
    if (types.length === 0 || !types.every((one) => one === 'integer' || TYPES.includes(one as string)))
      refuse(at, `there is no type ${toJson(type)}.`);
    return withoutNarrower([...new Set(types as string[])]);
  }

  /** `depth` counts properties as the server does, `level` everything. */
  function convert(schema: unknown, at: string, depth: number, level: number): JsonObject {
    if (!isObject(schema)) return refuse(at, 'a schema has to be an object here.');
    enter(level, at);
    const flat = expand(schema, at, level);
    const result =
      '$ref' in flat
        ? flat
        : Array.isArray(flat.anyOf)
          ? convertUnion(flat, flat.anyOf, at, depth, level)
          : convertTyped(flat, at, depth, level);
    return share(schema, result);
  }

  function convertUnion(
    flat: JsonObject,
    branches: readonly unknown[],
    at: string,
    depth: number,
    level: number,
  ): JsonObject {
    if (branches.length > LIMITS.branches) refuse(at, `more than ${LIMITS.branches} branches.`);
    const outer = pick(flat, (key) => key !== 'anyOf' && key !== 'default' && !LABELS.includes(key));
    const isRestricted = Object.keys(outer).length > 0;
    const converted = mapShared(branches, (branch, index): unknown => {
      const path = `${at}/anyOf/${index}`;
      if (!isObject(branch)) return refuse(path, 'a schema has to be an object here.');
      if (!isRestricted) return convert(branch, path, depth, level + 1);
      const inner = expand(branch, path, level + 1, true);
      // A branch that has a type of its own keeps it.
      if (!('type' in inner) || !('type' in outer))
        return convert(combine(outer, inner, path), path, depth, level + 1);
      const { type, ...rest } = outer;
      if (!isSubset(inner.type, type)) relax(path, 'the type beside anyOf excludes the branch.');
      return convert(combine(rest, inner, path), path, depth, level + 1);
    });
    const labels = pick(flat, (key) => LABELS.includes(key) || key === 'default');
    return { ...labels, anyOf: 'default' in flat ? mapShared(converted, withoutDefault) : converted };
  }

  function convertTyped(flat: JsonObject, at: string, depth: number, level: number): JsonObject {
    const given = flat.type === undefined ? undefined : typesOf(flat.type, at);
    let values = Array.isArray(flat.enum) ? (flat.enum as readonly unknown[]) : undefined;
    if (values && given) values = values.filter((value) => given.some((type) => isOfType(value, type)));
    if (values?.length === 0) refuse(at, 'no value satisfies the schema.');
    if (values && values.length > LIMITS.enumValues)
      refuse(at, `more than ${LIMITS.enumValues} enum values.`);
    const types = values
      ? typesOfValues(values).map((type) =>
          given?.includes('number') && type === 'integer' ? 'number' : type,
        )
      : (given ?? inferTypes(flat));
    const constraints = Object.keys(flat).filter((key) => key !== 'type' && !LABELS.includes(key));
    if (types.length > 1) {
      const asList = constraints.length === 0 || (constraints.length === 1 && isNullableEnum(values, types));
      if (asList) {
        const list = sameItems(types, flat.type) ? flat.type : types;
        return {
          ...flat,
          type: list,
          ...(values && { enum: sameItems(values, flat.enum) ? flat.enum : values }),
        };
      }
      const outer = pick(flat, (key) => key !== 'default' && !LABELS.includes(key));
      const branches = types.map((type) => ({ ...outer, type, ...(values && { enum: values }) }));
      const labels = pick(flat, (key) => LABELS.includes(key) || key === 'default');
      return convertUnion({ ...labels, anyOf: branches }, branches, at, depth, level);
    }
    const type = types[0] as string;
    const own = type === 'integer' ? 'number' : type;
    for (const key of NUMERIC[own] ?? []) if (key in flat) expectNumber(flat, key, at);
    const result: Record<string, unknown> = {
      ...pick(
        flat,
        (key) => LABELS.includes(key) || key === 'default' || (TAKEN[own]?.includes(key) ?? false),
      ),
      type,
      ...(values && type !== 'null' && { enum: sameItems(values, flat.enum) ? flat.enum : values }),
    };
    if (own === 'object') convertObject(result, flat, at, depth, level);
    if (own === 'array') convertArray(result, flat, at, depth, level);
    if (own === 'number') convertBounds(result, flat, type === 'integer');
    const lost = [...(REFUSED[own] ?? []), ...REFUSED_EVERYWHERE].filter((key) => isLost(flat, key, type));
    if (lost.length > 0) relax(at, `the endpoint refuses ${lost.join(', ')}.`);
    const told = [...lost, ...(own === 'string' ? NOTES : [])].filter((key) => isTellable(flat[key]));
    if (told.length > 0) {
      const notes = told.map((key) => `${key}: ${toJson(flat[key])}`).join(', ');
      result.description = `${textOf(flat.description)} (${notes})`.trim();
    }
    return result;
  }

  function convertObject(
    result: Record<string, unknown>,
    flat: JsonObject,
    at: string,
    depth: number,
    level: number,
  ): void {
    const { properties: declared, required } = flat;
    // What the patterns allowed would be forbidden without them.
    const others = 'patternProperties' in flat ? undefined : flat.additionalProperties;
    const names = [...new Set(listOf(required).filter((name) => typeof name === 'string'))];
    if (Array.isArray(required)) result.required = sameItems(names, required) ? required : names;
    else delete result.required;
    if (others === undefined) delete result.additionalProperties;
    else if (isObject(others) && Object.keys(others).length > 0)
      result.additionalProperties = convert(others, `${at}/additionalProperties`, depth, level + 1);
    const members = isObject(declared) ? Object.entries(declared) : [];
    const undeclared = names.filter((name) => !(isObject(declared) && Object.hasOwn(declared, name)));
    if (undeclared.length > 0 && others === false)
      relax(at, `${undeclared.join(', ')} is required and not declared.`);
    for (const name of undeclared) members.push([name, isObject(others) ? others : {}]);
    if (members.length === 0) return;
    if (depth >= LIMITS.depth) refuse(at, `properties are nested more than ${LIMITS.depth} deep.`);
    properties += members.length;
    if (properties > LIMITS.properties) refuse(at, `more than ${LIMITS.properties} properties.`);
    const converted = Object.fromEntries(
      members.map(([name, schema]) => {
        const path = `${at}/properties${toPointer(name)}`;
        if (RESERVED.includes(name)) refuse(path, `the endpoint refuses a property of the name ${name}.`);
        return [name, convert(schema, path, depth + 1, level + 1)];
      }),
    );
    result.properties = isObject(declared) ? share(declared, converted) : converted;
  }

  function convertArray(
    result: Record<string, unknown>,
    flat: JsonObject,
    at: string,
    depth: number,
    level: number,
  ): void {
    // Draft 7 writes a tuple as a list, and what follows it as `additionalItems`.
    const isTuple = Array.isArray(flat.items);
    const tuple = isTuple ? flat.items : flat.prefixItems;
    const rest = isTuple ? flat.additionalItems : flat.items;
    const positions = listOf(tuple);
    if (positions.length > 0)
      result.prefixItems = mapShared(positions, (schema, index) =>
        convert(schema, `${at}/${isTuple ? 'items' : 'prefixItems'}/${index}`, depth, level + 1),
      );
    else delete result.prefixItems;
    if (isObject(rest) && Object.keys(rest).length > 0)
      result.items = convert(rest, `${at}/${isTuple ? 'additionalItems' : 'items'}`, depth, level + 1);
    else {
      delete result.items;
      if (rest === false)
        result.maxItems = Math.min(
          positions.length,
          typeof flat.maxItems === 'number' ? flat.maxItems : Infinity,
        );
    }
  }

  function convertRoot(schema: JsonObject): JsonObject {
    enter(0, '');
    const flat = expand(schema, '', 0, true);
    const merged = Array.isArray(flat.anyOf) ? mergeBranches(flat, flat.anyOf) : flat;
    if (merged.type !== undefined && !typesOf(merged.type, '').includes('object'))
      refuse('', 'the arguments of a tool are an object.');
    const result: Record<string, unknown> = { ...convertTyped({ ...merged, type: 'object' }, '', 0, 0) };
    if (typeof schema.$id === 'string') result.$id = schema.$id;
    const definitions = reader.convertDefinitions((definition, at) => convert(definition, at, 0, 0));
    if (definitions) result.$defs = isObject(schema.$defs) ? share(schema.$defs, definitions) : definitions;
    return share(schema, result);
  }

  /** One object of all branches: the union of their properties, what all of them require. */
  function mergeBranches(flat: JsonObject, branches: readonly unknown[]): JsonObject {
    const { anyOf: _, ...outer } = flat;
    const objects = listAlternatives(branches, '', 0).filter(
      ({ type }) => type === undefined || typesOf(type, '').includes('object'),
    );
    if (objects.length === 0) refuse('/anyOf', 'the arguments of a tool are an object.');
    relax('', 'the alternatives of the root were merged into one object.');
    const own = isObject(outer.properties) ? outer.properties : {};
    const candidates = new Map<string, unknown[]>();
    for (const object of objects) {
      const declared = isObject(object.properties) ? object.properties : {};
      for (const [name, schema] of Object.entries(declared)) {
        const known = candidates.get(name);
        if (known) known.push(schema);
        else candidates.set(name, [schema]);
      }
    }
    const merged = [...candidates].map(([name, schemas]) => {
      const all =
        schemas.length < objects.length && Object.hasOwn(own, name) ? [...schemas, own[name]] : schemas;
      return [name, toUnion(all)] as const;
    });
    const required = [outer, ...objects].map((object) => new Set(listOf(object.required)));
    const [always, first, ...others] = required as [Set<unknown>, Set<unknown>, ...Set<unknown>[]];
    for (const name of first) if (others.every((names) => names.has(name))) always.add(name);
    const closed = objects.every(({ additionalProperties }) => additionalProperties === false);
    return {
      ...(closed && { additionalProperties: false }),
      ...outer,
      ...((isObject(outer.properties) || merged.length > 0) && {
        properties: { ...own, ...Object.fromEntries(merged) },
      }),
      required: always.size > 0 ? [...always] : undefined,
    };
  }

  /** The branches without references, and without `anyOf` of their own. */
  function listAlternatives(branches: readonly unknown[], at: string, level: number): JsonObject[] {
    return branches.flatMap((branch, index) => {
      const path = `${at}/anyOf/${index}`;
      if (!isObject(branch)) return refuse(path, 'a schema has to be an object here.');
      enter(level, path);
      const { anyOf, ...flat } = expand(branch, path, level, true);
      if (!Array.isArray(anyOf)) return [flat];
      return listAlternatives(anyOf, path, level + 1).map((inner) => combine(flat, inner, path));
    });
  }

  const result = convertRoot(root);
  if (toJson(result).length > LIMITS.length) refuse('', `longer than ${LIMITS.length} characters.`);
  return result;
}

function pick(schema: JsonObject, isWanted: (key: string) => boolean): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => isWanted(key)));
}

/** The types that a schema without `type` and `enum` means: by its keywords one, else all. */
function inferTypes(schema: JsonObject): readonly string[] {
  const isAbout = (type: string) =>
    [...(TAKEN[type] ?? []), ...(REFUSED[type] ?? []), type === 'string' && 'format'].some(
      (key) => key && key in schema,
    );
  const type = Object.keys(TAKEN).find(isAbout);
  return type ? [type] : TYPES;
}

function withoutDefault(schema: unknown): unknown {
  return isObject(schema) && 'default' in schema ? pick(schema, (key) => key !== 'default') : schema;
}

/** A scalar type and `null`, with an `enum`: the one list of types that may have another keyword. */
function isNullableEnum(values: readonly unknown[] | undefined, types: readonly string[]): boolean {
  return (
    values !== undefined && types.length === 2 && types.includes('null') && !/object|array/.test(types.join())
  );
}

/** Exclusive bounds as inclusive ones: the same for whole numbers, else the nearest that accepts more. */
function convertBounds(result: Record<string, unknown>, schema: JsonObject, isWhole: boolean): void {
  const { exclusiveMinimum: above, exclusiveMaximum: below, minimum, maximum } = schema;
  if (typeof above === 'number') {
    const least = isWhole ? Math.floor(above) + 1 : above;
    result.minimum = typeof minimum === 'number' ? Math.max(minimum, least) : least;
  }
  if (typeof below === 'number') {
    const most = isWhole ? Math.ceil(below) - 1 : below;
    result.maximum = typeof maximum === 'number' ? Math.min(maximum, most) : most;
  }
}

/** Whether leaving out a keyword accepts more values. */
function isLost(schema: JsonObject, key: string, type: string): boolean {
  const value = schema[key];
  if (key === 'if') return value !== undefined && ('then' in schema || 'else' in schema);
  if (/^exclusive/.test(key)) return value === true || (typeof value === 'number' && type !== 'integer');
  if (/^unevaluated/.test(key)) return value !== undefined && value !== true;
  if (/^min/.test(key)) return value !== undefined && value !== 0;
  return value !== undefined && value !== false;
}

/** Short enough for a description. */
function isTellable(value: unknown): boolean {
  return (
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    (typeof value === 'string' && value.length < 200)
  );
}
