import { examineReply } from '../examine-reply.ts';
import type { Probe } from '../probe.ts';
import { tools } from '../tools.ts';
import { ask, asStream } from './messages.ts';

export const parallelCalls: Probe = {
  name: 'parallel-calls',
  asks: 'two calls in one turn',
  requests: [
    asStream(
      ask('Call get_weather for Paris and get_weather for Oslo, both in this turn, before you answer.', {
        tools,
      }),
    ),
  ],
  judge([reply], context) {
    const findings = reply ? examineReply(reply, context) : [];
    const count = reply?.chat?.calls.length ?? 0;
    const isOpen = findings.length === 0 && count < 2;
    return { findings, inconclusive: isOpen ? `the model made ${count} calls` : undefined };
  },
};
