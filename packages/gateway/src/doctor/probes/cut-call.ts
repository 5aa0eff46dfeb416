import { textOf } from '../../json.ts';
import { examineArguments } from '../examine-arguments.ts';
import { examineReply } from '../examine-reply.ts';
import { excerpt, type Finding } from '../faults.ts';
import type { Probe } from '../probe.ts';
import { tools } from '../tools.ts';
import { ask, asStream } from './messages.ts';

export const cutCall: Probe = {
  name: 'cut-call',
  asks: 'a call that the token limit cuts',
  requests: [
    asStream(
      ask(
        'Call write_note at once, with the title "Numbers" and as text the numbers from one to two hundred in words.',
        {
          tools,
          max_tokens: 96,
        },
      ),
    ),
  ],
  judge([reply], context) {
    if (!reply) return { findings: [] };
    const { chat } = reply;
    const lies: Finding[] =
      reply.broken || !chat || chat.error !== undefined || chat.finishReasons.includes('length')
        ? []
        : chat.calls
            .filter((call) => examineArguments(call.arguments) === 'cut')
            .map((call) => ({ code: 'cut-call-as-complete', detail: excerpt(textOf(call.arguments)) }));
    const general = examineReply(reply, context).filter(
      ({ code }) => lies.length === 0 || code !== 'arguments-not-json',
    );
    const findings = [...lies, ...general];
    const wasCut = chat?.finishReasons.includes('length') && chat.calls.length > 0;
    return { findings, inconclusive: wasCut || findings.length > 0 ? undefined : 'no call was cut' };
  },
};
