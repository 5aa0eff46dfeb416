import { createAnswerWriter } from './answer-writer.ts';
import { createChunkTransform, type TransformSettings } from './chunk-transform.ts';
import { createSseWriter, type SseWriter } from './sse-writer.ts';

/** White space and the bytes of a byte order mark. */
const SPACES = [0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf];
/** What JSON objects, lists and pages begin with: no field of an event does. */
const NO_EVENT = [...'{[<'].map((char) => char.charCodeAt(0));
/** No JSON and no page has a line like that; a stream may have such bytes in front of its first. */
const DATA_LINE = /[\r\n]data:/;
/** Units of one that may have come. */
const BEGUN_LINE = '\ndata'.length;

const decoder = new TextDecoder('latin1');

/**
 * Writes the answer to a request for a stream. Some servers send one under another type, some send
 * something else under the type of one: how it begins decides.
 *
 * @param typed whether its type is that of a stream, which may hold nothing
 */
export function createStreamWriter(settings: TransformSettings, typed: boolean): SseWriter {
  let writer: SseWriter | undefined;
  /** What came before that was decided. */
  const before: Uint8Array[] = [];
  /** The first byte that is no white space. */
  let first: number | undefined;
  /** The last units of it, which may begin a line. */
  let end = '';

  const asStream = () => createSseWriter(createChunkTransform(settings));

  function isStream(bytes: Uint8Array): boolean {
    first ??= bytes.find((byte) => !SPACES.includes(byte));
    if (first === undefined || !NO_EVENT.includes(first)) return first !== undefined;
    const text = end + decoder.decode(bytes);
    end = text.slice(-BEGUN_LINE);
    return DATA_LINE.test(text);
  }

  return {
    write(bytes) {
      if (writer) return writer.write(bytes);
      before.push(bytes);
      if (!isStream(bytes)) return [];
      const chosen = asStream();
      writer = chosen;
      return before.splice(0).flatMap((part) => chosen.write(part));
    },
    end() {
      writer ??= typed && first === undefined ? asStream() : createAnswerWriter(settings);
      return [...before.splice(0).flatMap(writer.write), ...writer.end()];
    },
    fail: () => writer?.fail() ?? [],
  };
}
