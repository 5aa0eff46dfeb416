import type { Step } from './group-steps.ts';
import { isToolPart, isUnread } from './tool-part.ts';

const special = /<\|[^|<>]{1,40}\|>/;
const thinkTag = /<\/?think>/;

/** What a user without kimi-tc would notice of one reply. Empty: nothing. */
export function compareReplies({ parts, plain }: Step): readonly string[] {
  if (!plain || plain.finishReason === undefined) return [];
  const found: string[] = [];
  const text = plain.blocks.map((block) => (block.kind === 'text' ? block.text : '')).join('');
  const thought = plain.blocks.map((block) => (block.kind === 'reasoning' ? block.text : '')).join('');
  const calls = plain.blocks.filter(({ kind }) => kind === 'call');
  const whole = parts.filter((part) => isToolPart(part) && !isUnread(part));

  if (plain.blocks.some(({ kind }) => kind === 'error')) found.push('The provider reports an error.');
  if (calls.length < whole.length) {
    found.push(
      calls.length === 0
        ? 'No tool call is seen: nothing runs, and the agent stops here.'
        : `Only ${calls.length} of ${whole.length} tool calls are seen.`,
    );
  }
  if (calls.length > whole.length && whole.length > 0) found.push('Calls are seen that nobody made.');
  if (calls.some(({ text: json }) => !isJson(json))) found.push('The arguments of a call are not JSON.');
  if (special.test(text)) found.push('Special tokens are shown to the user.');
  if (thinkTag.test(text)) found.push('The thought is part of the answer.');
  if (special.test(thought)) found.push('The call is hidden in the thought.');
  const said = parts.some(({ type }) => type === 'text');
  if (said && text.trim() === '' && calls.length === 0) found.push('The answer is missing.');
  const runs = plain.finishReason === 'tool-calls' || plain.finishReason === 'stop';
  if (calls.length > 0 && !runs)
    found.push(`The calls do not run: the finish reason is ${plain.finishReason}.`);
  return found;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
