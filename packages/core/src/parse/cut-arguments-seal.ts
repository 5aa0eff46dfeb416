/**
 * What adapters end the arguments of a call with that must not run, where those so far are on their way
 * already. No JSON holds U+0018, so they do not parse, also where they happen to be whole, or empty,
 * which many clients read as `{}`. Clients that complete cut JSON may let U+0018 pass in an open string
 * (LangChain does): the quotation mark ends that, and the second U+0018 stands outside.
 */
export const CUT_ARGUMENTS_SEAL = '\u0018"\u0018';

/** How much of the end of a text is a seal, or may become one with what follows, in UTF-16 units. */
export function sealLengthOf(text: string): number {
  let length = CUT_ARGUMENTS_SEAL.length;
  // The empty text ends any.
  while (!text.endsWith(CUT_ARGUMENTS_SEAL.slice(0, length))) length--;
  return length;
}
