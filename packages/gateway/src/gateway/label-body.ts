import { isJson, typeOf } from './content-type.ts';
import { resumeBody } from './resume-body.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** As much of a body as tells what it is: the longest name of a field, with its colon. */
const ENOUGH = 'retry:'.length;

/**
 * Puts the type of a reply right where a server sends JSON or events under another name or none, as small
 * servers do: what is no JSON by its type would not be read, and go down with the model's markup in it.
 *
 * @param headers the type is set in there
 * @returns the same bytes, failing as `body` does; `undefined` if they are neither, and then it is cancelled
 */
export async function labelBody(
  body: ReadableStream<Bytes>,
  headers: Headers,
): Promise<ReadableStream<Bytes> | undefined> {
  const given = typeOf(headers);
  if (isJson(given) || given === 'text/event-stream') return body;
  const reader = body.getReader();
  const held: Bytes[] = [];
  const decoder = new TextDecoder();
  let start = '';
  let hasFailed = false;
  while (start.length < ENOUGH) {
    // What fails here fails once more, for whoever reads it.
    const { value } = await reader.read().catch(() => {
      hasFailed = true;
      return { value: undefined };
    });
    if (value === undefined) break;
    held.push(value);
    start = (start + decoder.decode(value, { stream: true })).trimStart();
  }
  const type = guessType(start);
  if (type === undefined && !hasFailed) {
    await reader.cancel();
    return undefined;
  }
  if (type !== undefined) headers.set('content-type', type);
  return resumeBody(held, reader);
}

function guessType(start: string): string | undefined {
  if (start.startsWith('{')) return 'application/json';
  return /^(?:data|event|id|retry)?:/.test(start) ? 'text/event-stream' : undefined;
}
