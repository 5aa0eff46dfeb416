import assert from 'node:assert/strict';
import { createParser, parse } from '@kimi-tc/core';
import fc from 'fast-check';

const CALL = '<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>';
const END = '<|tool_call_end|>';
const TOOLS = [{ type: 'function' as const, function: { name: 'f' } }];

const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.constantFrom('0', '7', '10', '12345678901234567890'),
    fc.constantFrom('', '.0', '.25'),
    fc.constantFrom('', 'e1', 'E1', 'e+02', 'E-3'),
  )
  .map((parts) => parts.join(''));
const string = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 4 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\u00e9\\uD83D"', '"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"{[,:]}"', '""'),
);
const gap = fc.constantFrom('', '', '', ' ', '\n', '\t', '\r');
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    number,
    string,
    fc.constantFrom('true', 'false', 'null'),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    fc
      .array(fc.tuple(string, gap, tie('value')), { maxLength: 3 })
      .map(
        (members) =>
          `{${members.map(([key, space, item]) => `${space}${key}${space}:${space}${item}${space}`).join(',')}}`,
      ),
  ),
}));
const whole = fc
  .array(fc.tuple(string, gap, value, gap), { maxLength: 3 })
  .map(
    (members) =>
      `{${members.map(([key, before, item, behind]) => `${key}:${before}${item}${behind}`).join(',')}}`,
  );

/** JSON objects, and what is one character away from one. */
export const argumentTexts: fc.Arbitrary<string> = fc
  .tuple(
    whole,
    fc.constantFrom('keep', 'keep', 'drop', 'put', 'replace'),
    fc.nat(999),
    fc.constantFrom(...'{}[],:"\\-+.eE019tfnulx \n\t\r\u0001'),
  )
  .map(([text, edit, place, char]) => {
    const at = 1 + (place % text.length);
    if (edit === 'keep') return text;
    return text.slice(0, at) + (edit === 'drop' ? '' : char) + text.slice(edit === 'put' ? at : at + 1);
  })
  .filter((text) => text.startsWith('{'));

function isObject(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What holds for the arguments of a call of which the text is known. Each throws where it is broken. */
export const ARGUMENT_LAWS: Record<string, (text: string) => void> = {
  'valid JSON is delivered as it is, anything else is reported'(text) {
    const { toolCalls, problems } = parse(CALL + text + END);
    if (isObject(text)) {
      assert.deepEqual(
        toolCalls.map((call) => call.arguments),
        [text.trim()],
      );
      assert.deepEqual(problems, []);
    } else assert.notEqual(problems.length, 0);
  },

  'what is repaired is an object then'(text) {
    const { toolCalls, problems } = parse(CALL + text + END);
    const codes = problems.map(({ code }) => code);
    if (codes.includes('arguments-repaired') && !codes.includes('invalid-arguments')) {
      for (const call of toolCalls) assert.ok(isObject(call.arguments), call.arguments);
    }
  },

  'the object of a call without markers ends where it ends'(text) {
    const { toolCalls, content } = parse(`functions.f:0${text} and on`, { tools: TOOLS });
    if (!isObject(text) || !/^\{\s*["}]/.test(text)) return;
    assert.deepEqual(
      toolCalls.map((call) => call.arguments),
      [text.trim()],
    );
    assert.equal(content.trim(), 'and on');
  },

  'no beginning of it is delivered when the stream is cut'(text) {
    if (!isObject(text)) return;
    for (let at = 1; at < text.trimEnd().length; at++) {
      const { toolCalls, incompleteToolCalls } = parse(CALL + text.slice(0, at), { finishReason: 'length' });
      assert.deepEqual(toolCalls, []);
      assert.equal(incompleteToolCalls[0]?.reason, 'truncated-call');
      // White space at the end belongs to them where a string is open.
      assert.equal(incompleteToolCalls[0]?.arguments.trimEnd(), text.slice(0, at).trimEnd());
    }
  },

  'they leave as they come: only white space and what may become a marker is held'(text) {
    if (!isObject(text) || text.includes('<')) return;
    let left = 0;
    const parser = createParser({
      onEvent(event) {
        if (event.type === 'tool-call-delta') left += event.delta.length;
      },
    });
    parser.feed(CALL);
    for (let at = 0; at < text.length; at++) {
      parser.feed(text[at] as string);
      const fed = text.slice(0, at + 1);
      // A beginning of `[EOS]`, up to four units, waits for the next one.
      const sequence = /\[(?:E(?:OS?)?)?$/.exec(fed)?.[0].length ?? 0;
      const rest = fed.slice(0, fed.length - sequence);
      const space = rest.length - rest.trimEnd().length;
      assert.ok(fed.length - left <= sequence + space, `${fed.length - left} held of ${JSON.stringify(fed)}`);
    }
  },
};
