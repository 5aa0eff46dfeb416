import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import { convertMessagesToCompletionsMessageParams, type OpenAIClient } from '@langchain/openai';
import { reasoningOf, withAnsweredCalls } from './kimi-history.ts';
import { parseArguments } from './to-tool-calls.ts';
import { writtenArguments } from './written-arguments.ts';

export type WireMessage = OpenAIClient.Chat.Completions.ChatCompletionMessageParam;

/**
 * Messages as the API has them. LangChain's own conversion drops reasoning, without which servers of
 * thinking models refuse a history (langchain-ai/langchainjs#10883), prints arguments anew, and sends
 * the names of agents as those of speakers, which the model would read as another role.
 */
export function toWireMessages(messages: readonly BaseMessage[], model: string): WireMessage[] {
  return withAnsweredCalls(messages).flatMap((message) => {
    const params = convertMessagesToCompletionsMessageParams({ messages: [message], model });
    if (!AIMessage.isInstance(message)) return params;
    return params.map((param, at) => (at === 0 ? toAssistant(param, message) : param));
  });
}

function toAssistant(param: WireMessage, message: AIMessage): WireMessage {
  const { name: _, tool_calls: __, ...rest } = param as unknown as Record<string, unknown>;
  const reasoning = reasoningOf(message);
  const calls = message.tool_calls ?? [];
  return {
    ...rest,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: toWireCalls(message) }),
  } as unknown as WireMessage;
}

interface WireCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/**
 * Arguments go back as the model wrote them, which keeps the prompt the one that the server has cached. Unless
 * somebody has changed the call since, or they were cut.
 */
function toWireCalls(message: AIMessage): WireCall[] {
  return (message.tool_calls ?? []).map((call) => {
    const { id = '', name, args } = call;
    const own = writtenArguments(message, call);
    const whole = own !== undefined && parseArguments(own);
    return { id, type: 'function', function: { name, arguments: whole ? own : JSON.stringify(args) } };
  });
}
