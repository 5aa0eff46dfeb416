import { isObject, type JsonObject } from './json.ts';
import { LIMITS, RESERVED } from './schema-keywords.ts';
import { TYPES } from './schema-types.ts';

/** Deeper ones are left to who counts exactly. */
const DEEPEST = 20;
const MOST_SCHEMAS = 1000;

/**
 * Whether a schema is, by one cheap look, one that an endpoint takes as it is. Most schemas of tools are:
 * objects of values of one type, with nothing but descriptions and bounds. Of what is anything else, also
 * where it would be taken, it says no.
 */
export function isPlainSchema(root: JsonObject): boolean {
  let schemas = 0;

  function isPlain(schema: unknown, depth: number): boolean {
    if (!isObject(schema) || depth > DEEPEST || ++schemas > MOST_SCHEMAS) return false;
    const { type } = schema;
    if (typeof type !== 'string' || !(type === 'integer' || TYPES.includes(type))) return false;
    for (const key in schema) if (!isPlainMember(schema, type, key, schema[key], depth)) return false;
    return true;
  }

  function isPlainMember(
    schema: JsonObject,
    type: string,
    key: string,
    value: unknown,
    depth: number,
  ): boolean {
    switch (key) {
      case 'type':
      case 'default':
        return value !== undefined;
      case 'title':
      case 'description':
        return typeof value === 'string';
      case 'enum':
        return type === 'string' && isListOfStrings(value) && value.length > 0;
      case 'properties':
        return type === 'object' && isObject(value) && arePlain(value, depth + 1);
      case 'required':
        return type === 'object' && isListOfStrings(value) && areDeclared(value, schema.properties);
      case 'additionalProperties':
        return type === 'object' && typeof value === 'boolean';
      case 'items':
        return type === 'array' && isPlain(value, depth + 1);
      case 'minItems':
      case 'maxItems':
        return type === 'array' && isCount(value);
      case 'minLength':
      case 'maxLength':
        return type === 'string' && isCount(value);
      case 'minimum':
      case 'maximum':
        return (type === 'number' || type === 'integer') && Number.isFinite(value);
      default:
        return false;
    }
  }

  function arePlain(properties: JsonObject, depth: number): boolean {
    for (const name in properties)
      if (RESERVED.includes(name) || !isPlain(properties[name], depth)) return false;
    return true;
  }

  return root.type === 'object' && isPlain(root, 0);
}

function isListOfStrings(value: unknown): value is string[] {
  return (
    Array.isArray(value) &&
    value.length <= LIMITS.enumValues &&
    value.every((item) => typeof item === 'string')
  );
}

function areDeclared(names: readonly string[], properties: unknown): boolean {
  if (names.length === 0) return true;
  return (
    isObject(properties) &&
    new Set(names).size === names.length &&
    names.every((name) => Object.hasOwn(properties, name))
  );
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0;
}
