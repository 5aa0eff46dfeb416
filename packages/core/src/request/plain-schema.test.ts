import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KimiRequestError, normalizeToolSchema } from '../index.ts';
import { isPlainSchema } from './plain-schema.ts';

const numRuns = Number(process.env.KIMI_LAW_RUNS ?? 400);

const list = (...values: unknown[]) => fc.constantFrom(...values);
/** Keywords that are mostly plain for some type, and now and then something else. */
const { schema: almostPlain } = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    fc.record(
      {
        type: list('string', 'string', 'number', 'integer', 'boolean', 'null', 'text', ['string', 'null']),
        title: list('T', null),
        description: list('D', '', 3),
        default: list(null, 1, 'a'),
        enum: list(['a', 'b'], ['a'], [], ['a', 1], null),
        minLength: list(0, 2, -1, 1.5),
        maximum: list(3, 'x', null),
        format: list('date'),
        nullable: list(true),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      {
        type: list('object', 'object', 'object', 'array'),
        properties: fc.dictionary(list('a', 'b', 'required') as fc.Arbitrary<string>, tie('schema'), {
          maxKeys: 3,
        }),
        required: list([], ['a'], ['a', 'a'], ['z'], 'a'),
        additionalProperties: list(true, false, {}, null),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      { type: list('array'), items: fc.oneof(tie('schema'), list({}, true)), minItems: list(1, -1) },
      { requiredKeys: ['type'] },
    ),
  ),
}));

function tryNormalize(schema: object): unknown {
  try {
    return normalizeToolSchema(schema);
  } catch (error) {
    if (error instanceof KimiRequestError) return error.problems;
    throw error;
  }
}

test('a schema that looks plain is what the whole reading makes of it', () => {
  const seen = { plain: 0, other: 0 };
  const root = fc.record(
    {
      $schema: list('https://json-schema.org/draft/2020-12/schema'),
      properties: fc.dictionary(list('a', 'b') as fc.Arbitrary<string>, almostPlain, { maxKeys: 2 }),
      required: list(['a'], []),
    },
    { requiredKeys: ['properties'] },
  );
  fc.assert(
    fc.property(root, (given) => {
      const { $schema: _, ...rest } = given;
      const schema = { type: 'object', ...rest };
      seen[isPlainSchema(schema) ? 'plain' : 'other']++;
      // A comment says nothing, and is no plain keyword.
      const whole = tryNormalize({ ...schema, $comment: 'read it all' });
      expect(tryNormalize({ ...given, type: 'object' })).toEqual(whole);
      if (isPlainSchema(schema)) expect(whole).toEqual({ schema, problems: [] });
    }),
    { numRuns },
  );
  expect(Math.min(seen.plain, seen.other)).toBeGreaterThan(numRuns / 20);
});

test('what a tool library writes is plain, and stays the same object', () => {
  const properties = {
    path: { type: 'string', description: 'Of a file.', minLength: 1 },
    mode: { type: 'string', enum: ['read', 'write'], default: 'read' },
    lines: { type: 'array', items: { type: 'integer', minimum: 1 }, maxItems: 2 },
    at: { type: 'object', properties: { line: { type: 'number' } }, required: ['line'] },
  };
  const schema = { type: 'object', properties, required: ['path'], additionalProperties: false };
  expect(isPlainSchema(schema)).toBe(true);
  expect(normalizeToolSchema(schema).schema).toBe(schema);
  const dialect = { $schema: 'http://json-schema.org/draft-07/schema#', ...schema };
  expect(normalizeToolSchema(dialect)).toEqual({ schema, problems: [] });
});

test('what is deep, large or in circles is left to the whole reading', () => {
  const circle: Record<string, unknown> = { type: 'object' };
  circle.properties = { a: circle };
  expect(isPlainSchema(circle)).toBe(false);
  const long = { type: 'object', properties: { a: { type: 'string', description: 'x'.repeat(120_000) } } };
  expect(() => normalizeToolSchema(long)).toThrow(KimiRequestError);
});
