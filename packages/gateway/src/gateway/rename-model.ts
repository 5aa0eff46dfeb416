import { type JsonObject, readObject } from '../json.ts';
import { createSseCutter, dataOf, withData } from './sse-events.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** The reply under the name by which a client asked for its model; as it is if it names none. */
export function renameModel(reply: JsonObject, name: string): JsonObject {
  return typeof reply.model === 'string' ? { ...reply, model: name } : reply;
}

/**
 * A stream of chunks of which each names the model as the client asked for it. What names none passes as it is.
 * Read as fast as it is asked for; fails as `body` does, behind the last event that came whole.
 */
export function renameModelInStream(body: ReadableStream<Uint8Array>, name: string): ReadableStream<Bytes> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const cutter = createSseCutter();

  function rename(event: string): string {
    const chunk = readObject(dataOf(event));
    const renamed = chunk && renameModel(chunk, name);
    return renamed === chunk ? event : withData(event, JSON.stringify(renamed));
  }

  return new ReadableStream(
    {
      async pull(controller) {
        for (;;) {
          const { value, done } = await reader.read();
          const events = cutter.push(decoder.decode(value, { stream: !done }));
          const text = [...events, ...(done ? [cutter.end()] : [])].map(rename).join('');
          if (text !== '') controller.enqueue(encoder.encode(text));
          if (done) controller.close();
          if (done || text !== '') return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
