import type { Channel, ParserOptions, ToolCallPiece, ToolDefinition } from '@kimi-tc/core';
import fc from 'fast-check';
import { isText, type Piece, type Reply } from './reply.ts';

// Replies as models and servers write them, part by part, and then broken: markers dropped, repeated, swapped,
// cut, inserted and written in another case, with control characters, lone surrogates and the markup of other
// engines in between, JSON that is wrong in many ways, and calls that the server parsed itself among the text.

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

const TOOLS = [
  toolOf('ping', { host: { type: 'string' } }, ['host']),
  toolOf('db.query', { sql: { type: 'string' }, limit: { type: 'integer' } }, ['sql']),
  toolOf('list-ports', {}),
];
/** Names that contain, resemble or continue each other, and schemas that say little. */
const CONFUSABLE_TOOLS = [
  toolOf('ping', { host: {} }),
  toolOf('ping_v2', { host: {} }, ['host']),
  toolOf('ping-v2', {}),
  toolOf('x.ping', { count: { type: ['integer', 'string'] } }),
  tool('ping5'),
  tool('a+b(c)*'),
  tool('query', { properties: null, required: 'sql' }),
];
const HOSTILE_TOOLS = HOSTILE_NAMES.map((name) => toolOf(name, { [name]: { type: 'string' } }, [name]));

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
const marker = fc
  .tuple(fc.constantFrom(...BAR_NAMES), space, space)
  .map(([name, left, right]) => `<|${left}${name}${right}|>`);
const think = fc.constantFrom('<think>', '</think>');
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
const wrappedObject = fc
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

const PROSE = [
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
const prose = fc.oneof(fc.constantFrom(...PROSE), fc.string({ unit: 'binary', maxLength: 5 }));

/** Control characters, halves of pairs, and what looks like nothing. */
const UNSEEN = [
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
const ALIEN = [
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

type Part = Piece;

const onContent = (...texts: string[]): Part[] => texts.map((text) => ['content', text]);
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
const fragment: fc.Arbitrary<Part[]> = fc.oneof(
  { weight: 16, arbitrary: fc.tuple(channel, texts).map(([of, all]) => all.map((text): Part => [of, text])) },
  { weight: 1, arbitrary: quote.map((text) => onContent(text)) },
  { weight: 2, arbitrary: structuredCall },
  { weight: 1, arbitrary: structuredPiece.map((piece): Part[] => [piece]) },
  { weight: 1, arbitrary: wrongPiece.map((piece): Part[] => [piece]) },
);

/** One thing done to a reply; places count modulo what is there. */
interface Mutation {
  kind:
    | 'drop'
    | 'repeat'
    | 'swap'
    | 'insert'
    | 'insert-inside'
    | 'cut-part'
    | 'cut-rest'
    | 'case'
    | 'channel';
  at: number;
  /** Another place, or a place inside of the part. */
  to: number;
  text: string;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom<Mutation['kind']>(
    'drop',
    'repeat',
    'swap',
    'insert',
    'insert-inside',
    'cut-part',
    'cut-rest',
    'case',
    'channel',
  ),
  at: fc.nat(999),
  to: fc.nat(999),
  text: fc.oneof(
    { weight: 4, arbitrary: marker },
    { weight: 2, arbitrary: think },
    { weight: 2, arbitrary: fc.constantFrom(...UNSEEN) },
    { weight: 1, arbitrary: fc.constantFrom(...ALIEN) },
    { weight: 1, arbitrary: fc.constantFrom(...PROSE) },
    { weight: 1, arbitrary: fc.constantFrom('"', '\\', '\\"', ',', ':', '[', '{"', '"}') },
  ),
});

function mutate(parts: readonly Part[], { kind, at, to, text }: Mutation): Part[] {
  if (parts.length === 0) return onContent(text);
  const place = at % parts.length;
  const part = parts[place] as Part;
  const other = to % parts.length;
  const put = (...instead: Part[]) => [...parts.slice(0, place), ...instead, ...parts.slice(place + 1)];
  switch (kind) {
    case 'drop':
      return put();
    case 'repeat':
      return put(part, part);
    case 'swap':
      return parts.map((each, i) => (i === place ? (parts[other] as Part) : i === other ? part : each));
    case 'insert':
      return put([isText(part) ? part[0] : 'content', text], part);
    case 'cut-rest':
      return parts.slice(0, place + 1);
  }
  if (!isText(part)) return [...parts];
  const [of, written] = part;
  const inside = to % (written.length + 1);
  switch (kind) {
    case 'insert-inside':
      return put([of, written.slice(0, inside) + text + written.slice(inside)]);
    case 'cut-part':
      return put([of, to % 2 === 0 ? written.slice(0, inside) : written.slice(inside)]);
    case 'case':
      return put([
        of,
        to % 2 === 0 ? written.toUpperCase() : written.slice(0, inside) + written.slice(inside).toUpperCase(),
      ]);
    case 'channel':
      return put([of === 'content' ? 'reasoning' : 'content', written]);
  }
}

const options: fc.Arbitrary<ParserOptions> = fc.record({
  model: fc.constantFrom(undefined, 'kimi-k2-thinking', 'kimi-k2.6'),
  tools: fc.constantFrom(undefined, [], TOOLS, TOOLS, TOOLS, CONFUSABLE_TOOLS, HOSTILE_TOOLS, [
    { type: 'web_search' },
    ...TOOLS,
  ]),
  toolChoice: fc.constantFrom<ParserOptions['toolChoice']>(
    undefined,
    'auto',
    'required',
    { name: 'ping' },
    'none',
  ),
  promptOpensThink: fc.boolean(),
  recoverTextCalls: fc.constantFrom<ParserOptions['recoverTextCalls']>(
    undefined,
    'off',
    'default',
    'lenient',
  ),
  guidedJson: fc.constantFrom(false, false, false, true),
  takenToolCallIds: fc.constantFrom(undefined, ['functions.ping:0', 'functions.ping:1', 'c1', '__proto__']),
  limits: fc.constantFrom(undefined, undefined, undefined, { maxArgumentsLength: 12 }, { maxToolCalls: 2 }),
});

const guided = fc
  .array(wrappedObject, { minLength: 1, maxLength: 3 })
  .map((objects) => onContent(...(objects.length === 1 ? objects : [`[${objects.join(', ')}]`])));

function unquote(parts: readonly Part[]): Part[] {
  return parts.map((part) => (isText(part) ? [part[0], part[1].replaceAll('`', '')] : part));
}

/** @param length parts of a reply, at most about three times as many */
function repliesOf(length: number): fc.Arbitrary<Reply> {
  const parts = fc.oneof(
    { weight: 19, arbitrary: fc.array(fragment, { maxLength: length }).map((all) => all.flat()) },
    { weight: 1, arbitrary: guided },
  );
  return fc
    .record({
      parts,
      mutations: fc.array(mutation, { maxLength: 4 }),
      quoted: fc.boolean(),
      options,
      finishReason: fc.constantFrom('stop', 'tool_calls', 'length', 'content_filter', 'odd', '', null),
    })
    .map(({ parts: whole, mutations, quoted, ...rest }) => {
      const broken = mutations.reduce<Part[]>(mutate, whole);
      return { ...rest, pieces: quoted ? broken : unquote(broken) };
    });
}

/** Anything a server may send. */
export const replies: fc.Arbitrary<Reply> = repliesOf(8);

/** Lengths of pieces to cut a reply into. */
export const sizes: fc.Arbitrary<number[]> = fc.array(fc.integer({ min: 1, max: 9 }), {
  minLength: 1,
  maxLength: 6,
});

/** Text without markup, quotes and calls, as the model means it to be seen. */
export const plainText: fc.Arbitrary<string> = fc
  .array(prose, { maxLength: 20 })
  .map((all) => all.join('').replace(/(\[EOS\])+$/, ''))
  .filter((text) => !/<\| ?tool_call[^>]*$|ping\(|<\| ?tool_call_begin ?\|>|`/.test(text));
