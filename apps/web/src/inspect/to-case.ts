import type { KimiTurn } from '@kimi-tc/core';
import type { CorpusCase, ExpectedToolCall, FinishWord, ProblemCode } from '@kimi-tc/testing';
import type { Delta, Reply } from './reply.ts';

type TextDelta = Extract<Delta, { text: string }>;

/** Why a reply cannot be a case. */
export class CaseError extends Error {
  override readonly name: string = 'CaseError';
}

/**
 * The reply as a case of the corpus, with what it gives now as what is expected: a draft, whose id, note and
 * expectation its author is to look over.
 *
 * @throws CaseError naming what a case cannot say
 */
export function toCase({ deltas, finishReason, tools, options }: Reply, turn: KimiTurn): CorpusCase {
  const { limits, recoverTextCalls, ...rest } = options;
  if (limits?.maxArgumentsLength || limits?.maxToolCalls) throw new CaseError('a case has no limits');
  if (recoverTextCalls === 'off')
    throw new CaseError("a case has no recoverTextCalls 'off', only the default and 'lenient'");
  if (!deltas.every((delta): delta is TextDelta => 'text' in delta))
    throw new CaseError('a case of text has no tool_calls of the server; it would be one of chunks');
  const given = { ...rest, ...(recoverTextCalls && { recoverTextCalls }) };
  const set = Object.entries(given).filter(([, value]) => value !== undefined && value !== false);
  const codes = turn.problems.map(({ code }) => code as ProblemCode);
  return {
    id: 'draft',
    topic: 'drafts',
    source: 'project case',
    family: 'k2',
    note: 'What this shows.',
    ...(tools.length > 0 && { tools: tools as CorpusCase['tools'] & object }),
    ...(set.length > 0 && { options: Object.fromEntries(set) }),
    input: { kind: 'deltas', deltas: deltas.map(({ channel, text }) => [channel, text]), finishReason },
    expected: {
      reasoning: turn.reasoning,
      content: turn.content,
      toolCalls: turn.toolCalls.map(
        ({ index, id, name, arguments: args }): ExpectedToolCall => ({ index, id, name, arguments: args }),
      ),
      ...(turn.incompleteToolCalls.length > 0 && {
        incompleteToolCalls: turn.incompleteToolCalls.map(({ name, arguments: args }) => ({
          name,
          arguments: args.trim(),
        })),
      }),
      finishReason: turn.finishReason.unified.replace('-', '_') as FinishWord,
      problems: [...new Set(codes)],
    },
  };
}
