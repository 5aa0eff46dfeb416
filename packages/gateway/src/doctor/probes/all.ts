import type { Probe } from '../probe.ts';
import { call } from './call.ts';
import { cutCall } from './cut-call.ts';
import { errorShape } from './error-shape.ts';
import { foreignIds } from './foreign-ids.ts';
import { nextTurn } from './next-turn.ts';
import { parallelCalls } from './parallel-calls.ts';
import { plain } from './plain.ts';
import { rules } from './rules.ts';
import { forcedTool, toolChoiceNone } from './tool-choice.ts';

/** What is asked, in the order of the report. The first one is the gate. */
export const probes: readonly [Probe, ...Probe[]] = [
  plain,
  call,
  parallelCalls,
  nextTurn,
  foreignIds,
  toolChoiceNone,
  forcedTool,
  cutCall,
  errorShape,
  ...rules,
];
