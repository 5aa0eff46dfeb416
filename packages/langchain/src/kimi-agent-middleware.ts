import { KimiError, type ParserOptions } from '@kimi-tc/core';
import type { BaseLanguageModelInput } from '@langchain/core/language_models/base';
import { AIMessage, type AIMessageChunk, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import type { Runnable } from '@langchain/core/runnables';
import { type AgentMiddleware, createMiddleware } from 'langchain';
import { callIdsOf, invalidCallsOf, withAnsweredCalls } from './kimi-history.ts';
import { KimiOutputParser } from './kimi-output-parser.ts';
import { createMessageId } from './message-id.ts';
import { type KimiReplyOptions, toParserOptions } from './parser-settings.ts';
import { isFeedback, toFeedback } from './to-feedback.ts';

export interface KimiAgentMiddlewareOptions
  extends Omit<KimiReplyOptions, 'tools' | 'toolChoice' | 'takenToolCallIds'> {
  /**
   * How often in a row a reply whose calls cannot run, cut ones for one, is answered with what was wrong,
   * so that the model can try again; the limit of the agent's steps counts too. 0: never. LangChain by
   * itself ends the loop at such a reply, without a word. Default 3.
   */
  invalidCallRetries?: number | undefined;
}

/**
 * Makes an agent of `createAgent` work with a Kimi model whose class cannot be changed: reads its replies
 * with `KimiOutputParser`, before the agent and its structured output see them, and tells the model of
 * calls that could not run. Put it last in the list, next to the model.
 *
 * @throws KimiError naming the option that is wrong
 */
export function kimiAgentMiddleware(options: KimiAgentMiddlewareOptions = {}): AgentMiddleware {
  const { invalidCallRetries = 3, ...reply } = options;
  if (!Number.isInteger(invalidCallRetries) || invalidCallRetries < 0)
    throw new KimiError('invalidCallRetries', 'invalidCallRetries: expected a whole number, or 0');
  toParserOptions(reply);

  return createMiddleware({
    name: 'KimiAgentMiddleware',
    wrapModelCall(request, handler) {
      const parser = new KimiOutputParser({
        ...reply,
        tools: request.tools,
        toolChoice: toParserChoice(request.toolChoice),
        takenToolCallIds: callIdsOf(request.messages),
      });
      const messages = [...withAnsweredCalls(request.messages)];
      // As a step behind the model the parser stays there when the agent binds its tools.
      const model = (request.model as Runnable<BaseLanguageModelInput, AIMessageChunk>)
        .pipe(parser)
        .pipe((reply) => withOwnId(reply, request.messages));
      return handler({ ...request, messages, model });
    },
    ...(invalidCallRetries > 0 && { afterModel: createRetry(invalidCallRetries) }),
  }) as AgentMiddleware;
}

function createRetry(most: number): NonNullable<AgentMiddleware['afterModel']> {
  return {
    canJumpTo: ['model'],
    hook({ messages }) {
      const last = messages.at(-1);
      if (!AIMessage.isInstance(last) || invalidTurnsAtEnd(messages) > most) return undefined;
      const runs = (last.tool_calls ?? []).length > 0;
      const feedback = toFeedback(last, runs);
      if (feedback.length === 0) return undefined;
      return { messages: feedback, ...(!runs && { jumpTo: 'model' as const }) };
    },
  };
}

/** Some servers give every reply the same id, and LangGraph would replace the earlier one by it. */
function withOwnId(reply: AIMessageChunk, messages: readonly BaseMessage[]): AIMessageChunk {
  if (messages.some(({ id }) => id !== undefined && id === reply.id)) reply._updateId(createMessageId());
  return reply;
}

type RequestChoice = 'auto' | 'none' | 'required' | { function: { name: string } } | undefined;

function toParserChoice(choice: RequestChoice): ParserOptions['toolChoice'] {
  return typeof choice === 'object' ? { name: choice.function.name } : choice;
}

/** Replies with invalid calls since the last one without, or the last word of the user. */
function invalidTurnsAtEnd(messages: readonly BaseMessage[]): number {
  let count = 0;
  for (const message of messages.toReversed()) {
    if (HumanMessage.isInstance(message) && !isFeedback(message)) break;
    if (!AIMessage.isInstance(message)) continue;
    if (invalidCallsOf(message).length === 0) break;
    count++;
  }
  return count;
}
