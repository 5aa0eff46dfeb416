/** The response with another body: what its headers say of the bytes that came from the server goes. */
export function respondWith(
  response: Response,
  body: ReadableStream<Uint8Array>,
  type?: string | undefined,
): Response {
  const answer = new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>, response);
  answer.headers.delete('content-length');
  answer.headers.delete('content-encoding');
  if (type !== undefined) answer.headers.set('content-type', type);
  return Object.defineProperty(answer, 'url', { value: response.url });
}
