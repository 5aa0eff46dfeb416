import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { CUT_ARGUMENTS_SEAL, type ModelProfile, normalizeHistory } from '@kimi-tc/core';

/** What of a message the ids hang on, shaped as core reads it. */
interface IdMessage {
  role: 'assistant' | 'tool' | 'user';
  content: string;
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** The ids that the calls of a prompt have. */
export function toolCallIdsOf(prompt: LanguageModelV4Prompt): string[] {
  return prompt.flatMap((message) =>
    message.role === 'assistant'
      ? message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
      : [],
  );
}

/**
 * The prompt with the ids that the model was trained on: `functions.NAME:N`, N counting over the
 * conversation, each result with the id of its call (ruling H1). Calls that the provider runs keep
 * theirs, and so do those of other vendors' models.
 *
 * @returns the given prompt if nothing has to change; it is never changed in place
 */
export function toKimiHistory(prompt: LanguageModelV4Prompt, profile: ModelProfile): LanguageModelV4Prompt {
  const messages = prompt.flatMap(toIdMessages);
  const normalized = normalizeHistory(messages, profile, { messages: false, reasoning: false }).messages;
  if (normalized === messages) return prompt;
  const ids = normalized.flatMap(idsOf);
  let next = 0;
  const takeId = () => ids[next++] as string;
  return prompt.map((message) => withIds(message, takeId));
}

/** One message for the calls of an assistant, one for each result: what a prompt becomes on the wire. */
function toIdMessages(message: LanguageModelV4Message): IdMessage[] {
  if (message.role === 'assistant') {
    const calls = message.content.filter(isOwnCall).map(({ toolCallId, toolName }) => ({
      id: toolCallId,
      type: 'function' as const,
      function: { name: toolName, arguments: '{}' },
    }));
    return [{ role: 'assistant', content: '', ...(calls.length > 0 && { tool_calls: calls }) }];
  }
  if (message.role !== 'tool') return [{ role: 'user', content: '' }];
  return message.content
    .filter((part) => part.type === 'tool-result')
    .map(({ toolCallId }) => ({ role: 'tool', content: '', tool_call_id: toolCallId }));
}

function idsOf({ tool_calls = [], tool_call_id }: IdMessage): string[] {
  return tool_call_id === undefined ? tool_calls.map(({ id }) => id) : [tool_call_id];
}

/**
 * The prompt with `{}` for the input of calls that were cut: what the AI SDK itself sends in later steps of
 * the same loop, where messages of a chat bring the sealed text back, which is no object.
 *
 * @returns the given prompt if there is no such call; it is never changed in place
 */
export function dropCutInput(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const isCut = (message: LanguageModelV4Message) =>
    message.role === 'assistant' && message.content.some(isCutCall);
  if (!prompt.some(isCut)) return prompt;
  return prompt.map((message) =>
    message.role === 'assistant' && isCut(message)
      ? {
          ...message,
          content: message.content.map((part) => (isCutCall(part) ? { ...part, input: {} } : part)),
        }
      : message,
  );
}

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];

function isOwnCall(part: AssistantPart): part is Extract<AssistantPart, { type: 'tool-call' }> {
  return part.type === 'tool-call' && !part.providerExecuted;
}

function isCutCall(part: AssistantPart): part is Extract<AssistantPart, { type: 'tool-call' }> {
  return isOwnCall(part) && typeof part.input === 'string' && part.input.endsWith(CUT_ARGUMENTS_SEAL);
}

function withIds(message: LanguageModelV4Message, takeId: () => string): LanguageModelV4Message {
  if (message.role === 'assistant') {
    return {
      ...message,
      content: message.content.map((part) => (isOwnCall(part) ? { ...part, toolCallId: takeId() } : part)),
    };
  }
  if (message.role !== 'tool') return message;
  return {
    ...message,
    content: message.content.map((part) =>
      part.type === 'tool-result' ? { ...part, toolCallId: takeId() } : part,
    ),
  };
}
