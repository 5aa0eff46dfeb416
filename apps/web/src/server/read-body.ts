import { Refusal } from './refusal.ts';

/**
 * Reads a JSON body and refuses it as soon as it is too long or no text, whatever the headers say of its length.
 * Ten times the limit may follow, and is thrown away.
 *
 * @param limit bytes
 * @throws Refusal with status 413, 415 or 400
 */
export async function readJsonBody(request: Request, limit: number): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new Refusal(415, 'Expected a body of type application/json.');
  const reader = request.body?.getReader();
  try {
    return JSON.parse(reader ? await readText(reader, limit) : '');
  } catch (error) {
    if (reader) void dropRest(reader, 10 * limit);
    if (error instanceof Refusal) throw error;
    throw new Refusal(400, 'Expected a body of JSON in UTF-8.');
  }
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

async function readText(reader: BodyReader, limit: number): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.byteLength;
    if (size > limit) {
      throw new Refusal(413, `The conversation is too long: at most ${limit / 1_000} kB can be sent.`);
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}

/**
 * Lets the client send to the end, beside the answer. The server breaks the connection of a body that is left,
 * and the client loses the answer by that, or the next request that it sends there.
 *
 * @param most bytes; what goes on behind them is left
 */
async function dropRest(reader: BodyReader, most: number): Promise<void> {
  try {
    let size = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.byteLength;
      if (size > most) return await reader.cancel();
    }
  } catch {
    // The client has gone.
  }
}
