import { normalizeToolSchema, type Problem } from '@kimi-tc/core';

interface JsonSchemaFormat {
  type: 'json_schema';
  json_schema: { schema?: unknown };
}

/**
 * A response format whose schema the API takes: it checks those of replies as those of tools.
 *
 * @throws KimiRequestError if the schema has no such form
 */
export function toResponseFormat<Format>(format: Format): { format: Format; problems: Problem[] } {
  if (!hasSchema(format)) return { format, problems: [] };
  const { schema, problems } = normalizeToolSchema(format.json_schema.schema);
  // The SDK keeps how to parse the reply in fields that are not enumerable.
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(format)) as JsonSchemaFormat;
  copy.json_schema = { ...format.json_schema, schema };
  return { format: copy as Format, problems };
}

function hasSchema(format: unknown): format is JsonSchemaFormat {
  const { type, json_schema } = Object(format) as Partial<JsonSchemaFormat>;
  return type === 'json_schema' && json_schema?.schema !== undefined;
}
