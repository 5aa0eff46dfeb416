import { createParser, type KimiEvent, normalizeRequest, parse, type ToolDefinition } from '@kimi-tc/core';
import { describe, expect, test } from 'vitest';
import { HOSTILE_NAMES } from './k2-text.ts';

const BEGIN = '<|tool_call_begin|>';
const ARGS = '<|tool_call_argument_begin|>';
const END = '<|tool_call_end|>';
const call = (header: string, args: string) => `${BEGIN}${header}${ARGS}${args}${END}`;

function toolOf(name: string, property: string): ToolDefinition {
  return {
    type: 'function',
    function: { name, parameters: { type: 'object', properties: { [property]: {} }, required: [property] } },
  };
}

const PING = toolOf('ping', 'host');
const MEGABYTE = 1_000_000;

/** Whether a built-in object has been changed since. */
function watchPrototypes(): () => boolean {
  const prototypes = [Object, Array, String, Number, Map, Set, RegExp, Function].map(
    (of) => of.prototype as object,
  );
  const look = () => prototypes.map((prototype) => Reflect.ownKeys(prototype).map(String).join()).join();
  const before = look();
  return () => look() !== before;
}

describe('names that every object has', () => {
  test.each(HOSTILE_NAMES)('%s: a tool, an argument and an id like any other', (name) => {
    const wasChanged = watchPrototypes();
    const args = `{"${name}":1,"__proto__":{"x":1},"constructor":{"prototype":{"y":2}}}`;
    const undeclared = parse(call(`functions.${name}:0`, args), { tools: [PING] });
    expect(undeclared.toolCalls).toMatchObject([{ name, arguments: args }]);
    expect(undeclared.problems.map(({ code }) => code)).toEqual(['unknown-tool']);

    const tools = [PING, toolOf(name, name)];
    const declared = parse(call(`functions.${name}:0`, args), { tools });
    expect(declared.toolCalls).toMatchObject([{ name, arguments: args }]);
    expect(declared.problems).toEqual([]);

    // Not a parameter of a tool that does not declare it, although every object has it.
    const without = parse(call('call_1', `{"${name}":1}`), { tools: [PING] });
    expect(without.incompleteToolCalls).toMatchObject([{ reason: 'unresolved-tool' }]);
    const inferred = parse(call('call_1', `{"${name}":1}`), { tools });
    expect(inferred.toolCalls).toMatchObject([{ name }]);

    const lenient = parse(`\n${name}({"${name}":1})\n<${name}><${name}>a</${name}></${name}>`, {
      tools,
      recoverTextCalls: 'lenient',
    });
    expect(lenient.toolCalls.map((each) => each.name)).toEqual([name, name]);
    expect(wasChanged()).toBe(false);
  });

  test.each(HOSTILE_NAMES)('%s: calls that the server parsed', (name) => {
    const wasChanged = watchPrototypes();
    const events: KimiEvent[] = [];
    const parser = createParser({ tools: [toolOf(name, name)], onEvent: (event) => events.push(event) });
    parser.feedToolCall({ index: 0, id: name, name, arguments: `{"${name}":1}` });
    parser.feedToolCall({ id: `${name}2`, name, arguments: JSON.parse(`{"${name}":{}}`) });
    parser.feed(call(`functions.${name}:0`, `{ "${name}" : 1 }`));
    parser.end('tool_calls');
    const ends = events.flatMap((event) =>
      event.type === 'tool-call-end' ? [[event.id, event.arguments]] : [],
    );
    expect(ends).toEqual([
      [name, `{"${name}":1}`],
      [`${name}2`, `{"${name}":{}}`],
    ]);
    expect(wasChanged()).toBe(false);
  });

  test.each(HOSTILE_NAMES)('%s: in a history and a schema', (name) => {
    const wasChanged = watchPrototypes();
    const { body } = normalizeRequest(
      {
        model: 'kimi-k2-thinking',
        tools: [toolOf('ping', name)],
        messages: [
          { role: 'user', content: name },
          {
            role: 'assistant',
            content: null,
            tool_calls: [
              { id: name, type: 'function', function: { name: 'ping', arguments: `{"${name}":1}` } },
            ],
          },
          { role: 'tool', tool_call_id: name, content: 'ok' },
        ],
      },
      {},
    );
    const [, assistant, result] = (body as { messages: Record<string, unknown>[] }).messages;
    expect(assistant?.tool_calls).toMatchObject([
      { id: 'functions.ping:0', function: { arguments: `{"${name}":1}` } },
    ]);
    expect(result?.tool_call_id).toBe('functions.ping:0');
    expect(wasChanged()).toBe(false);
  });
});

describe('what is very large', () => {
  const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;

  test.each([
    ['marked up', {}, call('functions.f:0', deep)],
    ['without markers', { tools: [toolOf('f', 'a')] }, `functions.f:0${deep}`],
    ['without a name', { tools: [toolOf('f', 'a')] }, call('call_1', deep)],
    ['in an open quote', {}, `\`\`\`\n${call('functions.f:0', deep)}`],
    ['guided', { tools: [toolOf('f', 'a')], guidedJson: true }, `{"name":"f","arguments":${deep}}`],
    ['lenient', { tools: [toolOf('f', 'a')], recoverTextCalls: 'lenient' as const }, `f(${deep})`],
  ])('arguments of 100 000 levels, %s', (_, options, text) => {
    expect(parse(text, options).toolCalls.map((each) => each.arguments.length)).toEqual([deep.length]);
  });

  test('arguments of 100 000 levels as text and as structure are compared', () => {
    const events: KimiEvent[] = [];
    const parser = createParser({ onEvent: (event) => events.push(event) });
    parser.feedToolCall({ index: 0, name: 'f', arguments: deep });
    parser.feed(call('functions.f:0', deep));
    parser.end('tool_calls');
    expect(events.filter(({ type }) => type === 'tool-call-end')).toHaveLength(1);
  });

  test('an object of 100 000 levels in place of the text of arguments', () => {
    let nested: unknown = {};
    for (let level = 0; level < 100_000; level++) nested = { a: nested };
    const events: KimiEvent[] = [];
    const parser = createParser({ onEvent: (event) => events.push(event) });
    parser.feedToolCall({ index: 0, name: 'f', arguments: nested });
    parser.end('tool_calls');
    const codes = events.flatMap((event) => (event.type === 'problem' ? [event.code] : []));
    expect(codes).toContain('invalid-arguments');
  });

  test('names and counters of a megabyte', () => {
    const name = 'n'.repeat(MEGABYTE);
    const counter = '9'.repeat(100_000);
    const turn = parse(
      call(`functions.${name}:1`, '{}') +
        call(`functions.f:${counter}`, '{}') +
        call(`functions.f:${counter}`, '{}'),
    );
    expect(turn.toolCalls[0]?.name).toBe(name);
    expect(turn.toolCalls[1]?.id).toBe(`functions.f:${counter}`);
    expect(turn.toolCalls[2]?.id).toBe(`functions.f:1${'0'.repeat(100_000)}`);
    expect(turn.problems.map(({ code }) => code)).toEqual(['id-rewritten']);
  });

  test('a header of a megabyte that is no id is given up, and does not show', () => {
    const turn = parse(
      call(` functions . ${'x y'.repeat(MEGABYTE / 3)}`, '{}') + call('functions.f:0', '{}'),
      {
        tools: [PING, toolOf('f', 'a')],
      },
    );
    expect(turn.content).toBe('');
    expect(turn.toolCalls).toMatchObject([{ name: 'f' }]);
    expect(turn.incompleteToolCalls).toMatchObject([{ reason: 'malformed-call' }]);
  });

  // What is behind each of many objects must not be copied for each of them.
  test.each(['\nping\n{}\n', '\nping({})', '}\nping\n{'])('a text of a megabyte of %j', (form) => {
    const text = form.repeat(MEGABYTE / form.length);
    expect(parse(text, { tools: [PING] }).content).toBe(text);
  });

  test('two million deltas', () => {
    let text = 0;
    let args = 0;
    const parser = createParser({
      onEvent(event) {
        if (event.type === 'text-delta') text += event.delta.length;
        if (event.type === 'tool-call-delta') args += event.delta.length;
      },
    });
    for (let at = 0; at < MEGABYTE; at++) parser.feed('a');
    for (const unit of `${BEGIN}functions.f:0${ARGS}{"a":"`) parser.feed(unit);
    for (let at = 0; at < MEGABYTE; at++) parser.feed('<');
    for (const unit of `"}${END}`) parser.feed(unit);
    parser.end('stop');
    expect([text, args]).toEqual([MEGABYTE, MEGABYTE + '{"a":""}'.length]);
  });

  test('held arguments stay few in a long string of what is nearly markup', () => {
    const args = JSON.stringify({
      body: Array.from({ length: 3000 }, (_, i) => `line ${i} <|tool \\ "q" {[`).join('\n'),
      list: Array.from({ length: 300 }, (_, i) => ({ i, half: i / 2, yes: true, no: null })),
    });
    const text = call('functions.save:0', args);
    const start = text.indexOf(args);
    let left = 0;
    let most = 0;
    const parser = createParser({
      onEvent(event) {
        if (event.type === 'tool-call-delta') left += event.delta.length;
      },
    });
    for (let at = 0; at < text.length; at += 4) {
      parser.feed(text.slice(at, at + 4));
      const fed = Math.min(at + 4, start + args.length) - start;
      if (fed > 0) most = Math.max(most, fed - left);
    }
    parser.end('stop');
    expect(left).toBe(args.length);
    expect(most).toBeLessThanOrEqual(64);
  });
});
