import type { JsonObject } from './json.ts';
import type { ChatCompletion } from './kimi-chunk.ts';
import { checkObject, checkOptions, type KimiOptions } from './kimi-options.ts';
import { toCompletion } from './to-completion.ts';

/**
 * Makes a completion of a Kimi model right: tool calls and reasoning that stand in the text become
 * `tool_calls` and `reasoning_content`, the finish reason says what really happened.
 *
 * The completion is not changed. One that needs no repair is returned as it is.
 *
 * @throws KimiError naming the option that is wrong, or `completion` where there is none
 */
export function transformKimiCompletion<Completion extends ChatCompletion>(
  completion: Completion,
  options: KimiOptions = {},
): Completion {
  checkOptions(options);
  checkObject('completion', completion);
  return toCompletion(completion as unknown as JsonObject, options) as unknown as Completion;
}
