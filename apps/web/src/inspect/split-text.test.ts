import { expect, test } from 'vitest';
import type { Reply } from './reply.ts';
import { MOST_SHOWN, splitText, windowAround } from './split-text.ts';
import { traceReply } from './trace-reply.ts';

const CALL = '<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|>';

function segmentsOf(...deltas: string[]): [string, string][] {
  const reply: Reply = {
    deltas: deltas.map((text) => ({ channel: 'content', text })),
    finishReason: 'stop',
    tools: [],
    options: {},
  };
  const trace = traceReply(reply);
  const segments = splitText(trace, { from: 0, to: trace.text.length });
  expect(segments.filter(({ endsDelta }) => endsDelta).length).toBe(deltas.length);
  return segments.map(({ from, to, tone }) => [tone, trace.text.slice(from, to)]);
}

test('text is cut where a lexeme or a delta ends', () => {
  expect(segmentsOf('<think>Hm.</th', 'ink>So', ' it is.')).toEqual([
    ['marker', '<think>'],
    ['reasoning', 'Hm.'],
    ['marker', '</th'],
    ['marker', 'ink>'],
    ['text', 'So'],
    ['text', ' it is.'],
  ]);
});

test('a special token in a quote looks like the text that it is, and what was on trial as what it became', () => {
  expect(segmentsOf('`</think>` and `', '<think>')).toEqual([
    ['text', '`'],
    ['text', '</think>'],
    ['text', '` and `'],
    ['text', '<think>'],
  ]);
  expect(segmentsOf(`\`\`\`\n${CALL}`).map(([tone]) => tone)).toEqual([
    'text',
    'marker',
    'call',
    'marker',
    'call',
    'marker',
  ]);
});

test('of a long reply the part around a place is shown', () => {
  expect(windowAround(100, 50)).toEqual({ from: 0, to: 100 });
  expect(windowAround(100_000, 0)).toEqual({ from: 0, to: MOST_SHOWN });
  expect(windowAround(100_000, 99_999)).toEqual({ from: 100_000 - MOST_SHOWN, to: 100_000 });
  const { from, to } = windowAround(100_000, 50_000);
  expect(from).toBeLessThan(50_000);
  expect(to).toBeGreaterThan(50_000);
});
