import { type Reply, replySchema } from './reply.ts';

/** Characters of a fragment that is read, and bytes that it may stand for; a text of the page's size fits. */
const LONGEST_FRAGMENT = 400_000;
const MOST_BYTES = 2_000_000;
const PREFIX = 'reply=';

/** A link that cannot be read, or a reply that is too much for one. */
export class LinkError extends Error {
  override readonly name: string = 'LinkError';
}

/**
 * The reply as the fragment of a link: `reply=` and its JSON, compressed (raw deflate) and in base64url. A
 * fragment never leaves the browser.
 * @throws LinkError when it would be too long
 */
export async function toFragment(reply: Reply): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(reply));
  const packed = await readAll(toStream(bytes).pipeThrough(new CompressionStream('deflate-raw')), Infinity);
  const fragment = PREFIX + toBase64Url(packed);
  if (fragment.length > LONGEST_FRAGMENT || bytes.length > MOST_BYTES)
    throw new LinkError('The reply is too long for a link');
  return fragment;
}

/**
 * The reply in a fragment, without its `#`; nothing if the fragment is about something else.
 * @throws LinkError when it is damaged, too long, or holds what is no reply
 */
export async function fromFragment(fragment: string): Promise<Reply | undefined> {
  if (!fragment.startsWith(PREFIX)) return undefined;
  if (fragment.length > LONGEST_FRAGMENT) throw new LinkError('The link is too long');
  const read = checkReply(await unpack(fragment.slice(PREFIX.length)));
  if (read.success) return read.data as Reply;
  const [issue] = read.error.issues;
  throw new LinkError(`The link holds no reply: ${issue?.path.join('.') || 'the whole'}: ${issue?.message}`);
}

function checkReply(json: unknown): ReturnType<typeof replySchema.safeParse> {
  try {
    return replySchema.safeParse(json);
  } catch {
    // The schema goes down by calls, and thousands of brackets are more than the stack has room for.
    throw new LinkError('The link holds no reply: it is nested too deeply');
  }
}

async function unpack(packed: string): Promise<unknown> {
  try {
    const stream = toStream(fromBase64Url(packed)).pipeThrough(new DecompressionStream('deflate-raw'));
    const bytes = await readAll(stream, MOST_BYTES);
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    if (error instanceof LinkError) throw error;
    throw new LinkError('The link is damaged: a part of it may be missing');
  }
}

function toStream(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new Blob([bytes]).stream();
}

/** Stops at the limit, as a few bytes may stand for gigabytes. */
async function readAll(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    length += read.value.length;
    if (length > limit) {
      reader.cancel().catch(() => {}); // a broken stream has nothing to stop
      throw new LinkError('The link stands for too much text');
    }
    chunks.push(read.value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[\w-]*$/.test(text)) throw new LinkError('The link is damaged: it holds characters that it cannot');
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}
