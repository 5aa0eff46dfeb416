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

/** What was changed or left out of a request, as the AI SDK tells it. */
export function toWarnings(problem: Problem | RequestProblem): SharedV4Warning[] {
  const { code, message } = problem;
  const path = 'path' in problem ? problem.path : '/tool_choice';
  if (UNSAID.has(code)) return [];
  const field = path.split('/')[1] ?? '';
  const feature = FEATURES[field] ?? field;
  const place = path.split('/').length > 2 ? ` (${path})` : '';
  const details = `${message}${place}`;
  switch (code) {
    case 'param-dropped':
      return [{ type: 'unsupported', feature, details }];
    case 'param-changed':
    case 'schema-relaxed':
    case 'tool-choice-downgraded':
    case 'thinking-disabled-for-forced-tool':
      return [{ type: 'compatibility', feature, details }];
    default:
      return [{ type: 'other', message: details }];
  }
}
