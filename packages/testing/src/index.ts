export type {
  CaseDelta,
  CaseInput,
  CaseOptions,
  CaseTool,
  CheckName,
  ChunksInput,
  CorpusCase,
  DeltasInput,
  Expected,
  ExpectedIncompleteToolCall,
  ExpectedToolCall,
  Family,
  FinishWord,
  HistoryInput,
  InputKind,
  MessageInput,
  ProblemCode,
  RequestInput,
  SchemaInput,
} from './case.ts';
export { checkNames, finishWords, problemCodes } from './case.ts';
export { DataError } from './check.ts';
export { checkCase } from './check-case.ts';
export type { Surface } from './check-surface.ts';
export { checkSurface } from './check-surface.ts';
export type { Chunked, Chunking } from './chunkings.ts';
export { chunkings } from './chunkings.ts';
export { compareOutcome } from './compare.ts';
export type { Behaviour } from './engine/behaviour.ts';
export type { BehaviourName } from './engine/behaviours.ts';
export { behaviours } from './engine/behaviours.ts';
export type { Usage } from './engine/chunk.ts';
export type { Cuts } from './engine/cuts.ts';
export type { EngineOptions } from './engine/options.ts';
export type { EngineRequest } from './engine/request-record.ts';
export type { EngineChunking, Script, Turn } from './engine/script.ts';
export type { Engine } from './engine/start-engine.ts';
export { startEngine } from './engine/start-engine.ts';
export type { JsonObject, JsonValue } from './json.ts';
export type { LoadCasesOptions } from './load-cases.ts';
export { caseFile, loadCases } from './load-cases.ts';
export type { PromptCase, PromptFamily, PromptOptions } from './load-prompts.ts';
export { loadPrompts } from './load-prompts.ts';
export type {
  Outcome,
  OutcomeIncompleteToolCall,
  OutcomeToolCall,
  RequestOutcome,
  TurnOutcome,
} from './outcome.ts';
export { toChunks } from './to-chunks.ts';
