import { measureApart } from './apart.ts';
import type { ClientEffort, ClientRow, Cost } from './client-times.ts';
import { median } from './measure.ts';

/**
 * The rows of one SDK, in the order of their replies: those of writes with pauses from one process; those of work
 * alone, in which processes differ by some hundredths for all their rounds, from several.
 */
export async function measureClientsApart(
  name: 'measureSdk' | 'measureAiSdk',
  effort: ClientEffort,
): Promise<ClientRow[]> {
  const waiting = effort.eventsPerWrite.filter(Number.isFinite);
  const rows = await measureApart(name, { ...effort, eventsPerWrite: waiting });
  const runs: ClientRow[][] = [];
  for (let run = 0; run < effort.processes; run++) {
    runs.push(await measureApart(name, { ...effort, eventsPerWrite: [Infinity] }));
  }
  const atOnce = mergeRuns(runs);
  return atOnce.flatMap((row) => [...rows.filter(({ reply }) => reply === row.reply), row]);
}

/** The medians of rows that were measured several times. */
export function mergeRuns(runs: readonly ClientRow[][]): ClientRow[] {
  const [first = []] = runs;
  return first.map((row, at) => ({
    ...row,
    clients: row.clients.map((client, place) => {
      const timed = runs.map((rows) => (rows[at] as ClientRow).clients[place] as typeof client);
      const medianOf = (of: 'cost' | 'ratio', time: keyof Cost) => median(timed.map((one) => one[of][time]));
      const ratios = timed.map(({ ratio }) => ratio.wall);
      return {
        ...client,
        cost: { cpu: medianOf('cost', 'cpu'), wall: medianOf('cost', 'wall') },
        ratio: { cpu: medianOf('ratio', 'cpu'), wall: medianOf('ratio', 'wall') },
        ...(runs.length > 1 && { spread: { least: Math.min(...ratios), most: Math.max(...ratios) } }),
      };
    }),
  }));
}
