import { Refusal } from './refusal.ts';

/**
 * Reads a JSON body and stops as soon as it is too long, whatever the headers say of its length.
 *
 * @param limit bytes
 * @throws Refusal with status 413, 415 or 400
 */
export async function readJsonBody(request: Request, limit: number): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new Refusal(415, 'Expected a body of type application/json.');
  try {
    return JSON.parse(await readText(request.body, limit));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(400, 'Expected a body of JSON in UTF-8.');
  }
}

async function readText(body: ReadableStream<Uint8Array> | null, limit: number): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let size = 0;
  // Leaving the loop by an error cancels the stream.
  for await (const bytes of body ?? []) {
    size += bytes.byteLength;
    if (size > limit) {
      throw new Refusal(413, `The conversation is too long: at most ${limit / 1_000} kB can be sent.`);
    }
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}
