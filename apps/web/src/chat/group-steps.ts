import type { ChatPart, Cut, PlainReply, StepProblems } from '../agent/chat-message.ts';

/** One reply of the model, and what stands beside it. */
export interface Step {
  readonly parts: readonly ChatPart[];
  readonly plain?: PlainReply;
  readonly problems: StepProblems['problems'];
  /** More would have come of it. */
  readonly cut?: Cut;
}

/** The parts of an assistant's message by the replies that they came with. */
export function groupSteps(parts: readonly ChatPart[]): readonly Step[] {
  const groups: ChatPart[][] = [];
  const plain = new Map<number, PlainReply>();
  const problems = new Map<number, StepProblems['problems']>();
  const cuts = new Map<number, Cut>();
  for (const part of parts) {
    if (part.type === 'data-plain') plain.set(part.data.step, part.data);
    else if (part.type === 'data-problems') problems.set(part.data.step, part.data.problems);
    else if (part.type === 'data-cut') cuts.set(Math.max(groups.length - 1, 0), part.data);
    else if (part.type === 'step-start') groups.push([]);
    else (groups.at(-1) ?? groups[groups.push([]) - 1])?.push(part);
  }
  // A reply that failed or was stopped at once has a plain side or a cut, and no step.
  const count = Math.max(groups.length, ...[...plain.keys(), ...cuts.keys()].map((step) => step + 1));
  return Array.from({ length: count }, (_, at) => {
    const beside = plain.get(at);
    const cut = cuts.get(at);
    return {
      parts: groups[at] ?? [],
      ...(beside && { plain: beside }),
      problems: problems.get(at) ?? [],
      ...(cut && { cut }),
    };
  });
}
