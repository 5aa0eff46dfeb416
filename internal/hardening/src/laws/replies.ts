import type { ParserOptions } from '@kimi-tc/core';
import fc from 'fast-check';
import {
  CONFUSABLE_TOOLS,
  fragment,
  HOSTILE_TOOLS,
  onContent,
  type Part,
  prose,
  TOOLS,
  wrappedObject,
} from './k2-text.ts';
import { mutate, mutation } from './mutations.ts';
import { isText, type Reply } from './reply.ts';

// Replies of up to some dozen parts, and then broken: parts dropped, repeated, swapped, cut, put in between and written in
// another case. With all options.

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
