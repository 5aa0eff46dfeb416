import { examineReply } from '../examine-reply.ts';
import type { Probe } from '../probe.ts';
import { asStream, continueWeather } from './messages.ts';

const earlier = 'functions.get_weather:0';

export const nextTurn: Probe = {
  name: 'next-turn',
  asks: 'a call behind an earlier one: ids and their numbers',
  requests: [asStream(continueWeather(earlier))],
  judge([reply], context) {
    const findings = reply ? examineReply(reply, context, [earlier]) : [];
    const isOpen = findings.length === 0 && reply?.chat?.calls.length === 0;
    return { findings, inconclusive: isOpen ? 'the model did not call the tool' : undefined };
  },
};
