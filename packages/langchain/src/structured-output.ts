import { toJsonSchema } from '@langchain/core/utils/json_schema';
import { isSerializableSchema, type SerializableSchema } from '@langchain/core/utils/standard_schema';
import { type InteropZodType, isInteropZodSchema } from '@langchain/core/utils/types';

export type OutputSchema<Output extends object> =
  | InteropZodType<Output>
  | SerializableSchema<Output>
  | Record<string, unknown>;

/** The one tool whose arguments are the structured output. */
export interface OutputTool {
  type: 'function';
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/**
 * A schema as a tool: of Zod, of any standard schema library, JSON Schema, or a whole function as the
 * OpenAI API has it, which brings its own name.
 */
export function toOutputTool<Output extends object>(
  schema: OutputSchema<Output>,
  name: string | undefined,
): OutputTool {
  if (!isInteropZodSchema(schema) && !isSerializableSchema(schema)) {
    const { name: own, parameters, title, description } = schema;
    if (typeof own === 'string' && isObject(parameters)) return toTool(own, description, parameters);
    return toTool(name ?? (typeof title === 'string' ? title : 'extract'), description, schema);
  }
  const json = toJsonSchema(schema) as Record<string, unknown>;
  return toTool(name ?? 'extract', json.description, json);
}

function toTool(name: string, description: unknown, parameters: Record<string, unknown>): OutputTool {
  const text = typeof description === 'string' ? description : '';
  return { type: 'function', function: { name, description: text, parameters } };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
