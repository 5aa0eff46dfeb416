export type { FinishReason, KimiTurn, Problem, ProblemCode } from '@kimi-tc/core';
export { KimiError } from '@kimi-tc/core';
export { collectTurn } from './collect-turn.ts';
export { completionStreamToChat } from './completion-stream-to-chat.ts';
export type { TransportOptions } from './completions-transport.ts';
export { createKimiFetch, type KimiFetchOptions } from './create-kimi-fetch.ts';
export { endpointOf } from './endpoint-of.ts';
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
  TextChunk,
  TextChunkChoice,
} from './kimi-chunk.ts';
export type { KimiOptions, ProblemContext } from './kimi-options.ts';
export {
  createReasoningMemory,
  type ReasoningMemory,
  type ReasoningMemoryOptions,
} from './reasoning-memory.ts';
export type { RequestSideOptions } from './request-side.ts';
export { transformKimiCompletion } from './transform-kimi-completion.ts';
export { type SdkStream, transformKimiStream } from './transform-kimi-stream.ts';
