export { type KimiModelId, type ModelFamily, type ModelProfile, resolveModel } from './grammar/models.ts';
export type { Problem, ProblemCode } from './grammar/problems.ts';
export {
  formatToolCallId,
  type ParsedToolCallId,
  parseToolCallId,
  type ToolCallIdForm,
} from './grammar/tool-call-id.ts';
export type { HostedTool, ToolDefinition } from './grammar/tools.ts';
export { KimiError } from './kimi-error.ts';
export { normalizeHistory, normalizeRequest, normalizeToolSchema } from './normalize.ts';
export { type Assembler, createAssembler } from './parse/assembler.ts';
export { CUT_ARGUMENTS_SEAL } from './parse/cut-arguments-seal.ts';
export type {
  Channel,
  FinishReason,
  IncompleteToolCall,
  KimiEvent,
  KimiTurn,
  ToolCall,
} from './parse/events.ts';
export { parse } from './parse/parse.ts';
export { createParser, type KimiParser, type ParserOptions } from './parse/parser.ts';
export type { ToolCallPiece } from './parse/structured-calls.ts';
export { type FormattableToolCall, formatToolCalls } from './prompt/format-tool-calls.ts';
export {
  type PromptInput,
  type PromptMessage,
  type PromptPart,
  type PromptToolCall,
  renderPrompt,
  renderPromptSegments,
} from './prompt/render.ts';
export type { PromptSegment, SpecialTokensInText } from './prompt/segments.ts';
export type { HistoryOptions, NormalizedHistory } from './request/history.ts';
export type { NormalizedRequest, RequestOptions } from './request/normalize-request.ts';
export type { ThinkingOption } from './request/parameters.ts';
export { KimiRequestError, type RequestProblem } from './request/request-problems.ts';
export type { Endpoint } from './request/request-rules.ts';
export type { ToolCallIdMap } from './request/tool-call-ids.ts';
export type { NormalizedSchema } from './request/tool-schema.ts';
