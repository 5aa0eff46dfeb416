import { createKimiFetch, type KimiFetchOptions } from '@kimi-tc/openai';
import type { BaseChatOpenAIFields } from '@langchain/openai';
import type { ChatKimiFields, ChatKimiSettings } from './chat-kimi-fields.ts';

/** What another process may be told of a model, keys of constructors: no key, no function, no client options. */
export const SERIALIZABLE_KEYS: string[] = [
  'model',
  'modelName',
  'family',
  'baseURL',
  'endpoint',
  'transport',
  'specialTokensInText',
  'request',
  'thinking',
  'recoverTextCalls',
  'promptOpensThink',
  'guidedJson',
  'limits',
  'temperature',
  'topP',
  'frequencyPenalty',
  'presencePenalty',
  'n',
  'maxTokens',
  'stop',
  'stopSequences',
  'logprobs',
  'topLogprobs',
  'user',
  'timeout',
  'streaming',
  'streamUsage',
  'modelKwargs',
  'promptCacheKey',
  'supportsStrictToolCalling',
  'disableStreaming',
  'outputVersion',
  'maxConcurrency',
  'maxRetries',
  'verbose',
  'tags',
  'metadata',
];

/** What LangChain's model for OpenAI-compatible servers is made of: the wire is repaired by its `fetch`. */
export function toBaseFields(
  fields: ChatKimiFields,
  { model, baseURL, apiKey, endpoint }: ChatKimiSettings,
): BaseChatOpenAIFields {
  const { configuration, modelName: _, ...rest } = fields;
  return {
    ...rest,
    model,
    baseURL,
    // The SDK wants one, and the base class would take that of another vendor from the environment.
    apiKey: apiKey ?? 'none',
    configuration: {
      // The SDK takes these from the environment; they are for another vendor.
      organization: null,
      project: null,
      ...configuration,
      baseURL,
      fetch: createKimiFetch({ ...toFetchOptions(fields), endpoint }),
    },
  } as BaseChatOpenAIFields;
}

function toFetchOptions(fields: ChatKimiFields): KimiFetchOptions {
  const { family: model, request, transport, specialTokensInText, onProblem, reasoningMemory } = fields;
  const { recoverTextCalls, promptOpensThink, guidedJson, limits, configuration } = fields;
  // The SDK types its own `fetch` a little wider.
  const fetch = fields.fetch ?? (configuration?.fetch as KimiFetchOptions['fetch']);
  const sent = { model, request, transport, specialTokensInText, reasoningMemory, fetch };
  return { ...sent, recoverTextCalls, promptOpensThink, guidedJson, limits, onProblem };
}
