import type { ModelProfile } from '@kimi-tc/core';
import type { JsonObject } from '../json.ts';
import type { Reply } from './endpoint.ts';
import type { Finding } from './faults.ts';

/** One question to an endpoint: what is sent, and what the answers say. */
export interface Probe {
  readonly name: string;
  /** What is asked, as a short phrase. */
  readonly asks: string;
  /** Bodies of chat requests without `model`, sent one after the other. */
  readonly requests: readonly JsonObject[];
  /** @param replies one for each request */
  judge(replies: readonly Reply[], context: ProbeContext): Verdict;
}

export interface ProbeContext {
  readonly profile: ModelProfile;
  /** Milliseconds: a first byte that comes later is told. */
  readonly slowMs: number;
}

export interface Verdict {
  readonly findings: readonly Finding[];
  /** Why the question was not answered. Absent: it was. */
  readonly inconclusive?: string | undefined;
}
