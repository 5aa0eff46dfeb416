import type { AgentTask } from '../agent.ts';
import { type Call, type CallResult, isRunnable, runCall } from './run-call.ts';

export interface RanCall {
  readonly call: Call;
  readonly result: CallResult;
}

export interface RanCalls {
  /** In the order of the calls. */
  readonly ran: readonly RanCall[];
  /** Calls that were cut. */
  readonly refused: readonly Call[];
}

/** Runs the calls of one reply side by side, except those that were cut. */
export async function runCalls(task: AgentTask, calls: readonly Call[]): Promise<RanCalls> {
  const refused = calls.filter((call) => !isRunnable(call));
  for (const { id, name, arguments: text } of refused) {
    task.emit({ type: 'tool-call-refused', id, name, arguments: text });
  }
  const ran = await Promise.all(
    calls.filter(isRunnable).map(async (call) => {
      const result = await runCall(task.tools, call, task.signal);
      task.emit({ type: 'tool-result', id: call.id, name: call.name, ...result });
      return { call, result };
    }),
  );
  return { ran, refused };
}

/** What the model is told about calls that did not run. They are not in its history. */
export function toNotice(refused: readonly Call[]): string {
  const names = refused.map(({ name }) => name || 'a tool').join(', ');
  const [what, were] = refused.length === 1 ? ['call', 'was'] : ['calls', 'were'];
  return `Your ${what} of ${names} ${were} cut off and did not run. Call again, with shorter arguments.`;
}
