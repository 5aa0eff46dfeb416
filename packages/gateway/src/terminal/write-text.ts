import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Writes text, and resolves when the stream takes more: a slow reader slows the writer. */
export async function writeText(stream: Writable, text: string): Promise<void> {
  if (text === '' || stream.write(text)) return;
  await once(stream, 'drain');
}
