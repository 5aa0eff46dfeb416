import { toJson } from '../to-json.ts';
import { isObject, type JsonObject, listOf } from './json.ts';

export const TYPES: readonly string[] = ['string', 'number', 'boolean', 'object', 'array', 'null'];

export function isOfType(value: unknown, type: unknown): boolean {
  const own = typeOfValue(value);
  return own === type || (own === 'integer' && type === 'number');
}

/** The types of these values; numbers count as one type, `integer` if all of them are whole. */
export function typesOfValues(values: readonly unknown[]): string[] {
  return withoutNarrower([...new Set(values.map(typeOfValue))]);
}

/** `integer` beside `number` says nothing. */
export function withoutNarrower(types: string[]): string[] {
  return types.includes('number') ? types.filter((type) => type !== 'integer') : types;
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** The types that both name; `integer` is a `number`. */
export function sharedTypes(left: unknown, right: unknown): string[] {
  const covers = (types: unknown, type: unknown) =>
    toList(types).some((other) => other === type || (type === 'integer' && other === 'number'));
  const both = [
    ...toList(left).filter((type) => covers(right, type)),
    ...toList(right).filter((type) => covers(left, type)),
  ];
  return [...new Set(both)] as string[];
}

/** Whether every type of the first is one of the second. */
export function isSubset(types: unknown, of: unknown): boolean {
  return toList(types).every((type) => sharedTypes(type, of).includes(type as string));
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

export function sameItems(left: readonly unknown[], right: unknown): boolean {
  return Array.isArray(right) && left.length === right.length && left.every((item, at) => item === right[at]);
}

export function isSame(left: unknown, right: unknown): boolean {
  return left === right || (typeof left === 'object' && toJson(left) === toJson(right));
}

/** The values that stand in both lists. */
export function sharedValues(left: readonly unknown[], right: readonly unknown[]): readonly unknown[] {
  const known = new Set(right.map(toJson));
  return left.filter((value) => known.has(toJson(value)));
}

/** One schema for values that any of these accept. */
export function toUnion(schemas: readonly unknown[]): unknown {
  const distinct = [...new Map(schemas.map((schema) => [toJson(schema), schema])).values()];
  if (distinct.length === 1) return distinct[0];
  const values = distinct.map(readValues);
  if (values.every((list) => list !== undefined)) return { enum: [...new Set(values.flat())] };
  return { anyOf: distinct };
}

/** The values of a schema that is a plain list of them. */
function readValues(schema: unknown): readonly unknown[] | undefined {
  if (!isObject(schema) || Object.keys(schema).some((key) => !/^(const|enum|type)$/.test(key)))
    return undefined;
  return valuesOf(schema);
}

function valuesOf(schema: JsonObject): readonly unknown[] | undefined {
  if ('const' in schema) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

/** `undefined` if the schema names none. OpenAPI's `nullable` names one more. */
function typesOf({ type, nullable }: JsonObject, values: readonly unknown[] | undefined): unknown {
  if (type !== undefined && nullable === true) return [...toList(type), 'null'];
  return type ?? (values && typesOfValues(values));
}

/** Whether no value can satisfy both, as far as types, values and a property that tells them apart show. */
export function isDisjoint(left: unknown, right: unknown, depth = 0): boolean {
  if (!isObject(left) || !isObject(right) || depth > 2) return false;
  const leftValues = valuesOf(left);
  const rightValues = valuesOf(right);
  // So many are refused later on.
  if (leftValues && leftValues.length > 1000) return false;
  const leftType = typesOf(left, leftValues);
  const rightType = typesOf(right, rightValues);
  if (leftType && rightType && sharedTypes(leftType, rightType).length === 0) return true;
  if (leftValues && rightValues) return sharedValues(leftValues, rightValues).length === 0;
  const { properties: leftMembers, required } = left;
  const { properties: rightMembers } = right;
  if (leftType !== 'object' || rightType !== 'object' || !isObject(leftMembers) || !isObject(rightMembers))
    return false;
  return listOf(required).some(
    (name) =>
      typeof name === 'string' &&
      listOf(right.required).includes(name) &&
      Object.hasOwn(leftMembers, name) &&
      Object.hasOwn(rightMembers, name) &&
      isDisjoint(leftMembers[name], rightMembers[name], depth + 1),
  );
}
