import {
  KimiError,
  type ModelProfile,
  type PromptInput,
  renderPromptSegments,
  type SpecialTokensInText,
} from '@kimi-tc/core';
import { isObject, type JsonObject, listOf, textOf } from './json.ts';
import { familyOf } from './kimi-request.ts';

/** A request for a text completion that does what a chat request asks for. */
export interface TextRequest {
  body: JsonObject;
  /** The prompt ends in an open thought, which the text of the reply does not begin with. */
  opensThink: boolean;
}

/**
 * Tokens that may come where a request sets no limit. Endpoints for text stop after 16 by default, as
 * the OpenAI API does, and have no common value for "all there is room for" (SGLang takes numbers only).
 */
export const DEFAULT_MAX_TOKENS = 32_768;

/** Fields that only a chat request has, or that mean something else there. */
const CHAT_FIELDS = new Set([
  'add_generation_prompt',
  'audio',
  'chat_template_kwargs',
  'continue_final_message',
  'function_call',
  'functions',
  'logprobs',
  'max_completion_tokens',
  'max_tokens',
  'messages',
  'modalities',
  'parallel_tool_calls',
  'prediction',
  'reasoning_effort',
  'response_format',
  'stop',
  'thinking',
  'tool_choice',
  'tools',
  'top_logprobs',
  'verbosity',
  'web_search_options',
]);

const TURN_END = '<|im_end|>';

/**
 * Renders the conversation of a chat request. Whether the model thinks is read from `thinking`
 * (Moonshot's API) and `chat_template_kwargs` (vLLM, SGLang); fields that both endpoints know are
 * passed on, unknown ones too.
 *
 * @throws KimiError naming the field of the body that cannot be served over a text completion
 */
export function toTextRequest(
  body: JsonObject,
  model: string | ModelProfile | undefined,
  specialTokensInText: SpecialTokensInText,
): TextRequest {
  const { tools, logprobs, top_logprobs, stop, response_format: format } = body;
  if ((logprobs ?? false) !== false || (top_logprobs ?? 0) !== 0) refuse('logprobs', 'log probabilities');
  const segments = renderPromptSegments({
    messages: readMessages(body),
    tools,
    model: model ?? body.model,
    specialTokensInText,
    ...readThinking(body),
  } as PromptInput);
  if (segments.some(({ text, special }) => special && /media|video/.test(text)))
    refuse('messages', 'images and videos');
  const opensThink = segments.at(-1)?.text === '<think>';
  const isConstrained = isObject(format) && format.type !== 'text';
  // The server would hold the thought to it, whether the prompt opens that or, as with K2 Thinking, the model.
  const thinks = opensThink || familyOf((model ?? body.model) as string | ModelProfile) === 'k2-thinking';
  if (isConstrained && thinks) refuse('response_format', 'a format for the answer of a thinking model');
  return {
    opensThink,
    body: {
      ...Object.fromEntries(Object.entries(body).filter(([field]) => !CHAT_FIELDS.has(field))),
      ...(isConstrained && { response_format: format }),
      prompt: segments.map(({ text }) => text).join(''),
      max_tokens: body.max_completion_tokens ?? body.max_tokens ?? DEFAULT_MAX_TOKENS,
      stop: [...(typeof stop === 'string' ? [stop] : listOf(stop)), TURN_END],
    },
  };
}

/** vLLM and SGLang say beside the messages that the last one is to be continued, Moonshot's API in it. */
function readMessages({ messages, continue_final_message: continues }: JsonObject): unknown {
  const last = listOf(messages).at(-1);
  if (continues !== true || !isObject(last)) return messages;
  return [...listOf(messages).slice(0, -1), { ...last, partial: true }];
}

function readThinking({ thinking, chat_template_kwargs: kwargs }: JsonObject): JsonObject {
  const { type, keep } = isObject(thinking) ? thinking : {};
  const own = isObject(kwargs) ? kwargs : {};
  return {
    thinking: own.thinking ?? textOf(type) !== 'disabled',
    preserveThinking: own.preserve_thinking ?? keep === 'all',
  };
}

function refuse(field: string, what: string): never {
  throw new KimiError(field, `${field}: ${what} cannot be had over the completions transport`);
}
