import { isDataUIPart } from 'ai';
import type { ChatMessage, ChatPart } from '../agent/chat-message.ts';
import { isToolPart, type ToolPart } from './tool-part.ts';

/** By this a call that was cut is known, too: it is not sent back to the model. */
const cutText = 'Stopped before the call was whole. It did not run.';

/**
 * Messages as they are when nothing more will come: a reply may have been stopped, or have broken off. What was
 * open is closed, a call that was not whole, or had no result yet, is marked as one that did not run, and the last
 * reply gets a mark behind it if it did not come to its end. The same list, if there is nothing to do.
 */
export function settleMessages(messages: ChatMessage[], stoppedByUser = false): ChatMessage[] {
  const settled = messages.map((message) => withParts(message, message.parts.map(settlePart)));
  const last = messages.at(-1);
  if (
    last?.role === 'assistant' &&
    last.parts.at(-1)?.type !== 'data-cut' &&
    (stoppedByUser || !isWhole(last))
  ) {
    const { parts } = settled.at(-1) as ChatMessage;
    const cut: ChatPart = { type: 'data-cut', data: { by: stoppedByUser ? 'user' : 'failure' } };
    settled[settled.length - 1] = { ...last, parts: [...parts, cut] };
  }
  return settled.every((message, at) => message === messages[at]) ? messages : settled;
}

function withParts(message: ChatMessage, parts: ChatPart[]): ChatMessage {
  return parts.every((part, at) => part === message.parts[at]) ? message : { ...message, parts };
}

/** Whether a reply came to its end, a text that is closed or a question to the user, or never began. */
function isWhole({ parts }: ChatMessage): boolean {
  const own = parts.filter((part) => !isDataUIPart(part));
  if (own.every(({ type }) => type === 'step-start')) return true;
  if (own.some((part) => isToolPart(part) && part.state === 'approval-requested')) return true;
  const last = own.at(-1);
  return last?.type === 'text' && last.state !== 'streaming';
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
  if (isDataUIPart(part)) return false;
  return !(isToolPart(part) && part.state === 'output-error' && part.errorText === cutText);
}
