import { describe, expect, test } from 'vitest';
import { renderPrompt } from './render.ts';

/** What stands between the markers of the declaration. */
function declare(model: string, tools: readonly object[]): string {
  const prompt = renderPrompt({
    model,
    messages: [{ role: 'system', content: '' }],
    tools,
    addGenerationPrompt: false,
  });
  const start = '<|im_system|>tool_declare<|im_middle|>';
  expect(prompt.startsWith(start)).toBe(true);
  return prompt.slice(start.length, prompt.indexOf('<|im_end|>'));
}

const call = (parameters: unknown, more: object = {}) => ({
  type: 'function',
  function: { name: 'f', parameters, ...more },
});

const property = (schema: unknown) => call({ type: 'object', properties: { x: schema } });

/** The type of a property, as K2.5 declares it; `undefined` where it falls back to JSON. */
function typeOf(schema: unknown): string | undefined {
  return /^ {2}x\?: (.*)\n\}\) => any;/ms.exec(declare('k2.5', [property(schema)]))?.[1];
}

describe('as TypeScript', () => {
  // The expected text follows Moonshot's own encoder.
  test('says all that the encoder says', () => {
    const parameters = {
      type: 'object',
      description: 'not shown',
      $defs: {
        Step: {
          type: 'object',
          description: 'One step.',
          properties: {
            next: { $ref: '#/$defs/Step' },
            all: { type: 'array', items: { $ref: '#/$defs/Mode' } },
          },
          required: ['next'],
        },
        Mode: { enum: ['a"b', 1, 2.5, true, null] },
      },
      required: ['zeta', 'missing', 'b'],
      properties: {
        b: { type: 'integer', minimum: 1e-5, maximum: 10, minLength: 3, default: 0 },
        a: {
          type: 'string',
          pattern: '^\\d+$',
          maxLength: 5,
          minLength: 1,
          default: 'é "q"',
          description: 'line\n\nline',
        },
        zeta: { $ref: '#/$defs/Step', description: 'Of a reference.', minimum: 3 },
        list: {
          type: 'array',
          minItems: 1,
          maxItems: 2,
          items: { type: 'array', description: 'rows', items: { type: 'number', maximum: 1.5 } },
        },
        either: {
          anyOf: [
            {
              type: 'object',
              properties: { x: { type: 'boolean' } },
              additionalProperties: { type: 'string' },
            },
            { type: ['null', 'integer', 'object', 'array'] },
          ],
          type: 'object',
          description: 'anyOf first',
        },
        nested: {
          type: 'object',
          additionalProperties: false,
          properties: { 10: { type: 'null' }, 2: {}, '\uff5e': true, '😀': false },
          default: { b: [1, true, null], a: 1e-7 },
        },
        flag: { type: ['string', 'null'], enum: ['x', null], default: false },
      },
    };
    const tools = [
      call(parameters, { name: 'plan', description: 'Plans.\n\nTwice.' }),
      { type: 'builtin_function', function: { name: '$web_search' } },
      { type: 'function', function: { name: 'ping' } },
    ];
    expect(declare('k2.5', tools)).toBe(`# Tools

## functions
namespace functions {
interface Mode "a"b" | 1 | 2.5 | True | None
// One step.
interface Step {
  next: Step,
  all?: Array<Mode>
}
// Plans.

// Twice.
type plan = (_: {
  // maximum: 10, minimum: 1e-05
  // Default: 0
  b: number,
  // Of a reference.
  zeta: Step,
  // line

  // line
  // maxLength: 5, minLength: 1, pattern: ^\\d+$
  // Default: "é \\"q\\""
  a?: string,
  // anyOf first
  either?: {
    x?: boolean,
    [k: string]: string
  } | null | number | {} | Array<any>,
  // Default: False
  flag?: "x" | None,
  // maxItems: 2, minItems: 1
  list?: Array<
    // rows
    Array<
      // maximum: 1.5
      number
    >
  >,
  // Default: {"a": 1e-07, "b": [1, true, null]}
  nested?: {
    10?: null,
    2?: any,
    \uff5e?: any,
    😀?: null,
    [k: string]: never
  }
}) => any;
type ping = (_: {}) => any;
}
`);
  });

  test('names the root where a schema refers to it', () => {
    const parameters = {
      type: 'object',
      properties: { a: { $ref: '#' }, b: { type: 'string' } },
      required: ['b'],
      additionalProperties: false,
    };
    expect(declare('k2.6', [call(parameters, { description: 'Tree.' })])).toContain(`
interface parameters {
  a?: parameters,
  b: string
}
// Tree.
type f = (_: parameters) => any;
`);
  });

  test.each([
    ['no type', { description: 'x' }],
    ['a reference to nowhere', { $ref: '#/$defs/X' }],
    ['a reference of another form', { $ref: '#/properties/x' }],
    ['an enum value of another type', { type: 'integer', enum: [1, 2.5] }],
    ['an enum of two types', { type: ['string', 'integer'], enum: ['a'] }],
    ['an unknown type in a list', { type: ['string', 'constructor'] }],
    ['a schema that is none', 'string'],
    ['a description that is none', { type: 'string', description: 5 }],
  ])('gives way to JSON: %s', (_, schema) => {
    expect(typeOf(schema)).toBeUndefined();
    expect(declare('k2.5', [property(schema)])).toBe(declare('k2-instruct', [property(schema)]));
  });

  test('gives way to JSON where there is no function', () => {
    const tools = [{ type: 'builtin_function', function: { name: '$web_search' } }, { type: 'function' }];
    expect(declare('k2.5', tools)).toBe(
      '[{"function":{"name":"$web_search"},"type":"builtin_function"},{"type":"function"}]',
    );
  });

  test('takes a truth value for a number, as Python does', () => {
    expect(typeOf({ type: 'integer', enum: [1, true] })).toBe('1 | True');
    expect(typeOf({ type: ['null', 'string'], enum: ['a', null] })).toBe('"a" | None');
  });

  test('gives way to JSON at 200 levels, and JSON has no limit', () => {
    const nest = (depth: number) => {
      let schema: object = { type: 'string' };
      for (let at = 0; at < depth; at++) schema = { type: 'array', items: schema };
      return schema;
    };
    expect(typeOf(nest(150))).toBe(`${'Array<'.repeat(150)}string${'>'.repeat(150)}`);
    expect(declare('k2.5', [property(nest(10_000))])).toMatch(/^\[.*\]$/);
  });
});

describe('as JSON', () => {
  test('sorts keys by code point at every depth, and keeps lists', () => {
    const tools = JSON.parse(
      '[{"type":"function","function":{"name":"f","parameters":{"\uff5e":1,"😀":[{"b":1,"a":2},[]],"10":1,"9":1,"__proto__":{"z":1,"a":1},"required":["b","a"]}}}]',
    );
    expect(declare('k2-instruct', tools)).toBe(
      '[{"function":{"name":"f","parameters":{"10":1,"9":1,"__proto__":{"a":1,"z":1},"required":["b","a"],"\uff5e":1,"😀":[{"a":2,"b":1},[]]}},"type":"function"}]',
    );
  });

  test('spells like Python', () => {
    const values = [
      'é\u2028\u007f"\\/\b\f\n\r\t\u0001\u001f\ud800',
      1e-7,
      0.00001,
      0.0001,
      1e21,
      -1.5e-10,
      true,
      null,
      undefined,
    ];
    expect(declare('k2-thinking', [{ enum: values, left: undefined }])).toBe(
      '[{"enum":["é\u2028\u007f\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\\ud800",1e-07,1e-05,0.0001,1e+21,-1.5e-10,true,null,null]}]',
    );
  });

  test('refuses what JSON cannot hold', () => {
    const cyclic: { self?: object } = {};
    cyclic.self = cyclic;
    for (const value of [cyclic, 1n, Number.NaN, () => 1]) {
      expect(() => declare('k2-instruct', [{ value }])).toThrow('tools: expected JSON data without cycles');
    }
    const shared = { a: 1 };
    expect(declare('k2-instruct', [{ x: shared, y: shared }])).toBe('[{"x":{"a":1},"y":{"a":1}}]');
  });
});
