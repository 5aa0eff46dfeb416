import { TOKENS } from '../grammar/special-tokens.ts';
import { expectOption } from '../kimi-error.ts';
import { createSegmentWriter, type SegmentWriter } from './segments.ts';

/** What of a call stands in a prompt; the calls of a parsed turn fit. */
export interface FormattableToolCall {
  /** `functions.NAME:COUNTER`, written as it is. */
  id: string;
  /** JSON text, written as it is. */
  arguments: string;
}

/**
 * Writes calls as a model writes them, a section with all its tokens: the inverse of parsing one.
 * Without calls, the empty text.
 *
 * @throws KimiError naming the call and field that is not a string
 */
export function formatToolCalls(calls: readonly FormattableToolCall[]): string {
  expectOption(Array.isArray(calls), 'calls', 'an array of tool calls', calls);
  for (const [at, call] of calls.entries()) {
    for (const field of ['id', 'arguments'] as const)
      expectOption(typeof call?.[field] === 'string', `calls[${at}].${field}`, 'a string', call?.[field]);
  }
  const writer = createSegmentWriter('keep');
  writeToolCalls(writer, calls);
  return writer
    .end()
    .map(({ text }) => text)
    .join('');
}

export function writeToolCalls(writer: SegmentWriter, calls: readonly FormattableToolCall[]): void {
  if (calls.length === 0) return;
  writer.special(TOKENS.sectionBegin);
  for (const call of calls) {
    writer.special(TOKENS.callBegin);
    writer.plain(call.id);
    writer.special(TOKENS.argumentBegin);
    writer.json(call.arguments);
    writer.special(TOKENS.callEnd);
  }
  writer.special(TOKENS.sectionEnd);
}
