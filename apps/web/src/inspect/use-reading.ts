import type { KimiTurn } from '@kimi-tc/core';
import { useEffect, useState } from 'react';
import { type Layout, layOutScore } from './layout-score.ts';
import type { Reply } from './reply.ts';
import { type Score, toScore } from './to-score.ts';
import { traceParts } from './trace-parts.ts';
import { readUncut, type Trace, traceReply } from './trace-reply.ts';
import type { TracedPart } from './traced-part.ts';

/** A reply, read: all that the page shows. */
export interface Reading {
  reply: Reply;
  trace: Trace;
  parts: readonly TracedPart[];
  score: Score;
  layout: Layout;
  /** The turn that the reply gives uncut. */
  uncut: KimiTurn;
}

async function read(reply: Reply, signal: AbortSignal): Promise<Reading> {
  const trace = traceReply(reply);
  const parts = await traceParts(reply, signal);
  const score = toScore(trace, parts);
  return { reply, trace, parts, score, layout: layOutScore(trace, score, parts), uncut: readUncut(reply) };
}

/** Reads the reply, here in the browser. The last reading stays until the next one is whole. */
export function useReading(reply: Reply): Reading | undefined {
  const [reading, setReading] = useState<Reading>();
  const [failure, setFailure] = useState<Error>();
  useEffect(() => {
    const abort = new AbortController();
    read(reply, abort.signal).then(
      (found) => abort.signal.aborted || setReading(found),
      (error: Error) => abort.signal.aborted || setFailure(error),
    );
    return () => abort.abort();
  }, [reply]);
  if (failure) throw failure; // the options were checked before: nothing that the user did
  return reading;
}
