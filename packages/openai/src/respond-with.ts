/** The response with another body: what its headers say of the bytes that came from the server goes. */
export function respondWith(
  response: Response,
  body: ReadableStream<Uint8Array>,
  type?: string | undefined,
): Response {
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  headers.delete('content-encoding');
  if (type !== undefined) headers.set('content-type', type);
  const { status, statusText, url } = response;
  return Object.defineProperty(
    new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>, { status, statusText, headers }),
    'url',
    { value: url },
  );
}
