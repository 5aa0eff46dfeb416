import type { ProblemCode } from '../grammar/problems.ts';
import type { FinishReason } from './events.ts';

/** What a turn held, as far as its end depends on it. */
export interface TurnSummary {
  complete: number;
  incomplete: number;
  suppressed: number;
  /** A call was open when the stream ended. */
  openAtEnd: boolean;
  /** Something other than white space was said outside of reasoning. */
  visible: boolean;
  reasoning: boolean;
}

const UNIFIED: Record<string, FinishReason['unified']> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
  error: 'error',
};

/** The truthful finish reason from the server's word and what was seen (rulings 35 to 37). */
export function deriveFinishReason(
  raw: string | undefined,
  turn: TurnSummary,
  report: (code: ProblemCode) => void,
): FinishReason {
  const said = raw === undefined ? undefined : Object.hasOwn(UNIFIED, raw) ? UNIFIED[raw] : 'other';
  let unified = said ?? (turn.openAtEnd ? 'error' : 'stop');
  if (turn.complete > 0) {
    if (said !== 'length' && said !== 'content-filter') unified = 'tool-calls';
  } else {
    if (raw === undefined) report('stream-ended-early');
    if (said === 'tool-calls') {
      unified = 'stop';
      if (turn.incomplete + turn.suppressed === 0) report('missing-call');
    }
    if (turn.incomplete === 0 && !turn.visible) {
      report(said === 'length' && turn.reasoning ? 'reasoning-exhausted-budget' : 'empty-turn');
    }
  }
  return { unified, raw };
}
