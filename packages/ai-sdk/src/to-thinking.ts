import type { LanguageModelV4CallOptions, SharedV4Warning } from '@ai-sdk/provider';
import { isCustomReasoning } from '@ai-sdk/provider-utils';
import type { ModelProfile, ThinkingOption } from '@kimi-tc/core';
import type { KimiLanguageModelOptions } from './kimi-call-options.ts';

type Reasoning = LanguageModelV4CallOptions['reasoning'];
type Level = Exclude<Reasoning, 'none' | 'provider-default' | undefined>;

const EFFORTS: Record<Level, NonNullable<ThinkingOption['effort']>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'max',
  max: 'max',
};

/** Thinking as core's request side takes it; `undefined`: nothing is asked for. */
export function toThinking(
  asked: KimiLanguageModelOptions['thinking'],
  reasoning: Reasoning,
  { family }: ModelProfile,
  warnings: SharedV4Warning[],
): boolean | ThinkingOption | undefined {
  if (family === 'unknown') {
    if (asked !== undefined || isCustomReasoning(reasoning))
      warnings.push({
        type: 'unsupported',
        feature: 'reasoning',
        details: 'The model is not known, nor how it is told to think or not to.',
      });
    return undefined;
  }
  if (typeof asked === 'object') {
    const { type, ...rest } = asked;
    return type === 'disabled' ? false : rest;
  }
  if (asked !== undefined || !isCustomReasoning(reasoning)) return asked;
  if (reasoning === 'none') return false;
  const effort = family === 'k3' ? EFFORTS[reasoning] : undefined;
  if (effort !== reasoning) {
    const sent = effort === undefined ? 'thinking is switched on' : `"${effort}" is asked for`;
    const details = `The model has no level "${reasoning}"; ${sent}.`;
    warnings.push({ type: 'compatibility', feature: 'reasoning', details });
  }
  return effort === undefined ? true : { effort };
}
