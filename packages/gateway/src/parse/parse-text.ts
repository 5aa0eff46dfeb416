import { type Channel, createParser, type KimiEvent, type ParserOptions } from '@kimi-tc/core';

export interface TextOptions extends ParserOptions {
  /** The server's word. Default `stop`: a whole text has no stream that could have ended early. */
  readonly finishReason?: string | undefined;
  /** The field of the reply that the text stood in. Default `content`. */
  readonly channel?: Channel | undefined;
}

/**
 * Reads the raw text of one reply as it arrives.
 *
 * @param take gets the events of each piece; the next piece is read when it resolves
 */
export async function parseText(
  bytes: AsyncIterable<Uint8Array>,
  { finishReason = 'stop', channel = 'content', ...options }: TextOptions,
  take: (events: readonly KimiEvent[]) => Promise<void>,
): Promise<void> {
  let events: KimiEvent[] = [];
  const parser = createParser({ ...options, onEvent: (event) => events.push(event) });
  const decoder = new TextDecoder();

  async function handOn(): Promise<void> {
    const ready = events;
    events = [];
    await take(ready);
  }

  for await (const piece of bytes) {
    parser.feed(decoder.decode(piece, { stream: true }), channel);
    await handOn();
  }
  parser.feed(decoder.decode(), channel);
  parser.end(finishReason);
  await handOn();
}
