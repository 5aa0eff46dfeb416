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
  const { family: model, onProblem, reasoningMemory, configuration } = fields;
  // The SDK types its own `fetch` a little wider.
  const fetch = fields.fetch ?? (configuration?.fetch as KimiFetchOptions['fetch']);
  return { ...toReadOptions(fields), model, onProblem, reasoningMemory, fetch };
}

/** How requests are put right and replies read, as far as it is data. */
function toReadOptions(fields: ChatKimiFields): KimiFetchOptions {
  const { request, transport, specialTokensInText, recoverTextCalls } = fields;
  const { promptOpensThink, guidedJson, limits } = fields;
  return { request, transport, specialTokensInText, recoverTextCalls, promptOpensThink, guidedJson, limits };
}

/**
 * Which of the fields change what comes back without being part of the request that LangChain makes: plain
 * data, no key and no function. A memory of reasoning counts as far as there is one.
 */
export function toCacheFields(fields: ChatKimiFields): Record<string, unknown> {
  const { reasoningMemory, supportsStrictToolCalling } = fields;
  const memory = reasoningMemory === false ? { reasoningMemory } : {};
  return { ...toReadOptions(fields), ...memory, supportsStrictToolCalling };
}
