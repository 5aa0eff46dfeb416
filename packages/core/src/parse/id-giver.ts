import { formatToolCallId } from '../grammar/tool-call-id.ts';

/** Gives out the ids of one turn, each once in the conversation. */
export interface IdGiver {
  /** `functions.NAME:COUNTER`; a repeated one takes the next free number for its name (ruling 23). */
  give(name: string, counter: string): string;
  /** Takes an id as it is; false if it is taken already. */
  claim(id: string): boolean;
}

/** @param used ids that must not be given again */
export function createIdGiver(used: Iterable<string>): IdGiver {
  const taken = new Set(used);
  /** For taken ids: the next number worth trying, so that many repetitions stay cheap. */
  const next = new Map<string, bigint>();
  return {
    give(name, counter) {
      let id = formatToolCallId(name, counter);
      const passed: string[] = [];
      for (let number: bigint | undefined; taken.has(id); id = formatToolCallId(name, number)) {
        passed.push(id);
        number = next.get(id) ?? (number ?? BigInt(counter)) + 1n;
      }
      taken.add(id);
      if (passed.length > 0) {
        const free = BigInt(id.slice(id.lastIndexOf(':') + 1)) + 1n;
        for (const tried of passed) next.set(tried, free);
      }
      return id;
    },
    claim(id) {
      const free = !taken.has(id);
      taken.add(id);
      return free;
    },
  };
}
