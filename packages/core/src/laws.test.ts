import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ToolDefinition } from './grammar/tools.ts';
import { createAssembler } from './parse/assembler.ts';
import type { Channel, KimiEvent, KimiTurn } from './parse/events.ts';
import { createParser, type ParserOptions } from './parse/parser.ts';
import type { ToolCallPiece } from './parse/structured-calls.ts';

/** Runs of each property; the nightly setting asks for more. */
const numRuns = Number(process.env.KIMI_LAW_RUNS ?? 400);

/** Text of a channel, or a piece of a call that the server parsed. */
type Piece = readonly [Channel, string] | ToolCallPiece;

const tool = (
  name: string,
  properties: Record<string, unknown>,
  required: string[] = [],
): ToolDefinition => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties, required } },
});
const TOOLS = [
  tool('ping', { host: { type: 'string' } }, ['host']),
  tool('db.query', { sql: { type: 'string' }, limit: { type: 'integer' } }, ['sql']),
  tool('list-ports', {}),
];

const marker = fc
  .tuple(
    fc.constantFrom(
      'tool_calls_section_begin',
      'tool_calls_section_end',
      'tool_call_section_begin',
      'tool_call_section_end',
      'tool_call_begin',
      'tool_call_end',
      'tool_call_argument_begin',
      'im_end',
      'no_such_token',
    ),
    fc.constantFrom('', '', '', ' '),
    fc.constantFrom('', '', '', ' '),
  )
  .map(([name, left, right]) => `<|${left}${name}${right}|>`);

const id = fc
  .tuple(
    fc.constantFrom('functions.', 'functions.', '', 'functions_', 'functions'),
    fc.constantFrom(
      'ping',
      'db.query',
      'list-ports',
      'list_ports',
      'nope',
      'x.ping',
      '',
      '__proto__',
      'constructor',
    ),
    fc.constantFrom(':0', ':1', ':0', ':12', '', ':', ':x', '_0', '5', ':99999999999999999999'),
  )
  .map((parts) => parts.join(''));

const stringBody = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }).map((text) => JSON.stringify(text)),
  fc.constantFrom(
    '"a"',
    '"x<|tool_call_end|>y"',
    '"<|tool_call_end|><|tool_calls_section_end|>"',
    '"</think>"',
    '"a\nb"',
    '"open',
  ),
);
const json = fc.oneof(
  { weight: 4, arbitrary: stringBody.map((body) => `{"host":${body}}`) },
  { weight: 2, arbitrary: stringBody.map((body) => `{"sql": ${body}, "limit": 3 }`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '{}',
      '{"host":"a"',
      'null',
      '"{\\"host\\":\\"a\\"}"',
      '[1,2]',
      '12',
      '{"a":[{},[]],"b":-1.5e3}',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "{'host': 'a'}",
      '{"host":"a",}',
      '{"host":tru',
      '{"name":"ping","arguments":{"host":"b"}}',
    ),
  },
);

const prose = fc.oneof(
  fc.constantFrom(
    'Hello. ',
    'p',
    'functions.',
    'see functions.pi',
    ' ',
    '\n',
    '\n\n',
    '<',
    '<|',
    '<|tool_ca',
    '</thi',
    'ping',
    '\nping\n',
    'ping(',
    ')',
    '[EO',
    '[EOS]',
    'list',
    '\ud83d',
    '\ude80',
    '\u0000',
  ),
  fc.string({ unit: 'binary', maxLength: 5 }),
);
const quote = fc.constantFrom('`', '``', '\n```\n', '```sh\n');
const think = fc.constantFrom('<think>', '</think>', '<think>plan</think>');

const wellFormedCall = fc
  .tuple(id, json)
  .map(
    ([header, args]) => `<|tool_call_begin|>${header}<|tool_call_argument_begin|>${args}<|tool_call_end|>`,
  );
const section = fc
  .array(wellFormedCall, { maxLength: 3 })
  .map((calls) => `<|tool_calls_section_begin|>${calls.join('')}<|tool_calls_section_end|>`);
const stripped = fc.tuple(id, json).map((parts) => parts.join(''));
const xml = fc.constantFrom(
  '<function_calls>',
  '</function_calls>',
  '<invoke name="ping"><parameter name="host">a</parameter></invoke>',
  '<ping><host>a</host></ping>',
  '<ping>',
  'ping({"host":"a"})',
);

const fragment = fc.oneof(
  { weight: 4, arbitrary: marker },
  { weight: 3, arbitrary: section },
  { weight: 3, arbitrary: wellFormedCall },
  { weight: 3, arbitrary: prose },
  { weight: 2, arbitrary: stripped },
  { weight: 2, arbitrary: id },
  { weight: 2, arbitrary: json },
  { weight: 2, arbitrary: quote },
  { weight: 2, arbitrary: think },
  { weight: 1, arbitrary: xml },
);

const textPiece = fc.tuple(fc.constantFrom<Channel>('content', 'content', 'content', 'reasoning'), fragment);
const toolCallPiece: fc.Arbitrary<ToolCallPiece> = fc.record(
  {
    index: fc.constantFrom(0, 0, 1, 7),
    id: fc.constantFrom('', 'c1', 'c2', 'functions.ping:0'),
    name: fc.constantFrom('ping', 'pi', 'ng', 'db.query', 'list_ports', ''),
    arguments: fc.oneof(
      json,
      fc.constantFrom('', '{"ho', 'st":"a"}', '{"host":'),
      fc.constant({ host: 'a' }),
    ),
  },
  { requiredKeys: [] },
);
const pieces: fc.Arbitrary<Piece[]> = fc.array(
  fc.oneof({ weight: 9, arbitrary: textPiece }, { weight: 1, arbitrary: toolCallPiece }),
  { maxLength: 12 },
);

const options: fc.Arbitrary<ParserOptions> = fc.record({
  tools: fc.constantFrom(undefined, TOOLS),
  promptOpensThink: fc.boolean(),
  recoverTextCalls: fc.constantFrom('off', 'default', 'default', 'lenient'),
  toolChoice: fc.constantFrom('auto', 'auto', 'auto', 'none'),
  guidedJson: fc.constantFrom(false, false, false, true),
});
const finish = fc.constantFrom('stop', 'tool_calls', 'length', null);

const isText = (piece: Piece | undefined): piece is readonly [Channel, string] => Array.isArray(piece);

/** Neighbouring pieces of one channel joined. */
function join(given: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const piece of given) {
    const last = joined.at(-1);
    if (isText(piece) && isText(last) && last[0] === piece[0]) {
      joined[joined.length - 1] = [piece[0], last[1] + piece[1]];
    } else if (!isText(piece) || piece[1] !== '') joined.push(piece);
  }
  return joined;
}

/** Cuts the text; pieces of calls stay as they are. */
function cut(given: readonly Piece[], size: (at: number) => number): Piece[] {
  return given.flatMap((piece) => {
    if (!isText(piece)) return [piece];
    const [channel, text] = piece;
    const parts: Piece[] = [];
    for (let at = 0; at < text.length; ) {
      const length = Math.max(1, size(at));
      parts.push([channel, text.slice(at, at + length)]);
      at += length;
    }
    return parts;
  });
}

function run(
  given: readonly Piece[],
  settings: ParserOptions,
  reason: string | null,
): { turn: KimiTurn; events: KimiEvent[] } {
  const assembler = createAssembler();
  const events: KimiEvent[] = [];
  const parser = createParser({
    ...settings,
    onEvent(event) {
      events.push(event);
      assembler.push(event);
    },
  });
  for (const piece of given) {
    if (isText(piece)) parser.feed(piece[1], piece[0]);
    else parser.feedToolCall(piece);
  }
  parser.end(reason);
  return { turn: assembler.turn, events };
}

describe('laws', () => {
  test('chunking never shows', () => {
    fc.assert(
      fc.property(
        pieces,
        options,
        finish,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (given, settings, reason, sizes) => {
          const whole = join(given);
          const { turn } = run(whole, settings, reason);
          expect(
            run(
              cut(whole, () => 1),
              settings,
              reason,
            ).turn,
          ).toEqual(turn);
          let i = 0;
          expect(
            run(
              cut(whole, () => sizes[i++ % sizes.length] ?? 1),
              settings,
              reason,
            ).turn,
          ).toEqual(turn);
        },
      ),
      { numRuns },
    );
  });

  test('a started call ends once, its deltas are its arguments, and finish comes last', () => {
    fc.assert(
      fc.property(
        pieces,
        options,
        finish,
        fc.integer({ min: 1, max: 40 }),
        (given, settings, reason, size) => {
          const { turn, events } = run(
            cut(join(given), () => size),
            settings,
            reason,
          );
          const started = new Map<number, { deltas: string; ended: boolean }>();
          for (const event of events) {
            if (event.type === 'tool-call-start') {
              expect(event.index).toBe(started.size);
              expect(event.name).not.toBe('');
              started.set(event.index, { deltas: '', ended: false });
            } else if (event.type === 'tool-call-delta') {
              const call = started.get(event.index);
              expect(call?.ended).toBe(false);
              if (call) call.deltas += event.delta;
            } else if (
              event.type === 'tool-call-end' ||
              (event.type === 'tool-call-error' && event.index >= 0)
            ) {
              const call = started.get(event.index);
              expect(call?.ended).toBe(false);
              expect(call?.deltas).toBe(event.arguments);
              if (call) call.ended = true;
            }
          }
          expect([...started.values()].every((call) => call.ended)).toBe(true);
          expect(events.filter((event) => event.type === 'finish')).toHaveLength(1);
          expect(events.at(-1)?.type).toBe('finish');
          const ids = turn.toolCalls.map((call) => call.id);
          expect(new Set(ids).size).toBe(ids.length);
          if (settings.toolChoice === 'none') expect(turn.toolCalls).toEqual([]);
        },
      ),
      { numRuns },
    );
  });

  test('no marker shows in a visible delta, quotes apart', () => {
    const noQuote = pieces.map((given) =>
      given.map((piece): Piece => (isText(piece) ? [piece[0], piece[1].replaceAll('`', '')] : piece)),
    );
    fc.assert(
      fc.property(
        noQuote,
        options,
        finish,
        fc.integer({ min: 1, max: 40 }),
        (given, settings, reason, size) => {
          const { events } = run(
            cut(join(given), () => size),
            settings,
            reason,
          );
          for (const event of events) {
            if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
              expect(event.delta).not.toMatch(/<\| ?(tool_call|im_end)[a-z_]*? ?\|>|<\/?think>/);
            }
          }
        },
      ),
      { numRuns },
    );
  });

  test('no text is lost: without markup it comes out as it went in', () => {
    const text = fc.array(prose, { maxLength: 20 }).map((parts) => parts.join('').replace(/(\[EOS\])+$/, ''));
    fc.assert(
      fc.property(text, options, fc.integer({ min: 1, max: 9 }), (given, settings, size) => {
        fc.pre(!/<\| ?tool_call\S*$/.test(given) && !given.includes('ping('));
        const { turn } = run(
          cut([['content', given]], () => size),
          { ...settings, promptOpensThink: false },
          'stop',
        );
        expect(turn.content).toBe(given);
      }),
      { numRuns },
    );
  });
});
