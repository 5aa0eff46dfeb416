import { textOf } from '../../json.ts';
import { excerpt } from '../faults.ts';
import type { Probe } from '../probe.ts';

export const errorShape: Probe = {
  name: 'error-shape',
  asks: 'the error for a request that is none',
  requests: [{ messages: 'none' }],
  judge([reply]) {
    const { failure } = reply ?? {};
    if (!failure) return { findings: [], inconclusive: 'the request was taken' };
    if (failure.kind !== 'status') return { findings: [], inconclusive: failure.message };
    if (failure.isHtml || textOf(failure.error?.message) === '') {
      return {
        findings: [{ code: 'errors-unreadable', detail: excerpt(`${failure.status}: ${failure.message}`) }],
      };
    }
    return { findings: [] };
  },
};
