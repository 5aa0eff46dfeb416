import { isObject, readObject } from '../json.ts';
import { createSseCutter, dataOf } from './sse-events.ts';

/** Looks through a stream for an event in which the upstream itself reports an error. */
export interface ErrorWatch {
  /** Takes the next bytes, and gives the data of the first such event that is whole with them. */
  push(bytes: Uint8Array): string | undefined;
}

/** The field that such an event has. */
const FIELD = '"error"';

export function createErrorWatch(): ErrorWatch {
  const cutter = createSseCutter();
  const decoder = new TextDecoder();
  /** Whether the last bytes ended within an event. */
  let isWithin = false;
  return {
    push(bytes) {
      const part = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      const wasWithin = isWithin;
      isWithin = !/\n\r?\n$/.test(part.toString('latin1', part.length - 3));
      // Nearly all bytes are whole events without it: to cut and read them would cost more than all else that is done here.
      if (!wasWithin && !isWithin && !part.includes(FIELD)) return undefined;
      return cutter
        .push(decoder.decode(bytes, { stream: true }))
        .map(dataOf)
        .find(isError);
    },
  };
}

function isError(data: string): boolean {
  if (!data.includes(FIELD)) return false;
  const error = readObject(data)?.error;
  return isObject(error) || (typeof error === 'string' && error !== '');
}
