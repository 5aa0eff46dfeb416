import {
  type Endpoint,
  KimiError,
  type KimiModelId,
  type ModelFamily,
  normalizeRequest,
  resolveModel,
  type ThinkingOption,
} from '@kimi-tc/core';
import { endpointOf, type KimiFetchOptions } from '@kimi-tc/openai';
import type { BaseChatModelParams } from '@langchain/core/language_models/chat_models';
import { getEnvironmentVariable } from '@langchain/core/utils/env';
import type { BaseChatOpenAIFields, ChatOpenAICompletionsCallOptions } from '@langchain/openai';

/** What is `ChatOpenAI`'s own: see there. */
type OpenAIFields = Pick<
  BaseChatOpenAIFields,
  | 'temperature'
  | 'topP'
  | 'frequencyPenalty'
  | 'presencePenalty'
  | 'n'
  | 'maxTokens'
  | 'stop'
  | 'stopSequences'
  | 'logprobs'
  | 'topLogprobs'
  | 'user'
  | 'timeout'
  | 'streaming'
  | 'streamUsage'
  | 'modelKwargs'
  | 'promptCacheKey'
  | 'supportsStrictToolCalling'
  | 'configuration'
>;

/** What is `createKimiFetch`'s own: see there. */
type FetchFields = Omit<KimiFetchOptions, 'model' | 'tools' | 'toolChoice' | 'takenToolCallIds'>;

/** What `new ChatKimi` takes; what is `ChatOpenAI`'s or `createKimiFetch`'s own is described there. */
export interface ChatKimiFields extends BaseChatModelParams, OpenAIFields, FetchFields {
  /** The model's id, as the server has it. Required. */
  model?: KimiModelId | undefined;
  /** The same under the name that serialised models have it by. */
  modelName?: string | undefined;
  /**
   * What the model is, where its id does not tell, such as the name that a server of one's own has for it:
   * prompts, requests and thinking depend on it. Default: by the id; where that does not tell, requests are
   * left alone, and no reasoning is kept.
   */
  family?: ModelFamily | undefined;
  /** Where the API is, `/v1` included. Default: Moonshot's, `https://api.moonshot.ai/v1`. */
  baseURL?: string | undefined;
  /**
   * Sent as a bearer token. Default: at Moonshot's own addresses the environment variable
   * `MOONSHOT_API_KEY`, and it is an error if there is none; at any other address no key.
   */
  apiKey?: string | (() => Promise<string>) | undefined;
  /**
   * Thinking on or off, or its level (K3), or that reasoning of finished turns is to be kept (K2.6), in
   * whatever words model and endpoint have for it. A call can say otherwise. Default: the model's own.
   */
  thinking?: boolean | ThinkingOption | undefined;
}

/** What one call may say otherwise. */
export interface ChatKimiCallOptions extends ChatOpenAICompletionsCallOptions {
  /** In place of the model's `thinking`. */
  thinking?: boolean | ThinkingOption | undefined;
}

/** The fields of the constructor, defaults filled in. */
export interface ChatKimiSettings {
  model: string;
  baseURL: string;
  endpoint: Endpoint;
  apiKey: NonNullable<ChatKimiFields['apiKey']> | undefined;
}

const MOONSHOT_API = 'https://api.moonshot.ai/v1';

/** @throws KimiError naming the field that is wrong */
export function toSettings(fields: ChatKimiFields): ChatKimiSettings {
  const { endpoint, transport, configuration } = fields;
  const model = fields.model ?? fields.modelName;
  if (typeof model !== 'string' || model === '')
    throw new KimiError('model', 'model: expected the id of a model, such as kimi-k2.6');
  const { family } = fields;
  if (family !== undefined && resolveModel(family).family !== family)
    throw new KimiError('family', 'family: expected the family of a model, such as k2-thinking or k2.5');
  const baseURL = fields.baseURL ?? configuration?.baseURL ?? MOONSHOT_API;
  if (!URL.canParse(baseURL)) throw new KimiError('baseURL', 'baseURL: expected a URL');
  const own = endpointOf(baseURL);
  const given = fields.apiKey ?? configuration?.apiKey ?? undefined;
  const apiKey =
    given ?? (own === 'moonshot' ? getEnvironmentVariable('MOONSHOT_API_KEY') || undefined : undefined);
  if (apiKey === undefined && own === 'moonshot')
    throw new KimiError(
      'apiKey',
      'apiKey: expected a key, here or in the environment variable MOONSHOT_API_KEY',
    );
  // Checks the option, and does so before any request.
  normalizeRequest({}, { thinking: fields.thinking });
  return {
    model,
    baseURL,
    apiKey,
    endpoint:
      endpoint !== undefined && endpoint !== 'auto'
        ? endpoint
        : transport === 'completions'
          ? 'self-hosted'
          : own,
  };
}
