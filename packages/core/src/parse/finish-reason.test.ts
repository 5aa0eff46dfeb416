import { expect, test } from 'vitest';
import { deriveFinishReason, type TurnSummary } from './finish-reason.ts';

const EMPTY: TurnSummary = {
  complete: 0,
  incomplete: 0,
  suppressed: 0,
  openAtEnd: false,
  visible: false,
  reasoning: false,
};

test.each<[raw: string | undefined, turn: Partial<TurnSummary>, unified: string, ...problems: string[]]>([
  ['stop', { visible: true }, 'stop'],
  ['eos', { visible: true }, 'other'],
  ['error', { visible: true }, 'error'],
  ['toString', { visible: true }, 'other'],
  ['function_call', { complete: 1 }, 'tool-calls'],
  ['stop', { complete: 1 }, 'tool-calls'],
  ['eos', { complete: 1 }, 'tool-calls'],
  [undefined, { complete: 1 }, 'tool-calls'],
  ['length', { complete: 1 }, 'length'],
  ['content_filter', { complete: 1 }, 'content-filter'],
  ['tool_calls', { visible: true }, 'stop', 'missing-call'],
  ['function_call', { visible: true }, 'stop', 'missing-call'],
  ['tool_calls', { incomplete: 1 }, 'stop'],
  ['tool_calls', { suppressed: 1, visible: true }, 'stop'],
  ['tool_calls', { suppressed: 1, incomplete: 1 }, 'stop'],
  [undefined, { visible: true }, 'stop', 'stream-ended-early'],
  [undefined, { incomplete: 1, openAtEnd: true }, 'error', 'stream-ended-early'],
  ['stop', { incomplete: 1, openAtEnd: true }, 'stop'],
  ['stop', {}, 'stop', 'empty-turn'],
  ['stop', { reasoning: true }, 'stop', 'empty-turn'],
  ['length', {}, 'length', 'empty-turn'],
  ['length', { reasoning: true }, 'length', 'reasoning-exhausted-budget'],
  ['length', { reasoning: true, incomplete: 1 }, 'length'],
])('%s of a turn with %j', (raw, turn, unified, ...problems) => {
  const reported: string[] = [];
  const reason = deriveFinishReason(raw, { ...EMPTY, ...turn }, (code) => reported.push(code));
  expect({ reason, reported }).toEqual({ reason: { unified, raw }, reported: problems });
});
