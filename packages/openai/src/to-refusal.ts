/** The answer of a server that refuses a request: clients show such errors, and do not retry. */
export function toRefusal(message: string, param: string, code: string | null = null): Response {
  const error = { message, type: 'invalid_request_error', param, code };
  return Response.json({ error }, { status: 400 });
}
