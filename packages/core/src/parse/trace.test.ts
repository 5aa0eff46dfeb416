import { chunkings, loadCases } from '@kimi-tc/testing';
import { expect, test } from 'vitest';
import type { KimiEvent } from './events.ts';
import { createParser, type ParserOptions } from './parser.ts';
import { createTracedParser, type Held, type TraceStep } from './trace.ts';

const CALL = '<|tool_call_begin|>functions.save:0<|tool_call_argument_begin|>{"a":"b"}<|tool_call_end|>';

function trace(deltas: readonly string[], options: ParserOptions = {}) {
  const steps: TraceStep[] = [];
  const held: Held[][] = [];
  const parser = createTracedParser({ ...options, onEvent() {}, onStep: (step) => steps.push(step) });
  for (const delta of deltas) {
    parser.feed(delta);
    held.push(parser.held());
  }
  parser.end('stop');
  return { steps, held };
}

const freshText = (steps: readonly TraceStep[]) =>
  steps.map(({ lexeme, seen, taken }) => lexeme.text.slice(seen, taken)).join('');

const placesOf = (steps: readonly TraceStep[]) =>
  steps.map(({ place, lexeme }) => [place.detail ?? place.state, lexeme.kind]);

for (const { id, topic, tools, options, input } of loadCases({ kinds: ['deltas'] })) {
  test(`${topic}/${id}: tracing changes nothing, and the steps are the whole text`, () => {
    const cuts = [...chunkings(input)].filter(({ chunking }) => chunking !== 'cut-in-two');
    for (const { input: cut } of cuts) {
      if (cut.kind !== 'deltas') throw new Error('not a reply');
      const settings = { ...options, tools } as ParserOptions;
      const plain: KimiEvent[] = [];
      const traced: KimiEvent[] = [];
      const steps: TraceStep[] = [];
      const parser = createParser({ ...settings, onEvent: (event) => plain.push(event) });
      const tracer = createTracedParser({
        ...settings,
        onEvent: (event) => traced.push(event),
        onStep: (step) => steps.push(step),
      });
      for (const [channel, delta] of cut.deltas) {
        parser.feed(delta, channel);
        tracer.feed(delta, channel);
        if (traced.length !== plain.length) expect(traced).toEqual(plain);
      }
      parser.end(cut.finishReason);
      tracer.end(cut.finishReason);
      expect(traced).toEqual(plain);
      expect(freshText(steps)).toBe(cut.deltas.map(([, text]) => text).join(''));
      expect(tracer.held()).toEqual([]);
    }
  });
}

test('each lexeme has the state that reads it', () => {
  const { steps } = trace([
    `<think>Hm.</think>\n<|tool_calls_section_begin|>${CALL}<|tool_calls_section_end|>`,
  ]);
  expect(placesOf(steps)).toEqual([
    ['text', 'think-open'],
    ['thought', 'text'],
    ['thought', 'think-close'],
    ['text', 'text'],
    ['text', 'section-begin'],
    ['section', 'call-begin'],
    ['header', 'text'],
    ['header', 'argument-begin'],
    ['arguments', 'text'],
    ['behind', 'call-end'],
    ['section', 'section-end'],
  ]);
  expect(steps.at(-1)?.next).toEqual({ state: 'text' });
});

test('backticks directly in front of a marker count', () => {
  const { steps } = trace(['`<think>` `</think>`', '<think>']);
  expect(placesOf(steps)).toEqual([
    ['text', 'text'],
    ['quote', 'think-open'],
    ['quote', 'text'],
    ['quote', 'think-close'],
    ['quote', 'text'],
    ['text', 'think-open'],
  ]);
});

test('what is on trial is held, then read again', () => {
  const { steps, held } = trace(['```\n', CALL.slice(0, 40), CALL.slice(40), ' no']);
  expect(held[2]).toEqual([{ reason: 'quoted-calls', length: CALL.length }]);
  const refused = steps.find(({ taken }) => taken === 0);
  expect(refused?.lexeme.text).toBe(' no');
  expect(steps.filter(({ seen }) => seen > 0).every(({ place }) => place.detail === 'quote')).toBe(true);
});

test('text in the middle takes the short way', () => {
  const { steps } = trace(['Plain ', 'words, ', CALL.slice(0, 70), 'more', CALL.slice(71)]);
  expect(steps.filter(({ short }) => short).map(({ lexeme }) => lexeme.text)).toEqual([
    'Plain ',
    'words, ',
    'more',
  ]);
});

const offered = {
  tools: [
    { type: 'function', function: { name: 'save', parameters: { type: 'object', properties: { a: {} } } } },
  ],
} as const;

test.each<[name: string, delta: string, held: Held[], options?: ParserOptions]>([
  ['a beginning of a marker', 'a <|tool', [{ reason: 'marker', length: 6 }]],
  ['a header', '<|tool_call_begin|>functions.s', [{ reason: 'header', length: 11 }]],
  ['text of a section', '<|tool_calls_section_begin|>so', [{ reason: 'section-text', length: 2 }]],
  ['white space in front', ' \n', [{ reason: 'white-space', length: 2 }]],
  ['a possible id', 'See functions.sa', [{ reason: 'possible-id', length: 12 }]],
  [
    'a possible call',
    'So\nsave({"a"',
    [{ reason: 'text-call', length: 9 }],
    {
      ...offered,
      recoverTextCalls: 'lenient',
    },
  ],
  ['white space in arguments', `${CALL.slice(0, 63)}{ `, [{ reason: 'argument-space', length: 1 }]],
  ['a value that is no object yet', `${CALL.slice(0, 63)}"{`, [{ reason: 'unsettled-value', length: 2 }]],
  [
    'behind a possible end',
    `${CALL.slice(0, 63)}{"a":"b<|tool_call_end|>`,
    [{ reason: 'possible-end', length: 17 }],
  ],
  [
    'a call without a name',
    '<|tool_call_begin|>0<|tool_call_argument_begin|>{"a"',
    [{ reason: 'unnamed-call', length: 4 }],
    offered,
  ],
  ['a list of calls', '[{"name"', [{ reason: 'guided-json', length: 8 }], { ...offered, guidedJson: true }],
])('held: %s', (_, delta, held, options) => {
  expect(trace([delta], options).held[0]).toEqual(held);
});
