export type { FinishReason, KimiModelId, Problem, ProblemCode } from '@kimi-tc/core';
export { KimiError } from '@kimi-tc/core';
export type {
  KimiAssistantMessageOptions,
  KimiLanguageModelOptions,
  KimiThinking,
} from './kimi-call-options.ts';
export { KimiEmptyTurnError } from './kimi-error.ts';
export type { KimiMetadata, KimiToolCallMetadata } from './kimi-metadata.ts';
export { type KimiMiddlewareOptions, kimiMiddleware } from './kimi-middleware.ts';
export type { KimiReplyOptions } from './kimi-options.ts';
export {
  createKimi,
  type KimiProvider,
  type KimiProviderSettings,
  kimi,
} from './kimi-provider.ts';
export { VERSION } from './version.ts';
