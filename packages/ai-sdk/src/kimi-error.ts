import { KimiError, type Problem, type ProblemCode } from '@kimi-tc/core';

// By these the AI SDK tells its errors, so that the check holds across installed copies.
const sdkMarker = Symbol.for('vercel.ai.error');
const marker = Symbol.for('kimi-tc.ai-sdk.error.empty-turn');

type EmptyTurnCode = 'empty-turn' | 'reasoning-exhausted-budget';

/** Whether a problem says that a reply held nothing, as far as its text and its calls go. */
export function isEmptyTurn(code: ProblemCode): code is EmptyTurnCode {
  return code === 'empty-turn' || code === 'reasoning-exhausted-budget';
}

/**
 * A reply without text, without a call, and without anything else to go on with; thrown, or put into
 * the stream, when `emptyTurn` is `'error'`. `AISDKError.isInstance` holds for it as well.
 */
export class KimiEmptyTurnError extends KimiError {
  /** `reasoning-exhausted-budget`: there is reasoning, and the limit of output tokens cut it off. */
  readonly code: EmptyTurnCode;

  constructor(code: EmptyTurnCode) {
    super(
      'emptyTurn',
      code === 'empty-turn'
        ? 'The model ended its turn without text and without a tool call.'
        : 'The limit of output tokens was reached before the reasoning ended. Raise maxOutputTokens.',
    );
    this.name = 'KimiEmptyTurnError';
    this.code = code;
    Object.assign(this, { [sdkMarker]: true, [marker]: true });
  }

  static isInstance(error: unknown): error is KimiEmptyTurnError {
    return typeof error === 'object' && error !== null && marker in error;
  }
}

/** The error for a reply that held nothing, if that is what its problems say. */
export function findEmptyTurn(problems: readonly Problem[]): KimiEmptyTurnError | undefined {
  for (const { code } of problems) {
    if (isEmptyTurn(code)) return new KimiEmptyTurnError(code);
  }
  return undefined;
}
