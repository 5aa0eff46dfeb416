import { createParser, type ParserOptions, type Problem, type ToolDefinition } from '@kimi-tc/core';
import type { BindToolsInput } from '@langchain/core/language_models/chat_models';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';

/** How text of a model is read: what `createParser` of `@kimi-tc/core` takes, with LangChain's tools. */
export interface KimiReplyOptions extends Omit<ParserOptions, 'tools'> {
  /** The tools of the request: LangChain's own, or OpenAI-shaped. Default: unknown, any name is taken. */
  tools?: readonly BindToolsInput[] | undefined;
  /**
   * Called for each problem when it is found. What it throws breaks the reply.
   * Default: problems are found in `response_metadata.kimi` only.
   */
  onProblem?: ((problem: Problem) => void) | undefined;
}

/** @throws KimiError naming the option that is wrong */
export function toParserOptions({ tools, onProblem: _, ...options }: KimiReplyOptions): ParserOptions {
  const settings = { ...options, ...(tools && { tools: tools.map(toToolDefinition) }) };
  // The parser checks its own options, and does so before any text comes.
  createParser({ ...settings, onEvent: () => {} });
  return settings;
}

/** A tool that is run by a provider has no name and is not called in the text. */
function toToolDefinition(tool: BindToolsInput): ToolDefinition {
  return convertToOpenAITool(tool as Parameters<typeof convertToOpenAITool>[0]) as ToolDefinition;
}
