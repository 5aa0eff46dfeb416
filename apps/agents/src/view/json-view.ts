import type { AgentEvent } from '../agent.ts';

/** Shows a run to machines: each event is one line of JSON. */
export function createJsonView(write: (text: string) => void): (event: AgentEvent) => void {
  return (event) => write(`${JSON.stringify(event)}\n`);
}
