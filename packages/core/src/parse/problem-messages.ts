import type { ProblemCode } from '../grammar/problems.ts';

/** One sentence for people per problem that reading a reply can report. */
export const PROBLEM_MESSAGES: Partial<Record<ProblemCode, string>> = {
  'unknown-tool': 'The call names a tool that was not offered.',
  'unresolved-tool': 'The call has no usable name, and its arguments do not tell the tool.',
  'tool-name-inferred': 'The call names no tool; it was found from the arguments.',
  'id-rewritten': 'The id was not functions.NAME:COUNTER, or repeated, and was replaced.',
  'malformed-call': 'The header of the call is not an id, or the call was given up.',
  'missing-arguments': 'The call was closed without arguments; {} is used.',
  'unclosed-call': 'The arguments are complete, but the call was not closed.',
  'truncated-call': 'The call was cut before its arguments were complete.',
  'invalid-arguments': 'The arguments are not a JSON object.',
  'arguments-repaired': 'Control characters, a string encoding or text behind the arguments were put right.',
  'empty-section': 'A section of tool calls holds no call.',
  'stray-markup': 'Markup that belongs to nothing was removed.',
  'call-in-open-quote': 'Calls were read out of a fence or code span that was never closed.',
  'text-call-recovered': 'A call was read from plain text.',
  'suspected-tool-call': 'The text looks like a tool call but stayed text.',
  'duplicate-call': 'The same call came as text and as structure; one was dropped.',
  'call-suppressed': 'Tool choice is none; calls were removed.',
  'limit-exceeded': 'The call is beyond a limit, and is not delivered.',
  'missing-call': 'The server reported tool calls, but none came.',
  'empty-turn': 'The turn holds no visible text and no call.',
  'reasoning-exhausted-budget': 'The token limit was reached before the reasoning ended.',
  'stream-ended-early': 'The stream ended without a finish reason.',
};
