import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import {
  createParser,
  KimiError,
  type ParserOptions,
  type Problem,
  type ToolDefinition,
} from '@kimi-tc/core';

/** How replies are read, by the provider and by the middleware alike. */
export interface KimiReplyOptions
  extends Pick<ParserOptions, 'recoverTextCalls' | 'promptOpensThink' | 'guidedJson' | 'limits'> {
  /**
   * What becomes of a reply that holds nothing to go on with: no text and no call, or only reasoning
   * that was cut off by the limit of output tokens.
   *
   * - `finish` (default): it ends as any other, with the server's finish reason (`stop`, or `length`
   *   for the limit), and the problem in `providerMetadata.kimi.problems`.
   * - `error`: `KimiEmptyTurnError` is thrown, or is an `error` part of the stream, whose finish reason
   *   then is `error`.
   */
  emptyTurn?: 'finish' | 'error' | undefined;
  /**
   * Called for each problem of a reply when it is found. What it throws breaks the reply.
   * Default: problems are found in `providerMetadata.kimi` only.
   */
  onProblem?: ((problem: Problem) => void) | undefined;
}

/** What reading one reply needs to know. */
export interface ReplySettings {
  parser: ParserOptions;
  emptyTurn: 'finish' | 'error';
  onProblem?: ((problem: Problem) => void) | undefined;
}

/** @throws KimiError naming the option that is wrong */
export function checkReplyOptions(options: KimiReplyOptions & { model?: ParserOptions['model'] }): void {
  const { emptyTurn, onProblem } = options;
  // The parser checks its own options, and does so before any text comes.
  createParser({ ...options, onEvent: () => {} });
  expectOption(
    'emptyTurn',
    emptyTurn,
    (value) => value === 'finish' || value === 'error',
    "'finish' or 'error'",
  );
  expectOption('onProblem', onProblem, (value) => typeof value === 'function', 'a function');
}

/** Checks an option that is given; tells the type alone of what is wrong, as it may be a key. */
export function expectOption(
  name: string,
  value: unknown,
  isRight: (value: unknown) => boolean,
  expected: string,
): void {
  if (value === undefined || isRight(value)) return;
  const got = value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value;
  throw new KimiError(name, `${name}: expected ${expected}, got ${got}`);
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @param takenToolCallIds ids that calls of the conversation have, as the application knows them */
export function toReplySettings(
  options: KimiReplyOptions & { model?: ParserOptions['model'] },
  { tools, toolChoice }: Pick<LanguageModelV4CallOptions, 'tools' | 'toolChoice'>,
  takenToolCallIds: readonly string[],
): ReplySettings {
  const { emptyTurn = 'finish', onProblem, ...parser } = options;
  return {
    parser: {
      ...parser,
      tools: toToolDefinitions(tools),
      toolChoice: toParserChoice(toolChoice),
      takenToolCallIds,
    },
    emptyTurn,
    onProblem,
  };
}

/** A tool of a provider has no schema here, but a name that the model may call. */
function toToolDefinitions(tools: LanguageModelV4CallOptions['tools']): ToolDefinition[] {
  return (tools ?? []).map((tool) => ({
    type: 'function',
    function: {
      name: tool.name,
      ...(tool.type === 'function' && { parameters: tool.inputSchema as Record<string, unknown> }),
    },
  }));
}

function toParserChoice(choice: LanguageModelV4CallOptions['toolChoice']): ParserOptions['toolChoice'] {
  return choice?.type === 'tool' ? { name: choice.toolName } : choice?.type;
}
