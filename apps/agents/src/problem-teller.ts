import type { AgentTask } from './agent.ts';

/** A problem as the packages tell it: those of a request say where in it they are, others do not. */
interface ToldProblem {
  code: string;
  message: string;
  path?: string;
}

/** Tells of each problem once: what is wrong in the history is found again in each request that holds it. */
export function createProblemTeller(emit: AgentTask['emit']): (problem: ToldProblem) => void {
  const known = new Set<string>();
  return ({ code, message, path }) => {
    if (path !== undefined) {
      const place = `${code} ${path}`;
      if (known.has(place)) return;
      known.add(place);
    }
    emit({ type: 'problem', code, message });
  };
}
