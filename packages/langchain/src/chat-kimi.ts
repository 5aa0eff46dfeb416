import {
  type Endpoint,
  type ModelFamily,
  normalizeRequest,
  type Problem,
  type RequestProblem,
  resolveModel,
  type ThinkingOption,
} from '@kimi-tc/core';
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import type {
  BaseLanguageModelInput,
  StructuredOutputMethodOptions,
} from '@langchain/core/language_models/base';
import type { LangSmithParams } from '@langchain/core/language_models/chat_models';
import type { ChatModelStreamEvent } from '@langchain/core/language_models/event';
import type { ModelProfile } from '@langchain/core/language_models/profile';
import {
  assembleStructuredOutputPipeline,
  createFunctionCallingParser,
} from '@langchain/core/language_models/structured_output';
import type { Serialized } from '@langchain/core/load/serializable';
import type { BaseMessage, MessageContent } from '@langchain/core/messages';
import type { ChatGenerationChunk, ChatResult } from '@langchain/core/outputs';
import type { Runnable } from '@langchain/core/runnables';
import { concat } from '@langchain/core/utils/stream';
import { ChatOpenAICompletions, type OpenAICoreRequestOptions as RequestOptions } from '@langchain/openai';
import { registerBlockTranslator } from './block-translator.ts';
import { type ChatKimiCallOptions, type ChatKimiFields, toSettings } from './chat-kimi-fields.ts';
import { MODEL_PROVIDER } from './kimi-metadata.ts';
import { canForceTools, toModelProfile } from './kimi-profile.ts';
import { createMessageId } from './message-id.ts';
import { OutputCallParser } from './output-call-parser.ts';
import { sealCalls } from './seal-calls.ts';
import { type OutputSchema, toOutputTool } from './structured-output.ts';
import { SERIALIZABLE_KEYS, toBaseFields, toCacheFields } from './to-base-fields.ts';
import { toChatResult } from './to-chat-result.ts';
import { toGenerationChunk, toUsageChunk } from './to-generation-chunk.ts';
import { toStreamEvents } from './to-stream-events.ts';
import type { WireUsage } from './to-usage.ts';
import { toWireMessages, type WireMessage } from './to-wire-messages.ts';
import { VERSION } from './version.ts';
import { toWireError } from './wire-error.ts';
import { usageOf, type WireChunk } from './wire-reply.ts';

/** Requests for models that are not known are left alone, so that nothing is sent of it. */
const NO_SWITCH: RequestProblem = {
  code: 'param-dropped',
  message: 'The model is not known, nor how it is told to think or not to.',
  offset: 0,
  path: '/thinking',
};

type InvocationParams = ReturnType<ChatOpenAICompletions['invocationParams']>;

/**
 * A Kimi model, whatever serves it: Moonshot's API, a router, or a server of one's own.
 *
 * Replies are repaired on the wire by `createKimiFetch` of `@kimi-tc/openai`, so that neither callbacks
 * nor traces see special tokens. Reasoning is in `additional_kwargs.reasoning_content` and in
 * `contentBlocks`, and goes back with the history. Calls that must not run, cut ones for one, are
 * `invalid_tool_calls`. What was wrong with a reply is in `response_metadata.kimi`, see `KimiMetadata`.
 */
export class ChatKimi extends ChatOpenAICompletions<ChatKimiCallOptions> {
  static override lc_name(): string {
    return 'ChatKimi';
  }

  thinking?: boolean | ThinkingOption | undefined;
  /** What the model is, if its id does not tell. */
  family?: ModelFamily | undefined;
  /** Where the API is. */
  baseURL: string;
  /** Whose rules requests keep. */
  endpoint: Endpoint;
  private readonly onProblem: ChatKimiFields['onProblem'];
  private readonly hasKey: boolean;
  private readonly cacheFields: Record<string, unknown>;

  /** @throws KimiError naming the field that is wrong */
  constructor(model: string, fields?: Omit<ChatKimiFields, 'model' | 'modelName'>);
  constructor(fields: ChatKimiFields);
  constructor(modelOrFields: string | ChatKimiFields = {}, more: ChatKimiFields = {}) {
    const fields = typeof modelOrFields === 'string' ? { ...more, model: modelOrFields } : modelOrFields;
    const settings = toSettings(fields);
    super(toBaseFields(fields, settings));
    registerBlockTranslator();
    this.thinking = fields.thinking;
    this.family = fields.family;
    this.baseURL = settings.baseURL;
    this.endpoint = settings.endpoint;
    this.onProblem = fields.onProblem;
    this.hasKey = settings.apiKey !== undefined;
    this.cacheFields = toCacheFields(fields);
    delete this.organization;
    this._addVersion('@kimi-tc/langchain', VERSION);
  }

  override _llmType(): string {
    return 'kimi';
  }

  override get lc_secrets(): Record<string, string> {
    return { apiKey: 'MOONSHOT_API_KEY' };
  }

  override get lc_aliases(): Record<string, string> {
    return { baseURL: 'base_url' };
  }

  override get lc_serializable_keys(): string[] {
    return SERIALIZABLE_KEYS;
  }

  /** LangChain adds the secrets and aliases of the base classes, which are another vendor's. */
  override toJSON(): Serialized {
    const json = super.toJSON();
    if (json.type !== 'constructor') return json;
    const { openai_api_key: _, organization: __, ...kwargs } = json.kwargs;
    const secret = { lc: 1, type: 'secret', id: ['MOONSHOT_API_KEY'] };
    return { ...json, kwargs: { ...kwargs, ...(this.hasKey && { api_key: secret }) } };
  }

  override get callKeys(): string[] {
    return [...super.callKeys, 'thinking'];
  }

  /** What tells the rules of the model. */
  private get known(): string {
    return this.family ?? this.model;
  }

  override get profile(): ModelProfile {
    return toModelProfile(this.known, this.endpoint);
  }

  /**
   * An estimate, four UTF-16 units of text to a token. The base class would get the vocabulary of another
   * vendor's models from the network.
   */
  override async getNumTokens(content: MessageContent): Promise<number> {
    const text = typeof content === 'string' ? content : content.map((block) => block.text ?? '').join('');
    return Math.ceil(text.length / 4);
  }

  override getLsParams(options: this['ParsedCallOptions']): LangSmithParams {
    const { temperature, max_tokens } = this.invocationParams(options);
    return {
      ls_provider: MODEL_PROVIDER,
      ls_model_name: this.model,
      ls_model_type: 'chat',
      ls_temperature: temperature ?? undefined,
      ls_max_tokens: max_tokens ?? undefined,
      ls_stop: options.stop,
    } as LangSmithParams;
  }

  /**
   * By this caches tell models apart: where the model is, what is sent, and how replies are read. The base
   * class has the key of the API in it.
   */
  override _identifyingParams(): ReturnType<ChatOpenAICompletions['_identifyingParams']> {
    const { model, family, baseURL, endpoint, outputVersion, cacheFields } = this;
    const own = { family, baseURL, endpoint, outputVersion, ...cacheFields };
    return { model_name: model, ...this.invocationParams(), ...own };
  }

  override invocationParams(
    options?: this['ParsedCallOptions'],
    extra?: { streaming?: boolean },
  ): InvocationParams {
    const params = super.invocationParams(options, extra);
    return { ...params, ...this.readThinking(params, options).fields };
  }

  /** The fields that say what is asked of thinking, and what of it the model does not have. */
  private readThinking(
    params: object,
    options: this['ParsedCallOptions'] | undefined,
  ): { fields: object; problems: Problem[] } {
    const thinking = options?.thinking ?? this.thinking;
    if (thinking === undefined) return { fields: {}, problems: [] };
    if (resolveModel(this.known).family === 'unknown') return { fields: {}, problems: [NO_SWITCH] };
    const { thinking: sent, reasoning_effort, chat_template_kwargs } = params as Record<string, unknown>;
    const given = { model: this.model, thinking: sent, reasoning_effort, chat_template_kwargs };
    const { body, problems } = normalizeRequest(given, {
      endpoint: this.endpoint,
      thinking,
      model: this.known,
    });
    const none = { thinking: undefined, reasoning_effort: undefined, chat_template_kwargs: undefined };
    return { fields: Object.assign(none, body), problems };
  }

  override async _generate(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    options.signal?.throwIfAborted();
    if (this.streaming) return this.collect(this._streamResponseChunks(messages, options, runManager));
    const request = { ...this.toRequest(messages, options, false), stream: false as const };
    return toChatResult(await this.completionWithRetry(request, toRequestOptions(options)));
  }

  private async collect(chunks: AsyncIterable<ChatGenerationChunk>): Promise<ChatResult> {
    let whole: ChatGenerationChunk | undefined;
    for await (const chunk of chunks) whole = whole ? concat(whole, chunk) : chunk;
    return { generations: whole ? [whole] : [] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const id = createMessageId();
    const place = { prompt: options.promptIndex ?? 0, completion: 0 };
    let usage: WireUsage | undefined;
    async function* emit(chunk: ChatGenerationChunk): AsyncGenerator<ChatGenerationChunk> {
      yield chunk;
      await runManager?.handleLLMNewToken(chunk.text, place, undefined, undefined, undefined, { chunk });
    }
    for await (const chunk of this.openStream(messages, options)) {
      usage = usageOf(chunk) ?? usage;
      const generation = toGenerationChunk(chunk, id);
      if (generation) yield* emit(generation);
    }
    if (usage && this.streamUsage) yield* emit(toUsageChunk(usage, id));
  }

  override async *_streamChatModelEvents(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
  ): AsyncGenerator<ChatModelStreamEvent> {
    const chunks = this.openStream(messages, options);
    yield* toStreamEvents(chunks, { id: createMessageId(), withUsage: this.streamUsage });
  }

  private async *openStream(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
  ): AsyncGenerator<WireChunk> {
    const request = { ...this.toRequest(messages, options, true), stream: true as const };
    let answered = false;
    for await (const chunk of sealCalls(await this.completionWithRetry(request, toRequestOptions(options)))) {
      answered ||= (chunk.choices ?? []).length > 0;
      yield chunk;
    }
    // The SDK ends an aborted stream as if it were complete.
    options.signal?.throwIfAborted();
    if (!answered) throw toWireError(undefined);
  }

  private toRequest(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    streaming: boolean,
  ): InvocationParams & { messages: WireMessage[] } {
    const { problems } = this.readThinking({}, options);
    for (const problem of problems)
      this.onProblem?.(problem, { of: 'request', choice: 0, model: this.model });
    return {
      ...this.invocationParams(options, { streaming }),
      messages: toWireMessages(messages, this.model),
    };
  }

  /**
   * A runnable whose output fits the schema. `method`: `functionCalling` forces a call of a tool (K2.5 and
   * K2.6 do not think meanwhile); `jsonSchema` and `jsonMode` ask for a reply in JSON. Default: the first,
   * and `jsonSchema` where the endpoint refuses forced tools.
   */
  override withStructuredOutput<Output extends object = Record<string, unknown>>(
    schema: OutputSchema<Output>,
    config?: StructuredOutputMethodOptions<false>,
  ): Runnable<BaseLanguageModelInput, Output>;
  override withStructuredOutput<Output extends object = Record<string, unknown>>(
    schema: OutputSchema<Output>,
    config?: StructuredOutputMethodOptions<true>,
  ): Runnable<BaseLanguageModelInput, { raw: BaseMessage; parsed: Output }>;
  override withStructuredOutput<Output extends object = Record<string, unknown>>(
    schema: OutputSchema<Output>,
    config: StructuredOutputMethodOptions<boolean> = {},
  ):
    | Runnable<BaseLanguageModelInput, Output>
    | Runnable<BaseLanguageModelInput, { raw: BaseMessage; parsed: Output }> {
    const usual = canForceTools(this.known, this.endpoint) ? 'functionCalling' : 'jsonSchema';
    const { name, includeRaw, strict, method = usual } = config;
    if (method !== 'functionCalling')
      return super.withStructuredOutput(schema, {
        ...config,
        method,
      } as StructuredOutputMethodOptions<false>);
    const tool = toOutputTool(schema, name);
    const { parameters } = tool.function;
    const model = this.withConfig({
      outputVersion: 'v0',
      tools: [tool],
      tool_choice: { type: 'function', function: { name: tool.function.name } },
      ls_structured_output_format: {
        kwargs: { method },
        schema: parameters,
      },
      ...(strict !== undefined && { strict }),
    });
    const parser = createFunctionCallingParser<Output>(schema, tool.function.name, OutputCallParser<Output>);
    return assembleStructuredOutputPipeline<Output>(model, parser, includeRaw);
  }
}

function toRequestOptions({ signal, options, ...rest }: Partial<ChatKimiCallOptions>): RequestOptions {
  const { maxRetries } = rest as { maxRetries?: number };
  return { ...(signal && { signal }), ...(maxRetries !== undefined && { maxRetries }), ...options };
}
