import { OpenAICompatibleChatLanguageModel } from '@ai-sdk/openai-compatible';
import type {
  JSONObject,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamResult,
  SharedV4Warning,
} from '@ai-sdk/provider';
import {
  type FetchFunction,
  serializeModelOptions,
  WORKFLOW_DESERIALIZE,
  WORKFLOW_SERIALIZE,
} from '@ai-sdk/provider-utils';
import { type ModelFamily, type Problem, type RequestOptions, resolveModel } from '@kimi-tc/core';
import {
  createKimiFetch,
  createReasoningMemory,
  type KimiExtra,
  type KimiFetchOptions,
  type ReasoningMemory,
} from '@kimi-tc/openai';
import { toBodyFields, toKimiBody } from './kimi-body.ts';
import { type KimiLanguageModelOptions, readCallOptions } from './kimi-call-options.ts';
import { dropCutInput } from './kimi-history.ts';
import type { KimiReplyOptions } from './kimi-options.ts';
import { readPrompt } from './kimi-prompt.ts';
import { addWarning } from './request-warnings.ts';
import { toThinking } from './to-thinking.ts';
import { toUsage } from './to-usage.ts';
import { transformStream } from './transform-stream.ts';
import { createWireTransform, toWireResult, type WireReply } from './wire-parts.ts';

/** What a model needs. All but functions and the memory survives a workflow step. */
export interface KimiChatConfig extends Omit<KimiReplyOptions, 'onProblem'> {
  provider: string;
  baseURL: string;
  /**
   * What the models are whose ids do not tell, such as names of a server of one's own: prompts, requests and
   * thinking depend on it. Holds for all ids. Default: told from each id; of one that does not tell requests
   * are left alone, and no reasoning is kept.
   */
  family?: ModelFamily | undefined;
  headers?: (() => Record<string, string | undefined>) | Record<string, string | undefined> | undefined;
  /** Added to the address of each request. Default: none. */
  queryParams?: Record<string, string> | undefined;
  endpoint: 'moonshot' | 'self-hosted' | 'router';
  /** How requests travel, as `createKimiFetch` of `@kimi-tc/openai` has it. Default `chat`. */
  transport?: KimiFetchOptions['transport'];
  /** Over text completions: what becomes of text that spells a control token. Default `break`. */
  specialTokensInText?: KimiFetchOptions['specialTokensInText'];
  /**
   * What is put right in requests, as `createKimiFetch` has it; `false`: nothing. Thinking is for each call
   * to say. Default: everything.
   */
  request?: boolean | Omit<Exclude<KimiFetchOptions['request'], boolean | undefined>, 'thinking'> | undefined;
  /** Send JSON schemas of structured output as `json_schema`; else `json_object` alone. Default true. */
  supportsStructuredOutputs?: boolean | undefined;
  /** Shared by the models of a provider: with transport `auto`, what it has found out about the server. */
  learnt?: { completions: boolean } | undefined;
  fetch?: FetchFunction | undefined;
  onProblem?: ((problem: Problem) => void) | undefined;
  /**
   * Keeps the reasoning of turns with calls that an application does not send back; `false`: none.
   * Default: one for each provider, in this process, bounded.
   */
  reasoningMemory?: ReasoningMemory | false | undefined;
}

/** One call, ready to be made. */
interface PreparedCall {
  model: LanguageModelV4;
  options: LanguageModelV4CallOptions;
  reply: WireReply;
}

export function createKimiChatModel(modelId: string, config: KimiChatConfig): LanguageModelV4 {
  return new KimiChatLanguageModel(modelId, config);
}

/**
 * The OpenAI-compatible chat model over a fetch that repairs both directions. The fetch is made for
 * each call, as it is what knows the call's options and what became of them.
 */
class KimiChatLanguageModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4';
  readonly modelId: string;
  private readonly config: KimiChatConfig;
  private readonly reasoningMemory: ReasoningMemory | false;

  static [WORKFLOW_SERIALIZE](model: KimiChatLanguageModel): { modelId: string; config: JSONObject } {
    const { headers, ...config } = model.config;
    return serializeModelOptions({
      modelId: model.modelId,
      config: { ...config, ...(headers && { headers }) },
    });
  }

  static [WORKFLOW_DESERIALIZE](options: { modelId: string; config: KimiChatConfig }): KimiChatLanguageModel {
    return new KimiChatLanguageModel(options.modelId, options.config);
  }

  constructor(modelId: string, config: KimiChatConfig) {
    this.modelId = modelId;
    this.config = config;
    this.reasoningMemory = config.reasoningMemory ?? createReasoningMemory();
  }

  get provider(): string {
    return this.config.provider;
  }

  /** Moonshot fetches nothing, but knows the files that were uploaded to it; all else the AI SDK fetches. */
  get supportedUrls(): Record<string, RegExp[]> {
    return this.config.endpoint === 'moonshot' ? { 'image/*': [/^ms:\/\//], 'video/*': [/^ms:\/\//] } : {};
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const call = await this.prepare(options);
    return toWireResult(await call.model.doGenerate(call.options), call.reply);
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const call = await this.prepare(options);
    const { stream, ...rest } = await call.model.doStream(call.options);
    return {
      ...rest,
      stream: transformStream(stream, createWireTransform.bind(undefined, call.reply), options.abortSignal),
    };
  }

  private async prepare(options: LanguageModelV4CallOptions): Promise<PreparedCall> {
    const { config, modelId } = this;
    const profile = { ...resolveModel(config.family ?? modelId), id: modelId };
    const asked = await readCallOptions(options.providerOptions);
    const warnings: SharedV4Warning[] = [];
    const thinking = toThinking(asked.thinking, options.reasoning, profile, warnings);
    if (config.request === false && thinking !== undefined)
      warnings.push({
        type: 'unsupported',
        feature: 'reasoning',
        details: 'The provider leaves requests alone.',
      });
    const { prompt, prefill } = await readPrompt(
      dropCutInput(options.prompt),
      profile,
      config.endpoint === 'self-hosted' ? 'continue' : 'partial',
    );
    const reply: WireReply = {
      warnings,
      extra: {},
      emptyTurn: asked.emptyTurn ?? config.emptyTurn ?? 'finish',
    };
    return {
      reply,
      options: {
        ...options,
        prompt,
        reasoning: 'provider-default',
        providerOptions: { ...options.providerOptions, kimi: toBodyFields(asked) },
      },
      model: new OpenAICompatibleChatLanguageModel(modelId, {
        provider: config.provider,
        url: ({ path }) => this.toUrl(path),
        ...(config.headers && { headers: config.headers }),
        fetch: this.createFetch(asked, thinking, warnings),
        includeUsage: true,
        supportsStructuredOutputs: config.supportsStructuredOutputs ?? true,
        convertUsage: toUsage,
        transformRequestBody: (body) =>
          config.request === false ? body : toKimiBody(body, config.endpoint, prefill),
        metadataExtractor: {
          extractMetadata: async ({ parsedBody }) => takeExtra(reply, parsedBody),
          createStreamExtractor: () => ({
            processChunk: (chunk) => takeExtra(reply, chunk),
            buildMetadata: () => undefined,
          }),
        },
      }),
    };
  }

  private createFetch(
    asked: KimiLanguageModelOptions,
    thinking: RequestOptions['thinking'],
    warnings: SharedV4Warning[],
  ): FetchFunction {
    const { recoverTextCalls, promptOpensThink, guidedJson, limits, onProblem } = this.config;
    const { endpoint, transport, specialTokensInText, request = true } = this.config;
    const { learnt = { completions: false } } = this.config;
    const send = this.config.fetch ?? globalThis.fetch;
    return createKimiFetch({
      recoverTextCalls: asked.recoverTextCalls ?? recoverTextCalls,
      promptOpensThink,
      guidedJson,
      limits,
      model: this.config.family ?? this.modelId,
      specialTokensInText,
      transport: transport === 'auto' && learnt.completions ? 'completions' : transport,
      reasoningMemory: this.reasoningMemory,
      endpoint,
      request: request === false ? false : { ...(typeof request === 'object' && request), thinking },
      async fetch(input, init) {
        const response = await send(input, init);
        learnt.completions ||= response.ok && isTextCompletion(input);
        return response;
      },
      onProblem(problem, { of }) {
        if (of === 'request') addWarning(warnings, problem);
        else onProblem?.(problem);
      },
    });
  }

  private toUrl(path: string): string {
    const { baseURL, queryParams } = this.config;
    const query = queryParams ? `?${new URLSearchParams(queryParams)}` : '';
    return `${baseURL}${path}${query}`;
  }
}

function isTextCompletion(input: Parameters<FetchFunction>[0]): boolean {
  const url = typeof input === 'object' && 'url' in input ? input.url : String(input);
  return !url.includes('/chat/completions');
}

function takeExtra(reply: WireReply, body: unknown): undefined {
  const { choices } = Object(body) as { choices?: { x_kimi?: KimiExtra }[] };
  const extra = Array.isArray(choices) ? choices[0]?.x_kimi : undefined;
  if (extra) reply.extra = extra;
}
