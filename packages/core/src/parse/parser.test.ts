import { describe, expect, test } from 'vitest';
import type { ToolDefinition } from '../grammar/tools.ts';
import { KimiError } from '../kimi-error.ts';
import type { KimiEvent } from './events.ts';
import { parse } from './parse.ts';
import { createParser, type ParserOptions } from './parser.ts';
import type { ToolCallPiece } from './structured-calls.ts';

const BEGIN = '<|tool_calls_section_begin|><|tool_call_begin|>';
const ARGS = '<|tool_call_argument_begin|>';
const END = '<|tool_call_end|><|tool_calls_section_end|>';
const call = (header: string, args: string) => `${BEGIN}${header}${ARGS}${args}${END}`;
const tool = (name: string, ...keys: string[]): ToolDefinition => ({
  type: 'function',
  function: {
    name,
    parameters: { type: 'object', properties: Object.fromEntries(keys.map((key) => [key, {}])) },
  },
});

function collect(options: ParserOptions = {}) {
  const events: KimiEvent[] = [];
  return { events, parser: createParser({ ...options, onEvent: (event) => events.push(event) }) };
}

describe('wrong use', () => {
  const onEvent = () => {};
  test.each([
    ['onEvent', { onEvent: undefined }],
    ['model', { onEvent, model: 7 }],
    ['model', { onEvent, model: { grammar: 'k9' } }],
    ['tools', { onEvent, tools: 'ping' }],
    ['tools[1]', { onEvent, tools: [tool('ping'), null] }],
    ['tools[0].function.name', { onEvent, tools: [{ type: 'function', function: { name: '' } }] }],
    ['toolChoice', { onEvent, toolChoice: 'maybe' }],
    ['promptOpensThink', { onEvent, promptOpensThink: 'yes' }],
    ['recoverTextCalls', { onEvent, recoverTextCalls: 'always' }],
    ['guidedJson', { onEvent, guidedJson: 1 }],
    ['takenToolCallIds', { onEvent, takenToolCallIds: 'c1' }],
    ['limits', { onEvent, limits: 5 }],
    ['limits.maxToolCalls', { onEvent, limits: { maxToolCalls: 0 } }],
    ['limits.maxArgumentsLength', { onEvent, limits: { maxArgumentsLength: 1.5 } }],
  ])('a wrong %s is named', (option, options) => {
    const attempt = () => createParser(options as unknown as Parameters<typeof createParser>[0]);
    expect(attempt).toThrow(KimiError);
    expect(attempt).toThrow(expect.objectContaining({ option }));
  });

  test('feeding what is no text, no channel, or behind the end is refused', () => {
    const { parser } = collect();
    expect(() => parser.feed(undefined as unknown as string)).toThrow(/delta: expected a string/);
    expect(() => parser.feed('a', 'answer' as 'content')).toThrow(
      /channel: expected 'content' or 'reasoning'/,
    );
    expect(() => parser.feedToolCall(null as unknown as object)).toThrow(/piece: expected an object/);
    parser.end('stop');
    expect(() => parser.feed('a')).toThrow(/call reset\(\)/);
    expect(() => parser.feedToolCall({})).toThrow(/call reset\(\)/);
  });

  test('onEvent must not call the parser back', () => {
    for (const method of ['end', 'reset', 'feed'] as const) {
      let caught: unknown;
      const parser = createParser({
        onEvent() {
          try {
            parser[method]('more');
          } catch (error) {
            caught = error;
          }
        },
      });
      parser.feed('A');
      expect(caught).toEqual(expect.objectContaining({ name: 'KimiError', option: method }));
      parser.end('stop');
    }
  });

  test('what onEvent throws comes out, and reset begins anew', () => {
    let fails = true;
    const seen: KimiEvent[] = [];
    const parser = createParser({
      onEvent(event) {
        if (fails) throw new Error('disk full');
        seen.push(event);
      },
    });
    expect(() => parser.feed('A')).toThrow('disk full');
    expect(() => parser.feedToolCall({ index: 0, name: 'f', arguments: '{}' })).toThrow('disk full');
    fails = false;
    parser.reset();
    parser.feed('B');
    parser.end('stop');
    expect(seen.map(({ type }) => type)).toEqual(['text-delta', 'finish']);
  });

  test('what is no text, no option and no reason is refused everywhere', () => {
    expect(() => parse('a', null as never)).toThrow(/options: expected an object/);
    expect(() => parse('a', { finishReason: 5 as never })).toThrow(/finishReason: expected a string/);
    expect(() => collect({ takenToolCallIds: [5 as never] })).toThrow(/takenToolCallIds/);
    expect(() => collect({ limits: [] as never })).toThrow(/limits/);
    expect(() => collect({ toolChoice: { name: '' } })).toThrow(/toolChoice/);
  });

  test('a schema whose properties are null declares none', () => {
    const tools = [{ type: 'function', function: { name: 'ping', parameters: { properties: null } } }];
    const turn = parse(call('5', '{"host":"a"}'), { tools: tools as unknown as ToolDefinition[] });
    expect(turn.incompleteToolCalls).toMatchObject([{ reason: 'unresolved-tool' }]);
  });

  test('tools that are no functions are passed over', () => {
    const tools = [{ type: 'web_search' }, tool('ping', 'host')] as unknown as ToolDefinition[];
    expect(parse(call('5', '{"host":"a"}'), { tools }).toolCalls).toMatchObject([{ name: 'ping' }]);
  });
});

describe('the parser', () => {
  test('reports what is certain at once', () => {
    const { events, parser } = collect();
    parser.feed('Hi');
    expect(events).toEqual([{ type: 'text-delta', delta: 'Hi' }]);
    parser.feed(`${BEGIN}functions.f:0${ARGS}{"a":`);
    expect(events.slice(1)).toEqual([
      { type: 'tool-call-start', index: 0, id: 'functions.f:0', name: 'f', rawId: 'functions.f:0' },
      { type: 'tool-call-delta', index: 0, delta: '{"a":' },
    ]);
  });

  test('a problem stands at the id, also where white space follows it', () => {
    const section = '<|tool_calls_section_begin|>';
    const text = `${section}f:0 \n${ARGS}{} noise g:1  ${ARGS}{}<|tool_calls_section_end|>`;
    const { problems } = parse(text);
    const rewritten = problems.filter(({ code }) => code === 'id-rewritten');
    expect(rewritten.map(({ offset }) => text.slice(offset, offset + 3))).toEqual(['f:0', 'g:1']);
  });

  test('ends once, and starts anew after reset', () => {
    const { events, parser } = collect();
    parser.feed(`${BEGIN}functions.f:0${ARGS}{`);
    parser.end('length');
    parser.end('stop');
    expect(events.filter(({ type }) => type === 'finish')).toHaveLength(1);
    events.length = 0;
    parser.reset();
    parser.feed('plain');
    parser.end('stop');
    expect(events).toEqual([
      { type: 'text-delta', delta: 'plain' },
      { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' } },
    ]);
  });

  test('refuses calls and arguments beyond the limits, without holding them', () => {
    const two = call('functions.a:0', '{"k":"0123456789"}') + call('functions.b:1', '{}');
    const turn = parse(two, { limits: { maxArgumentsLength: 10, maxToolCalls: 1 } });
    expect(turn.toolCalls).toEqual([]);
    expect(turn.incompleteToolCalls.map(({ name, reason }) => [name, reason])).toEqual([
      ['a', 'limit-exceeded'],
      ['b', 'limit-exceeded'],
    ]);
    expect(parse(two, { limits: { maxArgumentsLength: 18, maxToolCalls: 2 } }).toolCalls).toHaveLength(2);
  });

  test('keeps as much as the limit lets it, however the arguments are cut', () => {
    for (const deltas of [['{"k":"0123456789"}'], [...'{"k":"0123456789"}']]) {
      const { events, parser } = collect({ limits: { maxArgumentsLength: 10 } });
      parser.feed(`${BEGIN}functions.a:0${ARGS}`);
      for (const delta of deltas) parser.feed(delta);
      parser.end('stop');
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'tool-call-error', arguments: '{"k":"0123' }),
      );
    }
  });

  test('an id of an earlier turn is not given again', () => {
    const takenToolCallIds = ['functions.f:0', 'functions.f:1', 'c1'];
    const { events, parser } = collect({ takenToolCallIds });
    parser.feed(call('functions.f:0', '{}'));
    parser.feedToolCall({ index: 0, id: 'c1', name: 'g', arguments: '{}' });
    parser.end('tool_calls');
    const ids = events.flatMap((event) => (event.type === 'tool-call-end' ? [event.id] : []));
    expect(ids[0]).toBe('functions.f:2');
    expect([...takenToolCallIds, ids[0]]).not.toContain(ids[1]);
    const codes = events.flatMap((event) => (event.type === 'problem' ? [event.code] : []));
    expect(codes).toEqual(['id-rewritten', 'id-rewritten']);
  });
});

describe('calls without all of their markers', () => {
  const tools = [tool('ping', 'host'), tool('scan', 'net')];
  const names = (text: string, options: ParserOptions = { tools }) =>
    parse(text, options).toolCalls.map(({ id }) => id);

  test.each([
    [
      'a section, call ends and begins missing',
      '<|tool_calls_section_begin|>functions.ping:0<|tool_call_argument_begin|>{"host":"a"}functions.scan:1<|tool_call_argument_begin|>{"net":"b"}<|tool_calls_section_end|>',
    ],
    [
      'a section, glued without any inner marker',
      '<|tool_calls_section_begin|>functions.ping:0{"host":"a"}functions.scan:1{"net":"b"}<|tool_calls_section_end|>',
    ],
    [
      'bare, the second token-stripped',
      '<|tool_call_begin|>functions.ping:0<|tool_call_argument_begin|>{"host":"a"}functions.scan:1{"net":"b"}',
    ],
    [
      'bare, the second with its argument marker',
      '<|tool_call_begin|>functions.ping:0<|tool_call_argument_begin|>{"host":"a"} scan:1<|tool_call_argument_begin|>{"net":"b"}',
    ],
  ])('%s: no call is lost behind another', (_, text) => {
    expect(names(text)).toEqual(['functions.ping:0', 'functions.scan:1']);
  });

  test('what only looks like an id behind a call is dropped and reported', () => {
    const turn = parse(call('functions.ping:0', '{"host":"a"} then functions.nope {1}'), { tools });
    expect(turn.toolCalls).toHaveLength(1);
    expect(turn.problems.map(({ code }) => code)).toEqual(['arguments-repaired']);
  });
});

describe('calls that the server parsed', () => {
  function turnOf(
    pieces: Parameters<ReturnType<typeof createParser>['feedToolCall']>[0][],
    reason: string | null = 'tool_calls',
  ) {
    const { events, parser } = collect();
    for (const piece of pieces) parser.feedToolCall(piece);
    parser.end(reason);
    return events;
  }

  test('stream their arguments', () => {
    const { events, parser } = collect();
    parser.feedToolCall({ index: 0, id: 'c1', name: 'f', arguments: '' });
    parser.feedToolCall({ index: 0, arguments: '{"a"' });
    expect(events).toEqual([
      { type: 'tool-call-start', index: 0, id: 'c1', name: 'f', rawId: 'c1' },
      { type: 'tool-call-delta', index: 0, delta: '{"a"' },
    ]);
  });

  test('start in the order they appeared', () => {
    const events = turnOf([
      { index: 3, id: 'c1', name: 'f' },
      { index: 4, id: 'c2', name: 'g', arguments: '{}' },
      { index: 3, arguments: '{}' },
    ]);
    expect(events.flatMap((event) => (event.type === 'tool-call-start' ? [event.id] : []))).toEqual([
      'c1',
      'c2',
    ]);
  });

  const lateWith = (own: ToolCallPiece): [ToolCallPiece[], [string, string][]] => [
    [
      { id: 'c1', name: 'f', arguments: '' },
      { index: 0, ...own, arguments: '{"a":' },
      { index: 0, arguments: '1}' },
      { index: 1, id: 'c2', name: 'f', arguments: '{}' },
    ],
    [
      ['c1', '{"a":1}'],
      ['c2', '{}'],
    ],
  ];

  test.each<[string, ToolCallPiece[], [string, string][]]>([
    ['with nothing else', ...lateWith({})],
    ['with its id', ...lateWith({ id: 'c1' })],
    ['with its id and its name', ...lateWith({ id: 'c1', name: 'f' })],
    ['with an id of its own', ...lateWith({ id: 'c9' })],
    [
      'goes to the calls in their order',
      [
        { id: 'c1', name: 'f' },
        { id: 'c2', name: 'g' },
        { index: 0, arguments: '{"a":' },
        { index: 1, arguments: '{"b":' },
        { index: 0, arguments: '1}' },
        { index: 1, arguments: '2}' },
      ],
      [
        ['c1', '{"a":1}'],
        ['c2', '{"b":2}'],
      ],
    ],
    [
      'comes with the name again',
      [
        { id: 'c1', name: 'f', arguments: '{"a"' },
        { index: 0, name: 'f', arguments: ':1}' },
      ],
      [['c1', '{"a":1}']],
    ],
    [
      'stays with its call when another one begins',
      [
        { id: 'c1', name: 'f' },
        { index: 0, arguments: '{"a":' },
        { id: 'c2', name: 'g' },
        { index: 0, arguments: '1}' },
        { index: 1, arguments: '{"b":2}' },
      ],
      [
        ['c1', '{"a":1}'],
        ['c2', '{"b":2}'],
      ],
    ],
    [
      'is none of a call that is whole',
      [
        { id: 'c1', name: 'f', arguments: '{"a":1}' },
        { index: 1, id: 'c2', name: '', arguments: '{"b":' },
        { index: 1, name: 'g', arguments: '2}' },
      ],
      [
        ['c1', '{"a":1}'],
        ['c2', '{"b":2}'],
      ],
    ],
  ])('an index that comes late %s', (_, pieces, expected) => {
    const events = turnOf(pieces);
    expect(
      events.flatMap((event) => (event.type === 'tool-call-end' ? [[event.id, event.arguments]] : [])),
    ).toEqual(expected);
  });

  test('without an index: a new id begins a call', () => {
    const events = turnOf([
      { id: 'c1', name: 'f', arguments: '{"a":' },
      { arguments: '1}' },
      { id: 'c2', name: 'f', arguments: '{}' },
    ]);
    expect(
      events.flatMap((event) => (event.type === 'tool-call-end' ? [[event.id, event.arguments]] : [])),
    ).toEqual([
      ['c1', '{"a":1}'],
      ['c2', '{}'],
    ]);
  });

  test.each([
    [
      'a name begins a call where the last one is whole',
      [
        { name: 'f', arguments: '{"a":1}' },
        { name: 'f', arguments: '{"a":2}' },
      ],
      ['{"a":1}', '{"a":2}'],
    ],
    [
      'the same name goes on with a call that is not whole',
      [
        { name: 'f', arguments: '{"a"' },
        { name: 'f', arguments: ':1}' },
      ],
      ['{"a":1}'],
    ],
    [
      'another name begins a call in any case',
      [
        { name: 'f', arguments: '{"a"' },
        { name: 'g', arguments: '{"b":2}' },
      ],
      ['{"a"', '{"b":2}'],
    ],
    [
      'an empty name begins none',
      [
        { name: 'f', arguments: '{"a":1}' },
        { name: '', arguments: ' ' },
      ],
      ['{"a":1}'],
    ],
    [
      'pieces of one id belong together',
      [
        { id: 'c1', name: 'f', arguments: '{"a"' },
        { id: 'c2', name: 'g', arguments: '{"b":2}' },
        { id: 'c1', arguments: ':1}' },
      ],
      ['{"a":1}', '{"b":2}'],
    ],
    [
      'under one index a new id and a name behind a whole call begin the next one',
      [
        { index: 0, id: 'c1', name: 'f', arguments: '{"a":1}' },
        { index: 0, id: 'c2', name: 'f', arguments: '' },
        { index: 0, arguments: '{"a"' },
        { index: 0, id: 'c3', name: 'f', arguments: ':2}' },
        { index: 0, id: 'c4', name: 'f', arguments: '{"a":3}' },
      ],
      ['{"a":1}', '{"a":2}', '{"a":3}'],
    ],
    [
      'under one index ids tell calls apart that come by turns',
      [
        { index: 0, id: 'c1', name: 'f', arguments: '{"a"' },
        { index: 0, id: 'c2', name: 'g', arguments: '{"b"' },
        { index: 0, id: 'c1', arguments: ':1}' },
        { index: 0, id: 'c2', arguments: ':2}' },
      ],
      ['{"a":1}', '{"b":2}'],
    ],
    [
      'under one index a call begins behind one that is no JSON',
      [
        { index: 0, id: 'c1', name: 'f', arguments: '{"a":oops}' },
        { index: 0, id: 'c2', name: 'g', arguments: '{}' },
      ],
      ['{"a":oops}', '{}'],
    ],
    [
      'a new id behind a whole call, with its name and no arguments, begins none',
      [
        { index: 0, id: 'c1', name: 'f', arguments: '{"a":1}' },
        { index: 0, id: 'c2', name: 'f', arguments: ' ' },
        { index: 1, id: 'c3', name: 'g', arguments: '{"b":2}' },
      ],
      ['{"a":1}', '{"b":2}'],
    ],
    [
      'an id that came with an index is known',
      [
        { index: 0, id: 'c1', name: 'f', arguments: '{"a"' },
        { index: 1, id: 'c2', name: 'g', arguments: '{"b":2}' },
        { id: 'c1', arguments: ':1}' },
      ],
      ['{"a":1}', '{"b":2}'],
    ],
    [
      'an id that comes later is known',
      [
        { index: 0, name: 'f' },
        { index: 1, id: 'c2', name: 'g', arguments: '{"b":2}' },
        { index: 0, id: 'c1', arguments: '{"a"' },
        { id: 'c1', arguments: ':1}' },
      ],
      ['{"a":1}', '{"b":2}'],
    ],
  ])('what belongs together: %s', (_, pieces, wanted) => {
    const ends = turnOf(pieces).flatMap((event) =>
      event.type === 'tool-call-end' || event.type === 'tool-call-error' ? [event.arguments] : [],
    );
    expect(ends).toEqual(wanted);
  });

  test('a name goes on behind whole arguments, as long as it is that of no tool', () => {
    const tools = ['get', 'get_time'].map((name) => ({ type: 'function' as const, function: { name } }));
    const read = (name: string) => {
      const { events, parser } = collect({ tools });
      parser.feedToolCall({ index: 0, id: 'a', name, arguments: '{}' });
      parser.feedToolCall({ index: 0, name: 'get_time'.slice(name.length) });
      parser.end('tool_calls');
      return events.flatMap((event) => (event.type === 'tool-call-end' ? [event.name] : []));
    };
    expect(read('get_ti')).toEqual(['get_time']);
    // Told already: what comes then is another call, and of no tool.
    expect(read('get')).toEqual(['get', '_time']);
  });

  test('report suppressed calls once', () => {
    const { events, parser } = collect({ toolChoice: 'none' });
    parser.feed(call('functions.f:0', '{}') + call('functions.g:0', '{}'));
    parser.end('tool_calls');
    expect(events.flatMap((event) => (event.type === 'problem' ? [event.code] : []))).toEqual([
      'call-suppressed',
      'empty-turn',
    ]);
  });

  test('get an id where they have none, and another where it repeats', () => {
    const events = turnOf([
      { index: 0, id: 'x', name: 'f', arguments: '{}' },
      { index: 1, id: 'x', name: 'f', arguments: '{"b":1}' },
      { index: 2, name: 'f', arguments: '{"c":1}' },
    ]);
    const ids = events.flatMap((event) => (event.type === 'tool-call-end' ? [event.id] : []));
    expect(ids[0]).toBe('x');
    expect(new Set(ids).size).toBe(3);
  });

  test.each([
    ['text first', true],
    ['structure first', false],
  ])('count once beside their twin in the text: %s', (_, textFirst) => {
    const { events, parser } = collect();
    const text = () => parser.feed(call('functions.f:0', '{"a": 1}') + call('functions.f:1', '{"a":2}'));
    if (textFirst) text();
    parser.feedToolCall({ index: 0, id: 'c1', name: 'f', arguments: '{"a":1}' });
    if (!textFirst) text();
    parser.end('tool_calls');
    const ends = events.flatMap((event) => (event.type === 'tool-call-end' ? [event.arguments] : []));
    expect(ends.toSorted()).toEqual(textFirst ? ['{"a": 1}', '{"a":2}'] : ['{"a":1}', '{"a":2}']);
    expect(events.filter((event) => event.type === 'problem').map(({ code }) => code)).toEqual([
      'duplicate-call',
    ]);
  });

  test('data of the wrong type does no harm', () => {
    const events = turnOf([
      { index: '0', id: 5, name: {}, arguments: 7 } as unknown as object,
      { index: 1, id: null, name: null, arguments: null },
      { index: 2, name: 'f', arguments: ['a'] },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'finish' });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool-call-end', name: 'f', arguments: '["a"]' }),
    );
  });
});
