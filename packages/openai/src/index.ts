export type { FinishReason, KimiTurn, Problem, ProblemCode } from '@kimi-tc/core';
export { KimiError } from '@kimi-tc/core';
export { createKimiFetch, type KimiFetchOptions } from './create-kimi-fetch.ts';
export type {
  ChatChoice,
  ChatChunk,
  ChatChunkChoice,
  ChatCompletion,
  KimiChunk,
  KimiChunkChoice,
  KimiChunkDelta,
  KimiExtra,
  KimiFinishReason,
  KimiIncompleteToolCall,
  KimiMessage,
  KimiToolCallDelta,
  KimiUsage,
} from './kimi-chunk.ts';
export type { KimiStreamOptions, ProblemContext } from './kimi-options.ts';
export { transformKimiCompletion } from './transform-kimi-completion.ts';
export { type SdkStream, transformKimiStream } from './transform-kimi-stream.ts';
