import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KimiRequestError, normalizeToolSchema } from '../index.ts';

const numRuns = Number(process.env.KIMI_LAW_RUNS ?? 400);

/** As the one property of a tool's arguments; only its schema is looked at. */
function ofProperty(schema: unknown, more: object = {}): unknown {
  const { schema: sent } = normalizeToolSchema({ type: 'object', properties: { v: schema }, ...more });
  return (sent as { properties: { v: unknown } }).properties.v;
}

function problemsOf(schema: unknown): string[] {
  return normalizeToolSchema(schema).problems.map(({ code, path }) => `${code} ${path}`);
}

function refusalOf(schema: unknown): string {
  try {
    normalizeToolSchema(schema);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof KimiRequestError)) throw error;
    return `${error.problems.at(-1)?.code} ${error.option}`;
  }
}

describe('keywords', () => {
  test.each<[string, unknown, unknown]>([
    ['const', { const: 'a' }, { type: 'string', enum: ['a'] }],
    ['const null', { const: null }, { type: 'null' }],
    ['const beside type', { type: 'number', const: 1 }, { type: 'number', enum: [1] }],
    ['nullable', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'nullable beside a restriction',
      { type: 'string', minLength: 1, nullable: true, description: 'd' },
      { description: 'd', anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }] },
    ],
    [
      'nullable anyOf',
      { anyOf: [{ type: 'string' }], nullable: true },
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
    ],
    ['nullable false', { type: 'string', nullable: false }, { type: 'string' }],
    ['a list of one type', { type: ['string'] }, { type: 'string' }],
    ['a plain list of types', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
    [
      'a list of types beside a default',
      { type: ['string', 'null'], default: null },
      { default: null, anyOf: [{ type: 'string' }, { type: 'null' }] },
    ],
    [
      'a list of types, each with keywords of its own',
      { type: ['object', 'array'], properties: { a: { type: 'null' } }, minItems: 1 },
      {
        anyOf: [
          { type: 'object', properties: { a: { type: 'null' } } },
          { type: 'array', minItems: 1 },
        ],
      },
    ],
    ['an enum with null', { enum: ['a', null] }, { type: ['string', 'null'], enum: ['a', null] }],
    [
      'an enum of several types',
      { enum: ['a', 1, 2.5, true] },
      {
        anyOf: [
          { type: 'string', enum: ['a'] },
          { type: 'number', enum: [1, 2.5] },
          { type: 'boolean', enum: [true] },
        ],
      },
    ],
    ['an enum that the type narrows', { type: 'string', enum: ['a', 1] }, { type: 'string', enum: ['a'] }],
    [
      'no type and no keyword',
      { description: 'any' },
      { description: 'any', type: ['string', 'number', 'boolean', 'object', 'array', 'null'] },
    ],
    ['a type from properties', { properties: {} }, { type: 'object', properties: {} }],
    ['a type from items', { items: { type: 'null' } }, { type: 'array', items: { type: 'null' } }],
    ['a type from bounds', { maximum: 3 }, { type: 'number', maximum: 3 }],
    [
      'an open tuple',
      { type: 'array', prefixItems: [{ type: 'null' }], items: { type: 'string' } },
      { type: 'array', prefixItems: [{ type: 'null' }], items: { type: 'string' } },
    ],
    [
      'a closed tuple',
      { type: 'array', items: [{ type: 'null' }], additionalItems: false },
      { type: 'array', prefixItems: [{ type: 'null' }], maxItems: 1 },
    ],
    ['items that take anything', { type: 'array', items: true }, { type: 'array' }],
    [
      'exclusive bounds of whole numbers',
      { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 2.5 },
      { type: 'integer', minimum: 1, maximum: 2 },
    ],
    [
      'annotations',
      { type: 'string', $comment: 'c', examples: ['e'], 'x-order': 1, title: 't' },
      { type: 'string', title: 't' },
    ],
    ['keywords of another type', { type: 'string', minimum: 3, properties: {} }, { type: 'string' }],
    ['a note', { type: 'string', format: 'date' }, { type: 'string', description: '(format: "date")' }],
    [
      'allOf',
      {
        allOf: [
          { type: 'integer', minimum: 1 },
          { minimum: 3, maximum: 9 },
        ],
        description: 'd',
      },
      { type: 'integer', minimum: 3, maximum: 9, description: 'd' },
    ],
    [
      'allOf of objects',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { properties: { a: { minLength: 1 }, b: { type: 'null' } }, required: ['b'] },
        ],
      },
      {
        type: 'object',
        properties: { a: { type: 'string', minLength: 1 }, b: { type: 'null' } },
        required: ['a', 'b'],
      },
    ],
    [
      'oneOf that cannot overlap',
      { oneOf: [{ type: 'string' }, { type: 'null' }] },
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
    ],
    [
      'an object bundle beside anyOf',
      {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        anyOf: [{ required: ['a'] }, { required: ['b'] }],
      },
      {
        anyOf: ['a', 'b'].map((name) => ({
          type: 'object',
          properties: { a: { type: 'string' }, b: { type: 'string' } },
          required: [name],
        })),
      },
    ],
    [
      'a required property that is not declared',
      { type: 'object', required: ['a'], additionalProperties: { type: 'string' } },
      {
        type: 'object',
        properties: { a: { type: 'string' } },
        required: ['a'],
        additionalProperties: { type: 'string' },
      },
    ],
    [
      'patterns of names',
      { type: 'object', patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false },
      { type: 'object' },
    ],
    [
      'a default beside anyOf and in a branch',
      { default: 'a', anyOf: [{ type: 'string', default: 'b' }] },
      { default: 'a', anyOf: [{ type: 'string' }] },
    ],
    [
      'an empty object as PHP writes it',
      { type: 'object', properties: [], additionalProperties: [] },
      { type: 'object', properties: {}, additionalProperties: {} },
    ],
    [
      'null in place of an absent keyword',
      { type: 'object', properties: null, required: null, additionalProperties: null, description: null },
      { type: 'object' },
    ],
    ['null in place of a bound', { type: 'string', minLength: null, pattern: null }, { type: 'string' }],
    ['null in place of branches', { type: 'string', anyOf: null, enum: null }, { type: 'string' }],
    ['a default that is null', { type: 'null', default: null }, { type: 'null', default: null }],
    ['a malformed keyword of another type', { type: 'string', minimum: '0' }, { type: 'string' }],
  ])('%s', (_, schema, expected) => {
    expect(ofProperty(schema)).toEqual(expected);
    expect(problemsOf({ type: 'object', properties: { v: ofProperty(schema) } })).toEqual([]);
  });

  test.each<[object, string]>([
    [{ anyOf: [] }, '/anyOf'],
    [{ anyOf: {} }, '/anyOf'],
    [{ oneOf: [] }, '/oneOf'],
    [{ type: 'number', minimum: '0' }, '/minimum'],
    [{ minimum: '0' }, '/minimum'],
    [{ type: 'integer', exclusiveMinimum: '0' }, '/exclusiveMinimum'],
    [{ type: 'string', maxLength: -1 }, '/maxLength'],
    [{ type: 'array', minItems: 0.5 }, '/minItems'],
    [{ type: 'array', items: 'string' }, '/items'],
    [{ type: 'string', enum: 'a' }, '/enum'],
    [{ type: 'string', description: 5 }, '/description'],
    [{ type: 'object', properties: ['a'] }, '/properties'],
    [{ type: 'object', additionalProperties: 'false' }, '/additionalProperties'],
    [{ anyOf: [{ type: 'null' }, { type: 'number', maximum: [] }] }, '/anyOf/1/maximum'],
  ])('malformed, and of no one meaning: %j', (schema, pointer) => {
    expect(refusalOf({ type: 'object', properties: { v: schema } })).toBe(
      `unresolvable-schema /properties/v${pointer}`,
    );
  });

  test('the same at the root', () => {
    const { schema, problems } = normalizeToolSchema({ type: 'object', properties: [], description: null });
    expect(schema).toEqual({ type: 'object', properties: {} });
    expect(problems).toEqual([]);
    expect(refusalOf({ type: 'object', anyOf: [] })).toBe('unresolvable-schema /anyOf');
  });

  test('what accepts more than before is reported with its place, and short restrictions are told', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'string', pattern: '^a', format: 'uri', description: 'A link.' },
        'b/c': { type: 'number', exclusiveMinimum: 0, multipleOf: 5 },
        d: { type: 'array', uniqueItems: true, items: { not: { type: 'null' }, type: 'string' } },
        e: { oneOf: [{ type: 'integer' }, { type: 'number' }] },
        f: { type: 'object', minProperties: 1 },
        // Null satisfies both, which oneOf forbids.
        g: { oneOf: [{ type: 'null' }, { type: 'string', nullable: true }] },
      },
    };
    const { schema: sent, problems } = normalizeToolSchema(schema);
    expect(problems.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'schema-relaxed /properties/a',
      'schema-relaxed /properties/b~1c',
      'schema-relaxed /properties/d/items',
      'schema-relaxed /properties/d',
      'schema-relaxed /properties/e',
      'schema-relaxed /properties/f',
      'schema-relaxed /properties/g',
    ]);
    expect(sent.properties).toMatchObject({
      a: { description: 'A link. (pattern: "^a", format: "uri")' },
      'b/c': { minimum: 0, description: '(exclusiveMinimum: 0, multipleOf: 5)' },
      d: { description: '(uniqueItems: true)' },
      f: { description: '(minProperties: 1)' },
    });
  });

  test.each<[string, unknown]>([
    ['minimums of nothing', { type: 'object', minProperties: 0 }],
    ['uniqueItems false', { type: 'array', uniqueItems: false }],
    ['if without then', { type: 'string', if: { minLength: 3 } }],
    [
      'a discriminated oneOf',
      {
        oneOf: ['a', 'b'].map((kind) => ({
          type: 'object',
          properties: { kind: { const: kind } },
          required: ['kind'],
        })),
      },
    ],
  ])('%s restricts nothing, so that nothing is reported', (_, schema) => {
    expect(problemsOf({ type: 'object', properties: { v: schema } })).toEqual([]);
  });
});

describe('references', () => {
  const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } } };

  test('a recursive one stays, untouched where it may', () => {
    const schema = { type: 'object', properties: { v: { $ref: '#/$defs/node' } }, $defs: { node } };
    expect(normalizeToolSchema(schema).schema).toBe(schema);
  });

  test('a recursive one in another place moves below $defs', () => {
    const schema = {
      type: 'object',
      properties: {
        v: { type: 'array', items: { $ref: '#/properties/v' } },
        w: { $ref: '#/definitions/a.b' },
      },
      definitions: { 'a.b': { type: 'object', properties: { x: { $ref: '#/definitions/a.b' } } } },
    };
    expect(normalizeToolSchema(schema)).toEqual({
      problems: [],
      schema: {
        type: 'object',
        properties: { v: { type: 'array', items: { $ref: '#/$defs/v' } }, w: { $ref: '#/$defs/a.b' } },
        $defs: {
          v: { type: 'array', items: { $ref: '#/$defs/v' } },
          'a.b': { type: 'object', properties: { x: { $ref: '#/$defs/a.b' } } },
        },
      },
    });
  });

  test('a recursive one beside restrictions is written out once', () => {
    const schema = {
      $defs: { node },
      type: 'object',
      properties: { v: { $ref: '#/$defs/node', required: ['next'] } },
    };
    expect(normalizeToolSchema(schema)).toEqual({
      problems: [],
      schema: { ...schema, properties: { v: { ...node, required: ['next'] } } },
    });
  });

  test('one to the root stays', () => {
    const schema = { type: 'object', properties: { child: { $ref: '#', description: 'd' } } };
    expect(normalizeToolSchema(schema).schema).toBe(schema);
  });

  test('the root may be one', () => {
    const schema = { $ref: '#/definitions/Root', definitions: { Root: { type: 'object', properties: {} } } };
    expect(normalizeToolSchema(schema).schema).toEqual({ type: 'object', properties: {} });
  });

  test('what stands beside it wins, loudly', () => {
    const schema = (beside: object) => ({
      type: 'object',
      properties: { v: { $ref: '#/$defs/text', ...beside } },
      $defs: { text: { type: 'string', minLength: 2, description: 'far' } },
    });
    expect(normalizeToolSchema(schema({ description: 'near' })).schema).toEqual({
      type: 'object',
      properties: { v: { type: 'string', minLength: 2, description: 'near' } },
    });
    expect(problemsOf(schema({ minLength: 3 }))).toEqual([]);
    expect(problemsOf(schema({ minLength: 1 }))).toEqual(['schema-relaxed /properties/v']);
  });

  test('paths are decoded', () => {
    expect(ofProperty({ $ref: '#/$defs/a~1b%20c' }, { $defs: { 'a/b c': { type: 'null' } } })).toEqual({
      type: 'null',
    });
  });
});

describe('the root', () => {
  test('an object without properties is one', () => {
    expect(normalizeToolSchema({}).schema).toEqual({ type: 'object' });
    expect(normalizeToolSchema({ type: ['object', 'null'] }).schema).toEqual({ type: 'object' });
  });

  test('alternatives are merged: what tells them apart becomes one enum', () => {
    const branch = (kind: string, more: object) => ({
      properties: { kind: { const: kind }, ...more },
      required: ['kind', ...Object.keys(more)],
      additionalProperties: false,
    });
    expect(
      normalizeToolSchema({
        oneOf: [branch('a', { x: { type: 'null' } }), branch('b', { x: { type: 'string' } })],
      }).schema,
    ).toEqual({
      type: 'object',
      properties: {
        kind: { type: 'string', enum: ['a', 'b'] },
        x: { anyOf: [{ type: 'null' }, { type: 'string' }] },
      },
      required: ['kind', 'x'],
      additionalProperties: false,
    });
  });
});

describe('refused', () => {
  const chain = (length: number, wrap: (inner: unknown) => unknown): unknown => {
    let schema: unknown = { type: 'null' };
    for (let i = 0; i < length; i++) schema = wrap(schema);
    return { type: 'object', properties: { v: schema } };
  };
  const nested = (inner: unknown) => ({ type: 'object', properties: { v: inner } });
  const doubled = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [
      `d${i}`,
      i === 39
        ? { type: 'null' }
        : { type: 'array', prefixItems: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
    ]),
  );

  test.each<[string, unknown, string]>([
    ['no object', 'string', ''],
    ['nothing', undefined, ''],
    ['a boolean root', true, ''],
    ['a root of another type', { type: 'string' }, ''],
    ['root alternatives without an object', { anyOf: [{ type: 'string' }] }, '/anyOf'],
    ['a boolean property', { properties: { a: true } }, '/properties/a'],
    ['a boolean part', { allOf: [false] }, '/allOf/0'],
    ['an unknown type', { properties: { a: { type: 'file' } } }, '/properties/a'],
    ['no type at all', { properties: { a: { type: [] } } }, '/properties/a'],
    [
      'a reference to another document',
      { properties: { a: { $ref: 'https://x.test/a.json' } } },
      '/properties/a/$ref',
    ],
    ['a reference to nothing', { properties: { a: { $ref: '#/$defs/none' } } }, '/properties/a/$ref'],
    ['a reference to a prototype', { properties: { a: { $ref: '#/constructor' } } }, '/properties/a/$ref'],
    [
      'a circle',
      { properties: { a: { $ref: '#/$defs/a', type: 'null' } }, $defs: { a: { $ref: '#/$defs/a' } } },
      '/properties/a/$ref',
    ],
    ['a reserved name', { properties: { anyOf: { type: 'null' } } }, '/properties/anyOf'],
    ['an enum that the type excludes', { properties: { a: { type: 'string', enum: [1] } } }, '/properties/a'],
    ['a const that the enum excludes', { properties: { a: { const: 1, enum: [2] } } }, '/properties/a'],
    ['31 levels of properties', chain(30, nested), `/properties${'/v/properties'.repeat(29)}/v`],
    ['10 000 levels of properties', chain(10_000, nested), `/properties${'/v/properties'.repeat(29)}/v`],
    [
      'too many properties',
      { properties: Object.fromEntries(Array.from({ length: 3001 }, (_, i) => [`p${i}`, { type: 'null' }])) },
      '',
    ],
    [
      'too many values',
      { properties: { a: { enum: Array.from({ length: 1001 }, (_, i) => i) } } },
      '/properties/a',
    ],
    [
      'too many branches',
      { properties: { a: { anyOf: Array.from({ length: 501 }, () => ({ type: 'null' })) } } },
      '/properties/a',
    ],
    ['too long', { description: 'd'.repeat(120_000) }, ''],
  ])('%s', (_, schema, path) => {
    expect(refusalOf(schema)).toBe(`unresolvable-schema ${path}`);
  });

  test.each<[string, unknown]>([
    ['10 000 levels of items', chain(10_000, (inner) => ({ type: 'array', items: inner }))],
    ['10 000 levels of anyOf', chain(10_000, (inner) => ({ anyOf: [inner] }))],
    ['10 000 levels of allOf', chain(10_000, (inner) => ({ allOf: [inner] }))],
    ['10 000 levels of restricted anyOf', chain(10_000, (inner) => ({ type: 'object', anyOf: [inner] }))],
    [
      'a circle of 2 000 definitions',
      {
        properties: { a: { $ref: '#/definitions/d0' } },
        definitions: Object.fromEntries(
          Array.from({ length: 2000 }, (_, i) => [
            `d${i}`,
            { type: 'array', items: { $ref: `#/definitions/d${(i + 1) % 2000}` } },
          ]),
        ),
      },
    ],
    ['a million uses of one definition', { properties: { a: { $ref: '#/$defs/d0' } }, $defs: doubled }],
    [
      'a circle through allOf',
      {
        properties: { a: { $ref: '#/$defs/a' } },
        $defs: { a: { type: 'object', allOf: [{ $ref: '#/$defs/a' }] } },
      },
    ],
    [
      'a circle through restricted anyOf',
      {
        properties: { a: { $ref: '#/$defs/a' } },
        $defs: { a: { type: 'object', anyOf: [{ $ref: '#/$defs/a' }] } },
      },
    ],
  ])('%s', (_, schema) => {
    expect(refusalOf(schema)).toMatch(/^unresolvable-schema/);
  });

  test('the message names place and reason', () => {
    expect(() => normalizeToolSchema({ properties: { a: true } })).toThrow(
      '/properties/a: a schema has to be an object here.',
    );
  });

  test('strict refuses to relax', () => {
    const schema = { properties: { a: { type: 'string', pattern: 'a' } } };
    expect(() => normalizeToolSchema(schema, { strict: true })).toThrow(KimiRequestError);
  });
});

test('hostile names are plain properties', () => {
  const schema = JSON.parse(
    '{"properties":{"__proto__":{"const":1},"constructor":{"$ref":"#/$defs/__proto__"}},"required":["__proto__"],"$defs":{"__proto__":{"type":"string"}}}',
  );
  const { schema: sent } = normalizeToolSchema(schema);
  expect(JSON.stringify(sent)).toBe(
    '{"properties":{"__proto__":{"type":"integer","enum":[1]},"constructor":{"type":"string"}},"required":["__proto__"],"type":"object"}',
  );
  expect(Object.getPrototypeOf((sent as { properties: object }).properties)).toBe(Object.prototype);
});

/** Keywords of one type, some of which the server refuses. */
const KEYWORDS = {
  string: fc.record(
    { minLength: fc.nat(2), maxLength: fc.nat(3), pattern: fc.constant('a') },
    { requiredKeys: [] },
  ),
  integer: fc.record(
    {
      minimum: fc.integer({ min: -1, max: 2 }),
      maximum: fc.nat(3),
      exclusiveMinimum: fc.nat(1),
      multipleOf: fc.constant(2),
    },
    { requiredKeys: [] },
  ),
  number: fc.record({ minimum: fc.nat(2), exclusiveMaximum: fc.nat(3) }, { requiredKeys: [] }),
};
const NAMES = ['a', 'b', 'c'];
const literal = fc.constantFrom<unknown>('a', 'b', '', 0, 1, 2, 1.5, true, null);
const required = fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 });
const { schema: anySchema } = fc.letrec<{ schema: object; partial: object; reference: object }>((tie) => {
  const properties = fc.dictionary(fc.constantFrom(...NAMES), tie('schema'), { maxKeys: 2 });
  const objectKeywords = fc.record(
    {
      properties,
      required,
      additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
      minProperties: fc.nat(1),
      patternProperties: fc.constant({ '^c': { type: 'string' } }),
    },
    { requiredKeys: ['properties'] },
  );
  const arrayKeywords = fc.record(
    {
      items: fc.oneof(tie('schema'), fc.boolean()),
      prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      maxItems: fc.nat(2),
      minItems: fc.nat(1),
      uniqueItems: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  const ofType = (type: string, keywords: fc.Arbitrary<object>) =>
    keywords.map((rest) => ({ type, ...rest }));
  const branches = fc.array(tie('schema'), { minLength: 1, maxLength: 3 });
  const reference = fc
    .constantFrom('#/$defs/a', '#/$defs/b', '#/properties/v', '#')
    .map(($ref) => ({ $ref }));
  return {
    partial: fc.oneof(objectKeywords, fc.record({ required }), fc.record({ properties })),
    reference,
    schema: fc.oneof(
      { depthSize: 'small' },
      ofType('string', KEYWORDS.string),
      ofType('integer', KEYWORDS.integer),
      ofType('number', KEYWORDS.number),
      fc.constantFrom(
        { type: 'boolean' },
        { type: 'null' },
        { type: ['string', 'null'] },
        { type: 'string', nullable: true },
      ),
      fc.uniqueArray(literal, { minLength: 1, maxLength: 4 }).map((values) => ({ enum: values })),
      literal.map((value) => ({ const: value })),
      ofType('object', objectKeywords),
      ofType('array', arrayKeywords),
      KEYWORDS.string.map((rest) => ({ type: ['string', 'integer', 'null'], ...rest })),
      branches.map((anyOf) => ({ anyOf, description: 'd' })),
      branches.map((oneOf) => ({ oneOf })),
      branches.map((allOf) => ({ allOf })),
      fc
        .tuple(objectKeywords, fc.array(tie('partial'), { minLength: 1, maxLength: 2 }))
        .map(([rest, anyOf]) => ({ type: 'object', ...rest, anyOf })),
      fc
        .tuple(objectKeywords, fc.array(tie('partial'), { minLength: 1, maxLength: 2 }))
        .map(([rest, allOf]) => ({ type: 'object', ...rest, allOf })),
      fc.tuple(KEYWORDS.string, branches).map(([rest, anyOf]) => ({ type: 'string', ...rest, anyOf })),
      reference,
      fc.tuple(reference, KEYWORDS.string).map((parts) => Object.assign({}, ...parts)),
      fc.tuple(reference, objectKeywords).map((parts) => Object.assign({}, ...parts)),
    ),
  };
});
const toolSchema = fc
  .record({ v: anySchema, a: anySchema, b: anySchema })
  .map(({ v, a, b }) => ({ type: 'object', properties: { v }, $defs: { a, b } }));
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    { weight: 3, arbitrary: literal },
    { weight: 2, arbitrary: fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 3 }) },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 2 }) },
  ),
}));

/** `undefined` if the schema is one that the endpoint would refuse. */
function tryNormalize(schema: object): ReturnType<typeof normalizeToolSchema<object>> | undefined {
  try {
    return normalizeToolSchema(schema);
  } catch (error) {
    if (error instanceof KimiRequestError) return undefined;
    throw error;
  }
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, logger: false });

function compile(schema: object): (value: unknown) => boolean {
  const validate = ajv.compile(schema);
  ajv.removeSchema(schema);
  return (value) => validate(value) === true;
}

/** `undefined` for a definition that is nothing but itself: the validator runs in circles. */
function tryCompile(schema: object): ReturnType<typeof compile> | undefined {
  try {
    return compile(schema);
  } catch {
    return undefined;
  }
}

test('an independent validator agrees: no problem means the same values, a relaxed schema never fewer', () => {
  const seen = { same: 0, relaxed: 0, refused: 0, valid: 0, invalid: 0 };
  fc.assert(
    fc.property(toolSchema, fc.array(anyValue, { minLength: 8, maxLength: 24 }), (schema, values) => {
      const normalized = tryNormalize(schema);
      if (!normalized) {
        seen.refused++;
        return;
      }
      const before = tryCompile(schema);
      if (!before) return;
      const after = compile(normalized.schema);
      const isSame = normalized.problems.length === 0;
      seen[isSame ? 'same' : 'relaxed']++;
      for (const v of values) {
        let wanted: boolean;
        try {
          wanted = before({ v });
        } catch {
          continue; // the same, at run time
        }
        seen[wanted ? 'valid' : 'invalid']++;
        if (isSame || wanted) expect({ v, accepted: after({ v }) }).toEqual({ v, accepted: wanted });
      }
    }),
    { numRuns: numRuns * 2 },
  );
  // Whatever the seed: each side of the law was tried.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(numRuns / 40);
});

/** The rules of the server's checker that refuse a whole request. */
function findRefusable(schema: unknown, at = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return [`${at}: not an object`];
  const {
    type,
    anyOf,
    $ref,
    properties,
    required: names,
    items,
    prefixItems,
    additionalProperties,
    $defs,
  } = schema as Record<string, unknown>;
  const keys = Object.keys(schema).filter((key) => !/^(title|description|default|\$defs)$/.test(key));
  const wrong = (holds: boolean, rule: string) => (holds ? [] : [`${at}: ${rule}`]);
  const members = Object.entries((properties ?? {}) as object);
  const inner: [string, unknown][] = [
    ...members.map(([key, value]): [string, unknown] => [`/properties/${key}`, value]),
    ...((anyOf ?? []) as unknown[]).map((value, i): [string, unknown] => [`/anyOf/${i}`, value]),
    ...((prefixItems ?? []) as unknown[]).map((value, i): [string, unknown] => [`/prefixItems/${i}`, value]),
    ...Object.entries(($defs ?? {}) as object).map(([key, value]): [string, unknown] => [
      `/$defs/${key}`,
      value,
    ]),
  ];
  if (items !== undefined) inner.push(['/items', items]);
  if (typeof additionalProperties === 'object' && Object.keys(additionalProperties ?? {}).length > 0)
    inner.push(['/additionalProperties', additionalProperties]);
  const isList = Array.isArray(type) && type.length > 1;
  return [
    ...wrong(anyOf === undefined || keys.length === 1, 'beside anyOf'),
    ...wrong($ref === undefined || keys.length === 1, 'beside $ref'),
    ...wrong($ref === undefined || /^#($|\/\$defs\/[^/]+$)/.test(String($ref)), 'reference'),
    ...wrong(type !== undefined || anyOf !== undefined || $ref !== undefined, 'no type'),
    ...wrong(!isList || keys.every((key) => /^(type|enum)$/.test(key)), 'beside a list of types'),
    ...wrong(
      ((names ?? []) as string[]).every((name) => members.some(([key]) => key === name)),
      'required',
    ),
    ...inner.flatMap(([path, value]) => findRefusable(value, at + path)),
  ];
}

test('what is sent keeps the rules, and is sent as it is a second time', () => {
  fc.assert(
    fc.property(toolSchema, (schema) => {
      const normalized = tryNormalize(deepFreeze(schema));
      if (!normalized) return;
      expect(findRefusable(normalized.schema)).toEqual([]);
      const again = normalizeToolSchema(deepFreeze(normalized.schema));
      expect(again.problems).toEqual([]);
      expect(again.schema).toBe(normalized.schema);
    }),
    { numRuns },
  );
});

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
