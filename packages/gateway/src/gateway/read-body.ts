import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { ApiError } from './api-error.ts';

const DECODERS = {
  br: promisify(brotliDecompress),
  deflate: promisify(inflate),
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
};

/** A request body that is known to be a JSON object. */
export interface JsonBody {
  /** As it came, decompressed. */
  text: string;
  value: Record<string, unknown>;
}

/**
 * Reads the body of a request, compressed or not.
 *
 * @param limit bytes, of the body as it comes and of what it becomes
 * @throws ApiError 413 if it is larger, 415 for an encoding that is not known, 400 if it is no JSON object
 */
export async function readJsonBody(request: Request, limit: number): Promise<JsonBody> {
  const bytes = await decompress(await readBytes(request, limit), request.headers, limit);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw malformed('it is not UTF-8');
  }
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed(`got ${Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`}`);
  return { text, value: value as Record<string, unknown> };
}

async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const length = request.headers.get('content-length');
  if (length !== null && Number(length) > limit) throw tooLarge(limit);
  // With a length the HTTP parser sees to it that no more comes.
  if (length !== null) return new Uint8Array(await request.arrayBuffer());
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body ?? []) {
    size += part.length;
    if (size > limit) throw tooLarge(limit);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function decompress(bytes: Uint8Array, headers: Headers, limit: number): Promise<Uint8Array> {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() || 'identity';
  if (encoding === 'identity') return bytes;
  if (!Object.hasOwn(DECODERS, encoding))
    throw new ApiError(
      415,
      'unsupported_encoding',
      `content-encoding: expected identity, ${Object.keys(DECODERS).join(', ')}; got ${JSON.stringify(encoding)}`,
    );
  try {
    return await DECODERS[encoding as keyof typeof DECODERS](bytes, { maxOutputLength: limit });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit);
    throw malformed(`it is not ${encoding}, which content-encoding says it is`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The engine's message quotes the text around the place, which may be anyone's.
    const at = /position (\d+)/.exec((error as Error).message)?.[1];
    throw malformed(at === undefined ? 'it is not JSON' : `it is not JSON, from position ${at} on`);
  }
}

function malformed(why: string): ApiError {
  return new ApiError(400, 'invalid_json', `The request body has to be a JSON object: ${why}.`);
}

function tooLarge(limit: number): ApiError {
  return new ApiError(413, 'request_too_large', `The request body is larger than ${limit} bytes.`, {
    // What is left of it is not read, so that no other request can follow.
    headers: { connection: 'close' },
  });
}
