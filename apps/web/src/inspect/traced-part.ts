import type { kimiMiddleware } from '@kimi-tc/ai-sdk';

type WrapStream = NonNullable<ReturnType<typeof kimiMiddleware>['wrapStream']>;

/** A part of a stream, as a language model gives it to the AI SDK. */
export type StreamPart =
  Awaited<ReturnType<WrapStream>>['stream'] extends ReadableStream<infer Part> ? Part : never;

/** A part, and the delta that it came out at; the one behind the last is the end of the stream. */
export interface TracedPart {
  part: StreamPart;
  delta: number;
}
