import { type LanguageModelV4, NoSuchModelError, type ProviderV4 } from '@ai-sdk/provider';
import {
  type FetchFunction,
  loadApiKey,
  withoutTrailingSlash,
  withUserAgentSuffix,
} from '@ai-sdk/provider-utils';
import { type KimiModelId, resolveModel } from '@kimi-tc/core';
import { createKimiFetch, createReasoningMemory, endpointOf } from '@kimi-tc/openai';
import { createKimiChatModel, type KimiChatConfig } from './kimi-chat-language-model.ts';
import { checkReplyOptions, expectOption, isObject, type KimiReplyOptions } from './kimi-options.ts';
import { VERSION } from './version.ts';

/** Where the model is, and how requests and replies are put right. Everything may be left out. */
export interface KimiProviderSettings
  extends KimiReplyOptions,
    Pick<
      KimiChatConfig,
      | 'family'
      | 'queryParams'
      | 'transport'
      | 'specialTokensInText'
      | 'request'
      | 'supportsStructuredOutputs'
      | 'reasoningMemory'
    > {
  /** Where the API is, `/v1` included. Default: Moonshot's, `https://api.moonshot.ai/v1`. */
  baseURL?: string | undefined;
  /**
   * Sent as a bearer token. Default: at Moonshot's own addresses the environment variable
   * `MOONSHOT_API_KEY`, and it is an error if there is none; at any other address no key.
   */
  apiKey?: string | undefined;
  /** Sent with each request, after the package's own. */
  headers?: Record<string, string> | undefined;
  /** The `fetch` to call. Default: the global one. */
  fetch?: FetchFunction | undefined;
  /**
   * Whose rules the requests have to keep. Default `auto`: by the base URL, `moonshot` at Moonshot's
   * addresses, `self-hosted` on this machine, in private networks and with transport `completions`, else
   * `router`.
   */
  endpoint?: KimiChatConfig['endpoint'] | 'auto' | undefined;
}

/** Makes models by their ids. Embeddings and images are refused with the AI SDK's `NoSuchModelError`. */
export interface KimiProvider extends ProviderV4 {
  /** A chat model. */
  (modelId: KimiModelId): LanguageModelV4;
  languageModel(modelId: KimiModelId): LanguageModelV4;
  chatModel(modelId: KimiModelId): LanguageModelV4;
}

/**
 * A provider of Kimi models, whatever serves them: Moonshot's API, a router, or a server of one's own.
 *
 * @throws KimiError naming the setting that is wrong. What is wrong with an API key shows at the first call.
 */
export function createKimi(settings: KimiProviderSettings = {}): KimiProvider {
  checkSettings(settings);
  const {
    baseURL: given = 'https://api.moonshot.ai/v1',
    headers,
    apiKey,
    endpoint = 'auto',
    ...rest
  } = settings;
  const own = endpointOf(given);

  const getHeaders = () => {
    const key =
      own === 'moonshot'
        ? loadApiKey({
            apiKey,
            environmentVariableName: 'MOONSHOT_API_KEY',
            description: 'Moonshot API key',
          })
        : apiKey;
    return withUserAgentSuffix(
      { ...(key && { Authorization: `Bearer ${key}` }), ...headers },
      `ai-sdk-kimi-tc/${VERSION}`,
    );
  };

  const config: KimiChatConfig = {
    reasoningMemory: createReasoningMemory(),
    ...rest,
    provider: 'kimi.chat',
    baseURL: withoutTrailingSlash(given) as string,
    headers: getHeaders,
    endpoint: endpoint === 'auto' ? toEndpoint(own, rest.transport) : endpoint,
    learnt: { completions: false },
  };

  const createModel = (modelId: KimiModelId) => createKimiChatModel(modelId, config);
  const noSuchModel = (modelType: 'embeddingModel' | 'imageModel') => (modelId: string) => {
    throw new NoSuchModelError({ modelId, modelType });
  };
  return Object.assign((modelId: KimiModelId) => createModel(modelId), {
    specificationVersion: 'v4' as const,
    languageModel: createModel,
    chatModel: createModel,
    embeddingModel: noSuchModel('embeddingModel'),
    imageModel: noSuchModel('imageModel'),
  });
}

/** Kimi at Moonshot's API, with the key in `MOONSHOT_API_KEY`. */
export const kimi: KimiProvider = /* @__PURE__ */ createKimi();

function toEndpoint(
  own: KimiChatConfig['endpoint'],
  transport: KimiChatConfig['transport'],
): KimiChatConfig['endpoint'] {
  return own !== 'moonshot' && transport === 'completions' ? 'self-hosted' : own;
}

/** The fetch checks its own options, and does so when it is made. */
function checkSettings(settings: KimiProviderSettings): void {
  expectOption('settings', settings, isObject, 'an object');
  const { apiKey, baseURL, family, headers, queryParams, supportsStructuredOutputs, emptyTurn, ...rest } =
    settings;
  createKimiFetch(rest);
  checkReplyOptions({ emptyTurn });
  expectOption('baseURL', baseURL, isAddress, 'a URL');
  expectOption('apiKey', apiKey, (value) => typeof value === 'string', 'a string');
  expectOption('family', family, isFamily, 'the family of a model, such as k2-thinking or k2.5');
  expectOption('headers', headers, isRecord, 'an object of strings');
  expectOption('queryParams', queryParams, isRecord, 'an object of strings');
  expectOption(
    'supportsStructuredOutputs',
    supportsStructuredOutputs,
    (value) => typeof value === 'boolean',
    'a boolean',
  );
}

function isRecord(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isText);
}

function isFamily(value: unknown): boolean {
  return resolveModel(value as string).family === value;
}

/** Headers of plain JavaScript may be left out by `undefined`. */
function isText(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

/** A relative address, which browsers take, is some server behind the page's own. */
function isAddress(baseURL: unknown): boolean {
  return typeof baseURL === 'string' && baseURL !== '' && URL.canParse(baseURL, 'http://relative.invalid');
}
