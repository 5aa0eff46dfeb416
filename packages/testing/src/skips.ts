import type { CorpusCase } from './case.ts';

/** Ids of cases a surface cannot pass, each with the reason. */
export type Skips = Readonly<Record<string, string>>;

/**
 * @throws Error if a skip names no case that is played, or has no reason
 */
export function checkSkips(skips: Skips, cases: readonly CorpusCase[]): void {
  for (const [id, reason] of Object.entries(skips)) {
    if (!cases.some((of) => of.id === id)) throw new Error(`skip: no case ${id} is played here`);
    if (reason.trim() === '') throw new Error(`skip: ${id} has no reason`);
  }
}

/**
 * The reason to skip a case that was played; `undefined` if it is not skipped.
 *
 * @throws Error if the case is skipped although it passes
 */
export function skipReason(skips: Skips, of: CorpusCase, failure: string | undefined): string | undefined {
  if (!Object.hasOwn(skips, of.id)) return undefined;
  const reason = skips[of.id];
  if (failure === undefined) throw new Error(`${of.id} passes: remove it from skip (${reason})`);
  return reason;
}
