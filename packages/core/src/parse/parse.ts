import { expectObject } from '../kimi-error.ts';
import { createAssembler } from './assembler.ts';
import type { KimiTurn } from './events.ts';
import { createParser, type ParserOptions } from './parser.ts';

/**
 * Reads one whole reply.
 *
 * @param text the raw text of the content field
 * @param options as for `createParser`; `finishReason` is the server's own word. Absent means `stop`,
 *   since a whole text has no stream that could have ended early; `null` means that it sent none.
 * @throws KimiError naming the option that is wrong
 */
export function parse(
  text: string,
  options: ParserOptions & { finishReason?: string | null } = {},
): KimiTurn {
  expectObject('options', options);
  const { finishReason = 'stop', ...rest } = options;
  const assembler = createAssembler();
  const parser = createParser({ ...rest, onEvent: assembler.push });
  parser.feed(text);
  parser.end(finishReason);
  return assembler.turn;
}
