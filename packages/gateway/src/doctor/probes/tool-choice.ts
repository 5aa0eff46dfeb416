import { examineReply, toFinding } from '../examine-reply.ts';
import { excerpt } from '../faults.ts';
import type { Probe } from '../probe.ts';
import { tools } from '../tools.ts';
import { ask, asStream } from './messages.ts';

export const toolChoiceNone: Probe = {
  name: 'tool-choice-none',
  asks: 'an answer with tool_choice none',
  requests: [asStream(ask('What is the weather in Paris?', { tools, tool_choice: 'none' }))],
  judge([reply], context) {
    if (!reply) return { findings: [] };
    const findings = examineReply(reply, context);
    const [call] = reply.chat?.calls ?? [];
    return {
      findings: call ? [...findings, { code: 'tool-choice-ignored', detail: call.name }] : findings,
    };
  },
};

export const forcedTool: Probe = {
  name: 'forced-tool',
  asks: 'a call with tool_choice naming the tool',
  requests: [
    asStream(
      ask('Good morning!', { tools, tool_choice: { type: 'function', function: { name: 'get_weather' } } }),
    ),
  ],
  judge([reply]) {
    const { failure, chat, broken } = reply ?? {};
    const { status = 0, message = '' } = failure ?? {};
    if (failure && status >= 400 && status < 500 && status !== 429) {
      const { code } = toFinding(failure, '');
      return {
        findings: [
          { code: code === 'request-refused' ? 'forced-tool-refused' : code, detail: excerpt(message) },
        ],
      };
    }
    if (!chat || broken || chat.error !== undefined) return { findings: [], inconclusive: 'no whole answer' };
    if (chat.calls.length > 0) return { findings: [] };
    if (chat.finishReasons.includes('tool_calls')) {
      return { findings: [], inconclusive: 'the finish reason announces a call, which another probe tells' };
    }
    const text = chat.content + chat.reasoningContent + chat.reasoning;
    if (/<\|\s?tool_call|get_weather/.test(text)) {
      return { findings: [], inconclusive: 'the call stands in the text, which another probe tells' };
    }
    if (chat.content.trim() === '') return { findings: [], inconclusive: 'the turn is empty' };
    return { findings: [{ code: 'forced-tool-ignored', detail: excerpt(chat.content) }] };
  },
};
