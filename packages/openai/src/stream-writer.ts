import { createAnswerWriter } from './answer-writer.ts';
import { createChunkTransform, type TransformSettings } from './chunk-transform.ts';
import { createSseWriter, type SseWriter } from './sse-writer.ts';

/** White space and the bytes of a byte order mark. */
const SPACES = [0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf];
/** What JSON objects, lists and pages begin with: no field of an event does. */
const NO_EVENT = [...'{[<'].map((char) => char.charCodeAt(0));

/**
 * Writes the answer to a request for a stream. Some servers send one under another type, some send
 * something else under the type of one: how it begins decides.
 *
 * @param typed whether its type is that of a stream, which may hold nothing
 */
export function createStreamWriter(settings: TransformSettings, typed: boolean): SseWriter {
  let writer: SseWriter | undefined;
  /** White space in front of what decides. */
  const before: Uint8Array[] = [];

  const asStream = () => createSseWriter(createChunkTransform(settings));

  return {
    write(bytes) {
      if (writer) return writer.write(bytes);
      const first = bytes.find((byte) => !SPACES.includes(byte));
      if (first === undefined) {
        before.push(bytes);
        return [];
      }
      const chosen = NO_EVENT.includes(first) ? createAnswerWriter(settings) : asStream();
      writer = chosen;
      return [...before.splice(0), bytes].flatMap((part) => chosen.write(part));
    },
    end() {
      writer ??= typed ? asStream() : createAnswerWriter(settings);
      return [...before.splice(0).flatMap(writer.write), ...writer.end()];
    },
    fail: () => writer?.fail() ?? [],
  };
}
