import { describe, expect, it } from 'vitest';
import { explainFailure } from './explain-failure.ts';
import { formatDuration } from './format-duration.ts';
import { splitMarkers } from './split-markers.ts';
import { toTitle } from './to-title.ts';

describe('toTitle', () => {
  const title = (text: string) => toTitle([{ id: '1', role: 'user', parts: [{ type: 'text', text }] }]);

  it('is the beginning of the first question, cut between words', () => {
    expect(title(' Order\n twelve ')).toBe('Order twelve');
    expect(title('Is it warmer in Lisbon or in Oslo tomorrow, and by how much?')).toBe(
      'Is it warmer in Lisbon or in Oslo tomorrow, and…',
    );
    expect(title('x'.repeat(60))).toBe(`${'x'.repeat(48)}…`);
    expect(toTitle([])).toBe('New conversation');
  });
});

it.each([
  [0, '0.1 s'],
  [420, '0.4 s'],
  [9_940, '9.9 s'],
  [9_960, '10 s'],
  [59_600, '1 min 0 s'],
  [125_000, '2 min 5 s'],
])('formats %i milliseconds', (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});

it('tells markers from text', () => {
  expect(splitMarkers('a<|tool_call_end|></think> b < c')).toEqual([
    { text: 'a', isMarker: false },
    { text: '<|tool_call_end|>', isMarker: true },
    { text: '</think>', isMarker: true },
    { text: ' b < c', isMarker: false },
  ]);
});

it('explains what useChat reports', () => {
  expect(explainFailure(new TypeError('Failed to fetch'))).toContain('cannot be reached');
  expect(explainFailure(new Error('<html>'))).toBe('Something failed on the server of this page.');
  expect(explainFailure(new Error('The server refuses the key.'))).toBe('The server refuses the key.');
});
