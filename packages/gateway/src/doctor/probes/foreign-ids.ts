import type { Reply } from '../endpoint.ts';
import { excerpt } from '../faults.ts';
import type { Probe } from '../probe.ts';
import { asStream, continueWeather } from './messages.ts';

/** The same conversation with ids as the model knows them, and as other servers give them. */
export const foreignIds: Probe = {
  name: 'foreign-ids',
  asks: 'a history with ids of another form',
  requests: [
    asStream(continueWeather('functions.get_weather:0')),
    asStream(continueWeather('call_9f31c0de8a24')),
  ],
  judge([native, foreign]) {
    if (!native?.chat || !foreign) return { findings: [], inconclusive: 'no answer to compare with' };
    const { status = 0, message = '' } = foreign.failure ?? {};
    if (status >= 400 && status < 500 && status !== 429) {
      return { findings: [{ code: 'foreign-ids-refused', detail: excerpt(message) }] };
    }
    if (!foreign.chat) return { findings: [], inconclusive: 'no answer' };
    if (!isEmpty(foreign)) return { findings: [] };
    if (isEmpty(native)) return { findings: [], inconclusive: 'the turn is empty with native ids, too' };
    return { findings: [{ code: 'foreign-ids-end-turn', detail: 'a thought alone' }] };
  },
};

function isEmpty({ chat, broken }: Reply): boolean {
  if (!chat || broken || chat.error !== undefined || chat.finishReasons.includes('length')) return false;
  const raw = /<\/think>|<\|/.test(chat.reasoningContent + chat.reasoning);
  return chat.calls.length === 0 && chat.content.trim() === '' && !raw;
}
