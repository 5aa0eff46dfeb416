import type { CaseInput, CaseOptions, CaseTool, TurnOutcome } from '@kimi-tc/testing';

/** Somebody's parser. */
export function readByMyParser(
  _input: CaseInput,
  _tools?: readonly CaseTool[],
  _options?: CaseOptions,
): TurnOutcome {
  throw new Error('documents are type-checked with this, and do not call it');
}
