import type { Behaviour } from './behaviour.ts';
import { type ChunkFault, chunkFaults } from './behaviours/chunk-faults.ts';
import { type FailureName, failures } from './behaviours/failures.ts';
import { type ReplyFault, replyFaults } from './behaviours/reply-faults.ts';
import { type RequestRule, requestRules } from './behaviours/request-rules.ts';
import { type TextFault, textFaults } from './behaviours/text-faults.ts';
import { type Treatment, treatments } from './behaviours/treatments.ts';
import { type WireFault, wireFaults } from './behaviours/wire-faults.ts';

/** The name of a row in {@link behaviours}. */
export type BehaviourName =
  | Treatment
  | TextFault
  | ReplyFault
  | ChunkFault
  | WireFault
  | FailureName
  | RequestRule;

/** All that the pretend engine can be, by name. */
export const behaviours: Readonly<Record<BehaviourName, Behaviour>> = {
  ...treatments,
  ...textFaults,
  ...replyFaults,
  ...chunkFaults,
  ...wireFaults,
  ...failures,
  ...requestRules,
};

/**
 * Looks up behaviours that act together, in the order given, the treatment first.
 *
 * @throws TypeError for an unknown name, or if two of them are treatments
 */
export function combineBehaviours(names: BehaviourName | readonly BehaviourName[]): readonly Behaviour[] {
  const list = typeof names === 'string' ? [names] : names;
  for (const name of list) {
    if (!Object.hasOwn(behaviours, name))
      throw new TypeError(`behaviour: there is none called ${JSON.stringify(name)}`);
  }
  const rows = list.map((name) => behaviours[name]);
  const readers = list.filter((name) => behaviours[name].treat);
  if (readers.length > 1) throw new TypeError(`behaviour: ${readers.join(' and ')} exclude each other`);
  if (readers.length === 1) return rows;
  const treatment = rows.find((row) => row.treatment)?.treatment ?? 'healthy';
  return [behaviours[treatment], ...rows];
}
