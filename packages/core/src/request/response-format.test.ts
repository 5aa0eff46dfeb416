import { describe, expect, test } from 'vitest';
import { KimiRequestError, normalizeRequest, type RequestOptions } from '../index.ts';

const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { title: { type: 'string', pattern: '^A' }, kind: { const: 'book' } },
  required: ['title'],
};
const taken = {
  type: 'object',
  properties: { title: { type: 'string' }, kind: { type: 'string', enum: ['book'] } },
  required: ['title'],
};
const ask = (given: unknown) => ({
  model: 'kimi-k2.5',
  messages: [],
  response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: given } },
});

describe('the schema of an answer', () => {
  test.each(['moonshot', 'router'] as const)('is written as %s takes it', (endpoint) => {
    const { body, problems } = normalizeRequest(ask(schema), { endpoint });
    expect(body.response_format).toMatchObject(ask(taken).response_format);
    expect(JSON.stringify(body)).not.toMatch(/"\$schema"|"pattern"/);
    expect(problems.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'schema-relaxed /response_format/json_schema/schema/properties/title',
    ]);
    expect(normalizeRequest(body, { endpoint }).body).toBe(body);
  });

  test.each<RequestOptions>([{ endpoint: 'self-hosted' }, { endpoint: 'moonshot', toolSchemas: false }])(
    'stays as it is: %o',
    (options) => {
      const body = ask(schema);
      expect(normalizeRequest(body, options)).toMatchObject({ body, problems: [] });
    },
  );

  test('without an acceptable form is refused', () => {
    const send = () => normalizeRequest(ask({ type: 'object', properties: { a: false } }));
    expect(send).toThrow(KimiRequestError);
    expect(send).toThrow('/response_format/json_schema/schema/properties/a');
  });

  test.each([
    { type: 'json_object' },
    { type: 'json_schema' },
    { type: 'json_schema', json_schema: {} },
    null,
  ])('need not be there: %j', (response_format) => {
    const body = { model: 'kimi-k2.5', messages: [], response_format };
    expect(normalizeRequest(body).body).toBe(body);
  });
});
