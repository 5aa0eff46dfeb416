import type { Channel, ToolCallPiece, ToolDefinition } from '@kimi-tc/core';
import fc from 'fast-check';
import type { Piece } from './reply.ts';

// The parts of replies as models and servers write them: markers, ids and JSON, right and wrong in many ways, prose, the
// markup of other engines, and calls that the server parsed itself.

/** Names that every object has, or that look like something else. */
export const HOSTILE_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
  'length',
  'then',
  'toJSON',
  'functions',
  'null',
  '0',
] as const;

function tool(name: string, parameters?: unknown): ToolDefinition {
  return { type: 'function', function: { name, parameters: parameters as Record<string, unknown> } };
}

function toolOf(name: string, properties: Record<string, unknown>, required: string[] = []): ToolDefinition {
  return tool(name, { type: 'object', properties, required });
}

export const TOOLS = [
  toolOf('ping', { host: { type: 'string' } }, ['host']),
  toolOf('db.query', { sql: { type: 'string' }, limit: { type: 'integer' } }, ['sql']),
  toolOf('list-ports', {}),
];
/** Names that contain, resemble or continue each other, and schemas that say little. */
export const CONFUSABLE_TOOLS = [
  toolOf('ping', { host: {} }),
  toolOf('ping_v2', { host: {} }, ['host']),
  toolOf('ping-v2', {}),
  toolOf('x.ping', { count: { type: ['integer', 'string'] } }),
  tool('ping5'),
  tool('a+b(c)*'),
  tool('query', { properties: null, required: 'sql' }),
];
export const HOSTILE_TOOLS = HOSTILE_NAMES.map((name) =>
  toolOf(name, { [name]: { type: 'string' } }, [name]),
);

const BAR_NAMES = [
  'tool_calls_section_begin',
  'tool_calls_section_end',
  'tool_call_section_begin',
  'tool_call_section_end',
  'tool_call_begin',
  'tool_call_end',
  'tool_call_argument_begin',
  'im_end',
  'no_such_token',
] as const;
const space = fc.constantFrom('', '', '', ' ', '  ');
export const marker = fc
  .tuple(fc.constantFrom(...BAR_NAMES), space, space)
  .map(([name, left, right]) => `<|${left}${name}${right}|>`);
export const think = fc.constantFrom('<think>', '</think>');
const quote = fc.constantFrom('`', '``', '\n```\n', '```sh\n', '\n````\n');

const id = fc
  .tuple(
    fc.constantFrom(
      'functions.',
      'functions.',
      'functions.',
      '',
      'functions_',
      'functions',
      'functions(',
      ' functions . ',
    ),
    fc.constantFrom(
      'ping',
      'ping',
      'db.query',
      'list-ports',
      'list_ports',
      'ping_v2',
      'nope',
      'x.ping',
      '',
      'call_9f',
      ...HOSTILE_NAMES,
    ),
    fc.constantFrom(
      ':0',
      ':0',
      ':1',
      ':12',
      '',
      ':',
      ':x',
      '_0',
      '5',
      ' : 3 ',
      ':1.5',
      '):0',
      ':99999999999999999999',
    ),
  )
  .map((parts) => parts.join(''));

const stringText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }).map((text) => JSON.stringify(text)),
  fc.constantFrom(
    '"a"',
    '""',
    '"x<|tool_call_end|>y"',
    '"<|tool_call_end|><|tool_calls_section_end|>"',
    '"<|tool_call_end|> <|tool_call_begin|>functions.ping:0<|tool_call_argument_begin|>{}"',
    '"</think>"',
    '"a\nb\u0000"',
    '"```"',
    '"\\ud83d"',
    '"\ud83d"',
    '"\\u0022\\/"',
  ),
);
const key = fc.constantFrom('host', 'host', 'sql', 'limit', 'name', 'arguments', ...HOSTILE_NAMES);
const scalar = fc.oneof(
  stringText,
  fc.constantFrom(
    '0',
    '-1.5e3',
    '1E+400',
    '12345678901234567890',
    'true',
    'false',
    'null',
    '[]',
    '{}',
    '[[1,{"a":[]}]]',
  ),
);
const object = fc
  .array(fc.tuple(key, scalar, fc.constantFrom('', '', ' ', '\n\t')), { maxLength: 3 })
  .map((members) => `{${members.map(([name, value, gap]) => `${gap}"${name}":${gap}${value}`).join(',')}}`);
const encodedObject = object.map((text) => JSON.stringify(text));
export const wrappedObject = fc
  .tuple(fc.constantFrom('ping', 'nope', '__proto__'), fc.constantFrom('arguments', 'parameters'), object)
  .map(([name, member, text]) => `{"name":"${name}","${member}":${text}}`);

/** What models make of JSON. */
const BROKEN_JSON = [
  "{'host': 'a'}",
  '{"host":"a",}',
  '{"host":tru',
  '{"host":True}',
  '{"host":"a" "sql":"b"}',
  '{host:"a"}',
  '{"host":"a"',
  '{"host":"a',
  '{"host":"a"}}',
  '{"host":"a"}{"host":"b"}',
  '{"host":"a"} and so on',
  '{"host":NaN}',
  '{"host":01}',
  '{"host":1.}',
  '{"host":"\\x41"}',
  '{"host":"\\u12"}',
  '{/* why */"host":1}',
  '{"host":"a"};',
  '\ufeff{"host":"a"}',
  '```json\n{"host":"a"}\n```',
  '[1,2]',
  '12',
  '-',
  'null',
  'nul',
  '"plain"',
  '',
  '   ',
] as const;
const json = fc.oneof(
  { weight: 6, arbitrary: object },
  { weight: 1, arbitrary: encodedObject },
  { weight: 1, arbitrary: wrappedObject },
  { weight: 2, arbitrary: fc.constantFrom(...BROKEN_JSON) },
);

export const PROSE = [
  'Hello. ',
  'p',
  'functions.',
  'see functions.pi',
  ' ',
  '\n',
  '\n\n',
  '\r\n',
  '<',
  '<|',
  '|>',
  '<|tool_ca',
  '<| tool_call_begin',
  '</thi',
  'ping',
  '\nping\n',
  'ping(',
  ')',
  '{',
  '}',
  '[EO',
  '[EOS]',
  'list',
] as const;
export const prose = fc.oneof(fc.constantFrom(...PROSE), fc.string({ unit: 'binary', maxLength: 5 }));

/** Control characters, halves of pairs, and what looks like nothing. */
export const UNSEEN = [
  '\u0000',
  '\u0008',
  '\u0018',
  '\u001b[0m',
  '\u007f',
  '\u0085',
  '\u00a0',
  '\u200b',
  '\u2028',
  '\ufeff',
  '\ufffd',
  '\ud83d',
  '\ude80',
] as const;

/** The markup of other engines and models. */
export const ALIEN = [
  '<tool_call>\n{"name":"ping","arguments":{"host":"a"}}\n</tool_call>',
  '<function=ping>\n<parameter=host>\na\n</parameter>\n</function>',
  '<function_calls>',
  '</function_calls>',
  '<invoke name="ping"><parameter name="host">a</parameter></invoke>',
  '<ping><host>a</host></ping>',
  '<ping>',
  'ping({"host":"a"})',
  '[TOOL_CALLS]ping{"host":"a"}',
  '<|python_tag|>',
  '<|channel|>commentary to=functions.ping <|message|>{"host":"a"}<|call|>',
  '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>ping',
  '<|open|>call tool="ping" index="1"<|sep|>',
  '<|im_start|>assistant',
  '<|eot_id|>',
] as const;

export type Part = Piece;

export const onContent = (...texts: string[]): Part[] => texts.map((text) => ['content', text]);
const call = fc
  .tuple(id, json)
  .map(([header, args]) => [
    '<|tool_call_begin|>',
    header,
    '<|tool_call_argument_begin|>',
    args,
    '<|tool_call_end|>',
  ]);
const section = fc
  .array(call, { maxLength: 3 })
  .map((calls) => ['<|tool_calls_section_begin|>', ...calls.flat(), '<|tool_calls_section_end|>']);
const strippedCall = fc.tuple(id, json).map(([header, args]) => [header, args]);
const thought = fc.tuple(prose, prose).map(([first, second]) => ['<think>', first, second, '</think>']);

const structuredPiece: fc.Arbitrary<ToolCallPiece> = fc.record(
  {
    index: fc.constantFrom(0, 0, 0, 1, 7, -1, 1e9),
    id: fc.constantFrom('', 'c1', 'c2', 'functions.ping:0', '__proto__', ' '),
    name: fc.constantFrom('ping', 'pi', 'ng', 'db.query', 'list_ports', 'nope', '', ...HOSTILE_NAMES),
    arguments: fc.oneof(
      json,
      fc.constantFrom('', '{"ho', 'st":"a"}', '{"host":'),
      fc.constantFrom({ host: 'a' }, {}, [], JSON.parse('{"__proto__":{"host":"a"}}'), 0, true),
    ),
  },
  { requiredKeys: [] },
);
/** Fields of the wrong type. */
const wrongPiece = fc.constantFrom(
  { index: '0', id: 5, name: {}, arguments: 7 },
  { index: null, id: null, name: null, arguments: null },
  { index: Number.NaN, name: 'ping', arguments: '{}' },
  { index: 1.5, name: ['ping'], arguments: ['{}'] },
  {},
) as fc.Arbitrary<ToolCallPiece>;
/** A call in several pieces, and perhaps its twin in the text. */
const structuredCall = fc
  .tuple(
    fc.constantFrom(0, 1, 2),
    fc.constantFrom('ping', 'db.query', 'nope'),
    object,
    fc.nat(30),
    fc.boolean(),
  )
  .map(([index, name, args, cut, twin]): Part[] => [
    { index, id: `c${index}`, name },
    { index, arguments: args.slice(0, cut) },
    { index, arguments: args.slice(cut) },
    ...(twin
      ? onContent(
          '<|tool_call_begin|>',
          `functions.${name}:${index}`,
          '<|tool_call_argument_begin|>',
          args,
          '<|tool_call_end|>',
        )
      : []),
  ]);

const texts: fc.Arbitrary<string[]> = fc.oneof(
  { weight: 5, arbitrary: section },
  { weight: 4, arbitrary: call },
  { weight: 4, arbitrary: prose.map((text) => [text]) },
  { weight: 2, arbitrary: marker.map((text) => [text]) },
  { weight: 2, arbitrary: strippedCall },
  { weight: 2, arbitrary: thought },
  { weight: 1, arbitrary: id.map((text) => [text]) },
  { weight: 1, arbitrary: think.map((text) => [text]) },
  { weight: 1, arbitrary: fc.constantFrom(...ALIEN).map((text) => [text]) },
);
const channel = fc.constantFrom<Channel>('content', 'content', 'content', 'content', 'reasoning');
export const fragment: fc.Arbitrary<Part[]> = fc.oneof(
  { weight: 16, arbitrary: fc.tuple(channel, texts).map(([of, all]) => all.map((text): Part => [of, text])) },
  { weight: 1, arbitrary: quote.map((text) => onContent(text)) },
  { weight: 2, arbitrary: structuredCall },
  { weight: 1, arbitrary: structuredPiece.map((piece): Part[] => [piece]) },
  { weight: 1, arbitrary: wrongPiece.map((piece): Part[] => [piece]) },
);
