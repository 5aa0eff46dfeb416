import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countWork } from './count-work.ts';
import { replies } from './replies.ts';
import { cutPieces, joinPieces, type Piece, play, type Reply, textOf } from './reply.ts';

const BEGIN = '<|tool_call_begin|>';
const ARGS = '<|tool_call_argument_begin|>';
const END = '<|tool_call_end|>';
const SECTION = '<|tool_calls_section_begin|>';

const TOOLS = ['ping', 'ping_v2', 'read_pdf'].map((name) => ({
  type: 'function' as const,
  function: { name, parameters: { properties: { host: {} } } },
}));

/** What has made parsers quadratic: a front, something to repeat, and an end. */
const FAMILIES: Record<string, readonly [front: string, repeated: string, end: string]> = {
  prose: ['', 'Hello there. ', ''],
  'white space': ['', ' \n', ''],
  'words that may become ids': ['', 'functions.functions.ping:', ''],
  'beginnings of markers': ['', '<|tool_call_', ''],
  braces: ['', '{', ''],
  'ids in front of braces': ['', 'functions.ping:0{', ''],
  'stripped calls': ['', 'functions.ping:0{"host":"a"}', ''],
  backticks: ['', '` `` ', ''],
  'a long header': [BEGIN, 'abc ', `${ARGS}{}${END}`],
  'an id of digits': [`${BEGIN}functions.ping:`, '9', `${ARGS}{}${END}`],
  'headers given up': ['', `${BEGIN}x`, ''],
  'noise in a section': [SECTION, 'a {b} ', ''],
  'braces in a section': [SECTION, 'functions.x:1 {', ''],
  'a long string': [`${BEGIN}functions.ping:0${ARGS}{"host":"`, 'abc\\n\n', `"}${END}`],
  'call ends in a string': [`${BEGIN}functions.ping:0${ARGS}{"host":"`, END, `"}${END}`],
  'call ends in a string that breaks': [`${BEGIN}functions.ping:0${ARGS}{"host":"`, `${END}${END}x`, '"oops'],
  'calls in a string that breaks': [
    `${BEGIN}functions.ping:0${ARGS}{"host":"`,
    `${END}${BEGIN}functions.ping:0${ARGS}{"host":"a`,
    '',
  ],
  'deep arguments': [`${BEGIN}functions.ping:0${ARGS}`, '{"a":[', END],
  'many members': [`${BEGIN}5${ARGS}{"host":1`, ',"host":1', `}${END}`],
  'text behind the value': [`${BEGIN}functions.ping:0${ARGS}{}`, ' functions.y {', END],
  'raw arguments': [`${BEGIN}functions.ping:0${ARGS}{]`, ` ${ARGS} x`, END],
  'equal ids': ['', `${BEGIN}functions.ping:0${ARGS}{}${END}`, ''],
  'calls in an open quote': ['```\n', `${BEGIN}functions.ping:0${ARGS}{}${END}`, ''],
  'begins in an open quote': ['```\n', `${BEGIN}functions.ping:0${ARGS}{}${END}${BEGIN}`, ' x'],
  'lenient openers': ['', '\nping({"host":', ''],
  'lenient elements': ['', '<ping><host>', ''],
  'lenient invokes': ['', '<invoke name="ping"><parameter name="host">', ''],
  'guided JSON': ['[', '{"name":"ping","arguments":{"host":"a"}},', ''],
  thoughts: ['', '<think>a</think>', ''],
};

function workOf(reply: Reply): number {
  return countWork('/core/src/', () => play(reply));
}

/** The work for 8 times what `times` 1 is must be near 8 times the work, however the text is cut. */
function expectLinear(make: (times: number) => Reply): void {
  for (const size of [Infinity, 1]) {
    const cut = (times: number): Reply => {
      const reply = make(times);
      return { ...reply, pieces: cutPieces(joinPieces(reply.pieces), () => size) };
    };
    const small = workOf(cut(1));
    const large = workOf(cut(8));
    expect(large / small, `in pieces of ${size}`).toBeLessThan(12);
  }
}

describe('eight times the text costs about eight times the work', () => {
  test.each(Object.entries(FAMILIES))('%s', (name, [front, repeated, end]) => {
    const options = {
      tools: TOOLS,
      recoverTextCalls: name.startsWith('lenient') ? ('lenient' as const) : ('default' as const),
      guidedJson: name.startsWith('guided'),
    };
    // Long enough that what is held at most is small beside it.
    const least = Math.ceil(2000 / repeated.length);
    expectLinear((times) => ({
      options,
      finishReason: 'stop',
      pieces: [['content', front + repeated.repeat(least * times) + end]],
    }));
  });

  test('structured calls', () => {
    expectLinear((times) => ({
      options: { tools: TOOLS },
      finishReason: 'tool_calls',
      pieces: Array.from({ length: 200 * times }, (_, index): Piece[] => [
        { index, id: `c${index}`, name: 'ping' },
        { index, arguments: '{"host":"a"}' },
        ['content', `${BEGIN}functions.ping:${index}${ARGS}{"host":"a"}${END}`],
      ]).flat(),
    }));
  });

  test('structured calls whose index comes late', () => {
    expectLinear((times) => {
      const calls = Array.from({ length: 200 * times }, (_, at) => at);
      return {
        options: { tools: TOOLS },
        finishReason: 'tool_calls',
        pieces: [
          ...calls.map((at): Piece => ({ id: `a${at}`, name: 'ping', arguments: '{}' })),
          ...calls.map((index): Piece => ({ index, id: `b${index}`, name: 'ping', arguments: '{}' })),
        ],
      };
    });
  });

  test('any reply, again and again', () => {
    fc.assert(
      fc.property(replies, (reply) => {
        const least = Math.ceil(1000 / (textOf(reply.pieces).length + 20 * reply.pieces.length + 1));
        expectLinear((times) => ({
          ...reply,
          pieces: Array(least * times)
            .fill(reply.pieces)
            .flat(),
        }));
      }),
      { numRuns: Math.ceil(Number(process.env.KIMI_LAW_RUNS ?? 400) / 80) },
    );
  });
});
