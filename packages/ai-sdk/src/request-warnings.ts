import type { SharedV4Warning } from '@ai-sdk/provider';
import type { Problem, ProblemCode, RequestProblem } from '@kimi-tc/core';

/** What the AI SDK calls the fields of a request body. */
const FEATURES: Record<string, string> = {
  top_p: 'topP',
  max_tokens: 'maxOutputTokens',
  max_completion_tokens: 'maxOutputTokens',
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
  tool_choice: 'toolChoice',
  response_format: 'responseFormat',
  thinking: 'reasoning',
  reasoning_effort: 'reasoning',
  chat_template_kwargs: 'reasoning',
};

/** About what the SDK or this package made itself, and of no consequence for the user. */
const UNSAID: ReadonlySet<ProblemCode> = new Set<ProblemCode>(['id-rewritten', 'arguments-repaired']);

/**
 * Adds what was changed or left out of a request, as the AI SDK tells it. What holds for several
 * messages is told once: the AI SDK prints its warnings.
 */
export function addWarning(warnings: SharedV4Warning[], problem: Problem | RequestProblem): void {
  const warning = toWarning(problem);
  if (!warning) return;
  const text = JSON.stringify(warning);
  if (!warnings.some((other) => JSON.stringify(other) === text)) warnings.push(warning);
}

function toWarning(problem: Problem | RequestProblem): SharedV4Warning | undefined {
  const { code, message } = problem;
  if (UNSAID.has(code)) return undefined;
  const path = 'path' in problem ? problem.path : '/tool_choice';
  const [, field = '', ...rest] = path.split('/');
  const feature = FEATURES[field] ?? field;
  // Messages of the wire are not those of the application.
  const details = rest.length > 0 && field !== 'messages' ? `${message} (${path})` : message;
  switch (code) {
    case 'param-dropped':
      return { type: 'unsupported', feature, details };
    case 'param-changed':
    case 'schema-relaxed':
    case 'tool-choice-downgraded':
    case 'thinking-disabled-for-forced-tool':
      return { type: 'compatibility', feature, details };
    default:
      return { type: 'other', message: details };
  }
}
