import type { Problem, ProblemCode } from '../grammar/problems.ts';
import { KimiError } from '../kimi-error.ts';

/** Something about a request that was changed, or that the endpoint may not like. `offset` is always 0. */
export interface RequestProblem extends Problem {
  /** JSON pointer to the place it is about, in what was given. */
  path: string;
}

/**
 * The request must not be sent: the endpoint would refuse it, or, with `strict`, it would ask for less
 * than the caller did. `option` and `problems[].path` are JSON pointers into what was given.
 */
export class KimiRequestError extends KimiError {
  /** Everything that was found, the reason for the refusal last. */
  readonly problems: readonly RequestProblem[];

  constructor(problems: readonly RequestProblem[]) {
    const last = problems.at(-1);
    super(last?.path ?? '', `${last?.path || 'request'}: ${last?.message}`);
    this.name = 'KimiRequestError';
    this.problems = problems;
  }
}

/** Collects the problems of one request. */
export interface RequestLog {
  readonly problems: RequestProblem[];
  report(code: ProblemCode, path: string, message: string): void;
  /** @throws KimiRequestError always */
  refuse(code: ProblemCode, path: string, message: string): never;
  /** @throws KimiRequestError when `strict` and something was lost */
  finish(strict: boolean | undefined): void;
}

/** By these the request asks for less than it did, or holds what nobody wrote. */
const LOSSES: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'param-dropped',
  'thinking-disabled-for-forced-tool',
  'tool-choice-downgraded',
  'schema-relaxed',
  'reasoning-placeholder-inserted',
]);

export function createRequestLog(): RequestLog {
  const problems: RequestProblem[] = [];
  function report(code: ProblemCode, path: string, message: string): void {
    problems.push({ code, message, offset: 0, path });
  }
  return {
    problems,
    report,
    refuse(code, path, message) {
      report(code, path, message);
      throw new KimiRequestError(problems);
    },
    finish(strict) {
      const loss = strict ? problems.find(({ code }) => LOSSES.has(code)) : undefined;
      if (loss) throw new KimiRequestError([...problems.filter((problem) => problem !== loss), loss]);
    },
  };
}
