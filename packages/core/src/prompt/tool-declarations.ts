import { COMPACT, printJson, printNumber, SPACED, sortedKeys } from './python-json.ts';
import type { SegmentWriter } from './segments.ts';

/** What the TypeScript text has no words for. */
class NotEncodable extends Error {}

type Json = Readonly<Record<string, unknown>>;

/** Where a schema is printed. */
interface Place {
  /** Of the line that its type stands in. */
  indent: string;
  /** Levels of schemas around it. */
  depth: number;
  /** What was met in the function so far. */
  met: {
    /** `$defs`; they count from where they stand on. */
    definitions: Map<string, unknown>;
    /** A reference to the root. */
    root: boolean;
  };
}

/** Levels of a schema. The original encoder gives up at some hundreds, where Python's stack ends. */
const MAX_DEPTH = 200;

const INDENT = '  ';

/** How a type is called where it is one of a list. */
const LISTED: Json = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
  object: '{}',
  array: 'Array<any>',
};

/** What is told of a type, in this order. */
const CONSTRAINTS: Readonly<Record<string, readonly string[]>> = {
  string: ['maxLength', 'minLength', 'pattern'],
  number: ['maximum', 'minimum'],
  integer: ['maximum', 'minimum'],
  array: ['maxItems', 'minItems'],
};

/** Writes what stands between the markers of the tool declaration. */
export function writeTools(
  writer: SegmentWriter,
  tools: readonly object[],
  style: 'json' | 'typescript',
): void {
  const text = style === 'typescript' ? printTypeScript(tools) : undefined;
  if (text !== undefined) writer.plain(text);
  else writer.json(printJson(tools, COMPACT, 'tools'));
}

/**
 * Tools as the TypeScript text that K2.5 and later models know them by. It follows the encoder beside
 * Moonshot's tokenizer: what that one refuses is refused here, and then the template prints JSON.
 *
 * @returns `undefined` where there is no such text: no function among the tools, or a schema that it
 *   does not take (no type, an unknown `$ref`, values of an enum that are not of its type, more than
 *   200 levels)
 */
function printTypeScript(tools: readonly object[]): string | undefined {
  try {
    const functions = tools.map(asJson).filter((tool) => tool.type === 'function' && isFilled(tool.function));
    if (functions.length === 0) return undefined;
    const texts = functions.map((tool) => printFunction(asJson(tool.function)));
    return `# Tools\n\n## functions\nnamespace functions {\n${texts.join('\n')}\n}\n`;
  } catch (error) {
    if (error instanceof NotEncodable) return undefined;
    throw error;
  }
}

function printFunction({ name = 'function', description, parameters }: Json): string {
  const met: Place['met'] = { definitions: new Map(), root: false };
  const place: Place = { indent: '', depth: 0, met };
  const root = readMembers(isFilled(parameters) ? asJson(parameters) : {}, place);
  let text = '';
  let type = printMembers(root.ordered, place);
  if (met.root) {
    text = `interface parameters ${printMembers(root.given, place)}\n`;
    type = 'parameters';
  }
  // Definitions that stand inside of definitions are known to them, but not printed.
  for (const [title, schema] of [...met.definitions]) {
    const body = printType(schema, place);
    text += `${printComment(asJson(schema).description, '')}interface ${title} ${body}\n`;
  }
  return `${text}${printComment(description, '')}type ${asText(name)} = (_: ${type}) => any;`;
}

function printType(schema: unknown, place: Place): string {
  if (typeof schema === 'boolean') return schema ? 'any' : 'null';
  const node = asJson(schema);
  expect(place.depth < MAX_DEPTH);
  const { $ref, anyOf, enum: values, type } = node;
  if ($ref !== undefined) return printReference(asText($ref), place);
  if (anyOf !== undefined)
    return asList(anyOf)
      .map((one) => printType(one, inside(place, place.indent)))
      .join(' | ');
  if (values !== undefined) return printEnum(asList(values), type);
  if (Array.isArray(type)) return type.map((one) => asText(lookUp(LISTED, one))).join(' | ');
  if (type === 'object') return printMembers(readMembers(node, place).ordered, place);
  if (type === 'array') return printArray(node.items, place);
  if (type === undefined) expect(!isFilled(node));
  return type === undefined ? 'any' : type === 'integer' ? 'number' : asText(type);
}

function printReference(reference: string, place: Place): string {
  if (reference === '#') {
    place.met.root = true;
    return 'parameters';
  }
  expect(reference.startsWith('#/$defs/'));
  const title = reference.slice(reference.lastIndexOf('/') + 1);
  asJson(place.met.definitions.get(title));
  return title;
}

function printEnum(values: readonly unknown[], declared: unknown): string {
  const types = declared === undefined ? [] : Array.isArray(declared) ? declared : [declared];
  expect(types.length < 2 || (types.length === 2 && types.includes('null')));
  if (declared !== undefined) expect(types.length > 0);
  const type = types.length === 2 && types[0] === 'null' ? types[1] : types[0];
  return values
    .map((value) => {
      expect(value === null || fits(value, type));
      return typeof value === 'string' ? `"${value}"` : printPython(value);
    })
    .join(' | ');
}

/** In Python a truth value is a number too. */
function fits(value: unknown, type: unknown): boolean {
  if (type === 'string' || type === 'boolean') return typeof value === type;
  if (type === 'number') return typeof value === 'number' || typeof value === 'boolean';
  if (type === 'integer') return Number.isInteger(value) || typeof value === 'boolean';
  return true;
}

function printArray(items: unknown, place: Place): string {
  if (!isFilled(items)) return 'Array<any>';
  const indent = place.indent + INDENT;
  const comment = printDocumentation(items, indent);
  if (comment === '') return `Array<${printType(items, inside(place, place.indent))}>`;
  return `Array<\n${comment}${indent}${printType(items, inside(place, indent))}\n${place.indent}>`;
}

function printMembers(members: readonly string[], { indent }: Place): string {
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`;
}

/** The members of an object: as they are shown, and the named ones in the order of their names. */
function readMembers(
  { $defs, additionalProperties, properties, required = [] }: Json,
  place: Place,
): { ordered: string[]; given: string[] } {
  const definitions = isFilled($defs) ? asJson($defs) : {};
  for (const title of sortedKeys(definitions)) place.met.definitions.set(title, definitions[title]);

  const indent = place.indent + INDENT;
  const others: string[] = [];
  if (additionalProperties !== undefined && additionalProperties !== null) {
    const type =
      additionalProperties === false ? 'never' : printType(additionalProperties, inside(place, indent));
    others.push(`${indent}[k: string]: ${type}`);
  }
  const given: string[] = [];
  const [first, then]: [string[], string[]] = [[], []];
  const schemas = properties === undefined ? {} : asJson(properties);
  const names = new Set(properties === undefined ? [] : asList(required));
  for (const name of sortedKeys(schemas)) {
    const schema = schemas[name];
    const type = printType(schema, inside(place, indent));
    const comment = printDocumentation(schema, indent) + printDefault(schema, indent);
    const member = `${comment}${indent}${name}${names.has(name) ? '' : '?'}: ${type}`;
    given.push(member);
    (names.has(name) ? first : then).push(member);
  }
  return { ordered: [...first, ...then, ...others], given };
}

function printDocumentation(schema: unknown, indent: string): string {
  if (typeof schema === 'boolean') return '';
  const node = asJson(schema);
  const isPlain = node.$ref === undefined && node.anyOf === undefined && node.enum === undefined;
  const keys = (isPlain && lookUp(CONSTRAINTS, node.type)) || [];
  const constraints = (keys as string[])
    .filter((key) => node[key] !== undefined)
    .map((key) => `${key}: ${printPython(node[key])}`);
  const comment = printComment(node.description, indent);
  return constraints.length === 0 ? comment : `${comment}${indent}// ${constraints.join(', ')}\n`;
}

function printComment(description: unknown, indent: string): string {
  if (!isFilled(description)) return '';
  const lines = asText(description).split('\n');
  return lines.map((line) => (line === '' ? '\n' : `${indent}// ${line}\n`)).join('');
}

function printDefault(schema: unknown, indent: string): string {
  const value = typeof schema === 'boolean' ? undefined : asJson(schema).default;
  if (value === undefined || value === null) return '';
  const isPython = typeof value === 'number' || typeof value === 'boolean';
  const text = isPython ? printPython(value) : printJson(value, { ...SPACED, sorted: true }, 'tools');
  return `${indent}// Default: ${text}\n`;
}

/** As `str` of Python prints it; not so lists and objects, which no schema should have there. */
function printPython(value: unknown): string {
  if (typeof value === 'number') return printNumber(value);
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return asText(value);
}

function inside(place: Place, indent: string): Place {
  return { ...place, indent, depth: place.depth + 1 };
}

function lookUp<Value>(table: Readonly<Record<string, Value>>, key: unknown): Value | undefined {
  return typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined;
}

/** False for what Python takes as false. */
function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

function expect(holds: boolean): void {
  if (!holds) throw new NotEncodable();
}

function asJson(value: unknown): Json {
  expect(typeof value === 'object' && value !== null && !Array.isArray(value));
  return value as Json;
}

function asList(value: unknown): readonly unknown[] {
  expect(Array.isArray(value));
  return value as unknown[];
}

function asText(value: unknown): string {
  expect(typeof value === 'string');
  return value as string;
}
