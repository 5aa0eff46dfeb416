import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Settings } from './settings.ts';

/** A place that lines are written to, such as `process.stdout`. */
export interface LogTarget {
  write(line: string): unknown;
  isTTY?: boolean;
}

export type Log = Logger;

/** Headers and fields that hold keys or what people wrote, should one ever be logged. */
const REDACTED = [
  'authorization',
  'api-key',
  'x-api-key',
  'cookie',
  'apiKey',
  'gatewayKeys',
  'redis',
  'messages',
  'prompt',
  'content',
  'body',
].flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);

/**
 * Lines of JSON, or pretty ones on a terminal. What is logged are names, codes, counts and times; the list of
 * redacted fields is the second fence.
 */
export function createLog({ level, format }: Settings['log'], target: LogTarget): Log {
  const isPretty = format === 'pretty' || (format === 'auto' && target.isTTY === true);
  const destination = isPretty
    ? pretty({
        colorize: target.isTTY === true && !process.env.NO_COLOR,
        ignore: 'pid,hostname',
        translateTime: 'SYS:HH:MM:ss.l',
        destination: { write: (line: string) => target.write(line) } as unknown as NodeJS.WritableStream,
        sync: true,
      })
    : { write: (line: string) => void target.write(line) };
  return pino(
    { level, base: null, redact: { paths: REDACTED, censor: '[redacted]' } },
    destination as pino.DestinationStream,
  );
}
