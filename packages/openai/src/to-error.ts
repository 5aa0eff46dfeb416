import { isObject, type JsonObject } from './json.ts';

/**
 * What clients take for an error of the server: its own; its own words, where it does not call them one.
 *
 * @param answer what is said in `text`, if that is JSON
 */
export function toError(answer: unknown, text: string): JsonObject {
  if (isObject(answer) && answer.error) return answer;
  const message = text.trim() || 'The answer of the server is empty.';
  return { error: { message, ...(isObject(answer) && answer) } };
}
