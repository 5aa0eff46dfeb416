import type { ChatMessage, ChatPart } from '../agent/chat-message.ts';
import { isToolPart, type ToolPart } from './tool-part.ts';

/** By this a call that was cut is known, too: it is not sent back to the model. */
const cutText = 'Stopped before the call was whole. It did not run.';

/**
 * Messages as they are when nothing more will come: a reply that was stopped, or that a reload cut off.
 * What was open is closed, and a call that was not whole, or had no result yet, is marked as one that
 * did not run. The same list, if there is nothing to close.
 */
export function settleMessages(messages: ChatMessage[]): ChatMessage[] {
  const settled = messages.map((message) => {
    const parts = message.parts.map(settlePart);
    return parts.every((part, at) => part === message.parts[at]) ? message : { ...message, parts };
  });
  return settled.every((message, at) => message === messages[at]) ? messages : settled;
}

function settlePart(part: ChatPart): ChatPart {
  if ((part.type === 'text' || part.type === 'reasoning') && part.state === 'streaming') {
    return { ...part, state: 'done' };
  }
  if (!isToolPart(part)) return part;
  if (part.state === 'input-streaming') {
    return fail(part, cutText, part.rawInput ?? '');
  }
  if (part.state === 'input-available' || part.state === 'approval-responded') {
    return fail(part, 'Stopped before there was a result.', part.input);
  }
  return part;
}

function fail(part: ToolPart, errorText: string, input: unknown): ChatPart {
  const { type, toolCallId, callProviderMetadata } = part;
  return {
    type,
    toolCallId,
    ...(part.type === 'dynamic-tool' && { toolName: part.toolName }),
    ...(callProviderMetadata && { callProviderMetadata }),
    state: 'output-error',
    errorText,
    input,
  } as ChatPart; // the input of a failed call fits none of the tools' types by itself
}

/**
 * Messages as the server takes them: without what it wrote beside the replies, without calls whose
 * arguments never became whole, and without messages that hold nothing then.
 */
export function toWire(messages: readonly ChatMessage[]): ChatMessage[] {
  return messages
    .map((message) => ({ ...message, parts: message.parts.filter(goesBack) }))
    .filter(({ parts }) => parts.some(({ type }) => type !== 'step-start'));
}

function goesBack(part: ChatPart): boolean {
  if (part.type === 'data-plain' || part.type === 'data-problems') return false;
  return !(isToolPart(part) && part.state === 'output-error' && part.errorText === cutText);
}
