import { getToolName, isToolUIPart } from 'ai';
import type { ChatPart } from '../agent/chat-message.ts';

/** A tool call as messages hold it. */
export type ToolPart = Extract<ChatPart, { toolCallId: string }>;

export function isToolPart(part: ChatPart): part is ToolPart {
  return isToolUIPart(part);
}

export function nameOf(part: ToolPart): string {
  return getToolName(part);
}

export type Tone = 'active' | 'waiting' | 'good' | 'bad' | 'quiet';

/** How a call is doing, in a word or two. */
export function describeState(part: ToolPart): { readonly label: string; readonly tone: Tone } {
  switch (part.state) {
    case 'input-streaming':
      return { label: 'Writing arguments', tone: 'active' };
    case 'input-available':
      return { label: 'Running', tone: 'active' };
    case 'approval-requested':
      return { label: 'Needs your approval', tone: 'waiting' };
    case 'approval-responded':
      return part.approval.approved
        ? { label: 'Approved', tone: 'active' }
        : { label: 'Refused', tone: 'quiet' };
    case 'output-available':
      return { label: 'Done', tone: 'good' };
    case 'output-denied':
      return { label: 'Refused', tone: 'quiet' };
    case 'output-error':
      return isUnread(part) ? { label: 'Never ran', tone: 'bad' } : { label: 'Failed', tone: 'bad' };
  }
}

/** Whether the arguments never became whole or could not be read: such a call did not run. */
export function isUnread(part: ToolPart): boolean {
  return part.state === 'output-error' && (part.type === 'dynamic-tool' || typeof part.input !== 'object');
}

/** The arguments, as JSON text while they grow and laid out once they are whole. */
export function showArguments(part: ToolPart): string {
  if (part.state === 'input-streaming') return part.rawInput ?? '';
  return part.input === undefined ? '' : show(part.input);
}

export function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** The arguments in one line, for the head of the card. */
export function summariseArguments(part: ToolPart): string {
  const { input } = part;
  if (typeof input !== 'object' || input === null) return '';
  return Object.values(input)
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .join(' · ');
}
