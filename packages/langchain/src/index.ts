export type { KimiModelId, Problem, ProblemCode } from '@kimi-tc/core';
export { KimiError } from '@kimi-tc/core';
export { ChatKimi } from './chat-kimi.ts';
export type { ChatKimiCallOptions, ChatKimiFields } from './chat-kimi-fields.ts';
export type { KimiMetadata } from './kimi-metadata.ts';
export { KimiOutputParser } from './kimi-output-parser.ts';
export type { KimiReplyOptions } from './parser-settings.ts';
