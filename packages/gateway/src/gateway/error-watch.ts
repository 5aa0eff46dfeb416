import { isObject, readObject } from '../json.ts';
import { createSseCutter, dataOf } from './sse-events.ts';

/** Looks through a stream for an event in which the upstream itself reports an error. */
export interface ErrorWatch {
  /** Takes the next bytes, and gives the data of the first such event that is whole with them. */
  push(bytes: Uint8Array): string | undefined;
}

export function createErrorWatch(): ErrorWatch {
  const cutter = createSseCutter();
  const decoder = new TextDecoder();
  return {
    push: (bytes) =>
      cutter
        .push(decoder.decode(bytes, { stream: true }))
        .map(dataOf)
        .find(isError),
  };
}

function isError(data: string): boolean {
  // Nearly every event is none: parsing them all would cost more than all else that is done with them here.
  if (!data.includes('"error"')) return false;
  const error = readObject(data)?.error;
  return isObject(error) || (typeof error === 'string' && error !== '');
}
