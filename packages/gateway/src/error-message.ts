import { isObject, type JsonObject, textOf } from './json.ts';

/**
 * What an error of a server says: `{ "error": { "message" } }` as the API has it, `{ "error": "…" }`,
 * `{ "message" }` (older vLLM) or `{ "detail" }` (FastAPI); its JSON if it says nothing.
 */
export function messageOf(body: JsonObject): string {
  const { error, message, detail } = body;
  const said = isObject(error) ? textOf(error.message) : textOf(error);
  return said || textOf(message) || textOf(detail) || JSON.stringify(error ?? detail ?? body);
}
