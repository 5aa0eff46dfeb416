/** Statuses the engine refuses with, and the words the API has for them. */
const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'invalid_authentication_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  429: 'engine_overloaded_error',
  500: 'server_error',
};

/** The JSON of an error in the shape of the OpenAI API. */
export function errorBody(
  status: number,
  message: string,
  more: Readonly<Record<string, unknown>> = {},
): string {
  const error = { message, type: types[status] ?? 'server_error', param: null, code: null, ...more };
  return JSON.stringify({ error });
}
