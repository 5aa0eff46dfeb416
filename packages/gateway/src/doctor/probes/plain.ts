import { examineReply } from '../examine-reply.ts';
import type { Probe } from '../probe.ts';
import { ask, asStream } from './messages.ts';

const body = ask('Say hello in one short sentence.');

/** The gate: where this fails twice nothing else is asked. */
export const plain: Probe = {
  name: 'plain',
  asks: 'a short answer, streamed and not',
  requests: [asStream(body), body],
  judge: (replies, context) => ({ findings: replies.flatMap((reply) => examineReply(reply, context)) }),
};
