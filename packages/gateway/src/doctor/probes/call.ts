import type { Reply } from '../endpoint.ts';
import { examineReply } from '../examine-reply.ts';
import type { Finding } from '../faults.ts';
import type { Probe } from '../probe.ts';
import type { Chat } from '../read-chat.ts';
import { tools } from '../tools.ts';
import { ask, asStream } from './messages.ts';

// Two lines: models write raw line breaks into arguments, and long ones show how they are streamed.
const body = ask(
  'Call write_note to save a note with the title "Groceries" and a text of two lines: the first line is "milk and bread", the second line is "a dozen eggs". Do nothing else.',
  { tools },
);

/** A call with several lines of arguments, and whether streaming changes it. */
export const call: Probe = {
  name: 'call',
  asks: 'a call with two lines of text, streamed and not',
  requests: [asStream(body), body],
  judge(replies, context) {
    const findings = [...replies.flatMap((reply) => examineReply(reply, context)), ...compareModes(replies)];
    const answersOnly = replies.every(({ chat }) => chat && placeOf(chat) === 'none');
    return {
      findings,
      inconclusive: answersOnly && findings.length === 0 ? 'the model did not call the tool' : undefined,
    };
  },
};

function compareModes(replies: readonly Reply[]): Finding[] {
  if (replies.some(({ broken, chat }) => broken || !chat || chat.error !== undefined)) return [];
  const shapes = replies.map(({ chat }) => describe(chat as Chat));
  const [streamed, whole] = shapes;
  // A model that calls once and not the other time says nothing about the server.
  if (shapes.some((shape) => shape?.startsWith('none')) || streamed === whole) return [];
  return [{ code: 'stream-differs', detail: `streamed: ${streamed}; not streamed: ${whole}` }];
}

/** Where the parts of a reply stand. */
function describe(chat: Chat): string {
  const thought = [chat.reasoningContent && 'reasoning_content', chat.reasoning && 'reasoning'];
  return [
    `calls in ${placeOf(chat)}`.replace('calls in none', 'none'),
    ...thought.filter(Boolean),
    ...new Set(chat.finishReasons),
  ].join(', ');
}

function placeOf({
  calls,
  content,
  reasoningContent,
  reasoning,
}: Chat): 'tool_calls' | 'content' | 'reasoning' | 'none' {
  const marker = /<\|\s?tool_call/;
  if (calls.length > 0) return 'tool_calls';
  if (marker.test(content)) return 'content';
  return marker.test(reasoningContent + reasoning) ? 'reasoning' : 'none';
}
