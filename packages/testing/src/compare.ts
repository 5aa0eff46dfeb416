import type { CorpusCase, Expected, ExpectedIncompleteToolCall, ExpectedToolCall } from './case.ts';
import { checkInvariants } from './invariants.ts';
import { jsonEquals } from './json.ts';
import type {
  Outcome,
  OutcomeIncompleteToolCall,
  OutcomeToolCall,
  RequestOutcome,
  TurnOutcome,
} from './outcome.ts';

/**
 * Compares what a surface made of a case with what the case expects, by the rules of
 * `cases/README.md` section 3.
 *
 * @returns one sentence for each difference, the field first; empty if there is none
 */
export function compareOutcome(of: CorpusCase, outcome: Outcome): string[] {
  const { expected } = of;
  const differences = isTurn(of)
    ? compareTurn(expected, outcome as TurnOutcome)
    : compareRequest(expected, outcome as RequestOutcome);
  return [
    ...differences,
    ...compareProblems(expected.problems, outcome.problems),
    ...checkInvariants(of, outcome),
  ];
}

function isTurn(of: CorpusCase): boolean {
  return of.input.kind === 'deltas' || of.input.kind === 'chunks' || of.input.kind === 'message';
}

function compareTurn(expected: Expected, outcome: TurnOutcome): string[] {
  const trimmed = (text = ''): string => (expected.textCompare === 'trim' ? text.trim() : text);
  return [
    ...compareText('reasoning', trimmed(expected.reasoning), trimmed(outcome.reasoning)),
    ...compareText('content', trimmed(expected.content), trimmed(outcome.content)),
    ...compareLists('toolCalls', expected.toolCalls ?? [], outcome.toolCalls, compareCall),
    ...compareLists(
      'incompleteToolCalls',
      expected.incompleteToolCalls ?? [],
      outcome.incompleteToolCalls,
      compareIncompleteCall,
    ),
    ...compareText('finishReason', expected.finishReason ?? '', outcome.finishReason),
    ...(expected.usage === undefined ? [] : compareJson('usage', expected.usage, outcome.usage)),
  ];
}

function compareRequest(expected: Expected, outcome: RequestOutcome): string[] {
  return (['messages', 'schema', 'request'] as const).flatMap((field) =>
    expected[field] === undefined ? [] : compareJson(field, expected[field], outcome[field]),
  );
}

function compareCall(at: string, expected: ExpectedToolCall, actual: OutcomeToolCall): string[] {
  return [
    ...(actual.index === undefined ? [] : compareJson(`${at}.index`, expected.index, actual.index)),
    ...(expected.id === undefined ? [] : compareText(`${at}.id`, expected.id, actual.id)),
    ...compareText(`${at}.name`, expected.name, actual.name),
    ...compareArguments(`${at}.arguments`, expected.arguments, actual.arguments),
  ];
}

function compareArguments(at: string, expected: ExpectedToolCall['arguments'], actual: string): string[] {
  if (typeof expected === 'string') return compareText(at, expected, actual);
  try {
    return compareJson(at, expected, JSON.parse(actual));
  } catch {
    return [`${at}: expected JSON equal to ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`];
  }
}

function compareIncompleteCall(
  at: string,
  expected: ExpectedIncompleteToolCall,
  actual: OutcomeIncompleteToolCall,
): string[] {
  return [
    ...(expected.name === undefined ? [] : compareText(`${at}.name`, expected.name, actual.name)),
    ...(expected.arguments === undefined
      ? []
      : compareText(`${at}.arguments`, expected.arguments, actual.arguments.trim())),
  ];
}

function compareProblems(expected: Expected['problems'], actual: readonly string[]): string[] {
  if (expected === undefined) return [];
  if (expected.length === 0 && actual.length > 0) {
    return [`problems: expected none, got ${actual.join(', ')}`];
  }
  const missing = expected.filter((code) => !actual.includes(code));
  return missing.length === 0
    ? []
    : [`problems: ${missing.join(', ')} not reported, got ${actual.join(', ') || 'none'}`];
}

function compareLists<Expected, Actual>(
  at: string,
  expected: readonly Expected[],
  actual: readonly Actual[],
  compareItem: (at: string, expected: Expected, actual: Actual) => string[],
): string[] {
  if (expected.length !== actual.length) {
    return [`${at}: expected ${expected.length}, got ${actual.length}: ${JSON.stringify(actual)}`];
  }
  return expected.flatMap((item, index) => compareItem(`${at}[${index}]`, item, actual[index] as Actual));
}

function compareJson(at: string, expected: unknown, actual: unknown): string[] {
  return jsonEquals(expected, actual)
    ? []
    : [`${at}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`];
}

/** Of long strings only the neighbourhood of the first differing unit is shown. */
function compareText(at: string, expected: string, actual: string): string[] {
  if (expected === actual) return [];
  let same = 0;
  while (same < expected.length && expected[same] === actual?.[same]) same += 1;
  const from = Math.max(0, same - 40);
  const excerpt = (text: string): string => {
    if (typeof text !== 'string') return String(text);
    const shown = JSON.stringify(text.slice(from, same + 80));
    return `${from > 0 ? '…' : ''}${shown}${same + 80 < text.length ? '…' : ''}`;
  };
  return [`${at}: differs at ${same}, expected ${excerpt(expected)}, got ${excerpt(actual)}`];
}
