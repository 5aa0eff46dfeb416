import type { LanguageModelV4CallOptions, LanguageModelV4Middleware } from '@ai-sdk/provider';
import { type ModelProfile, resolveModel } from '@kimi-tc/core';
import { dropCutInput, toKimiHistory, toolCallIdsOf } from './kimi-history.ts';
import {
  checkReplyOptions,
  expectOption,
  isObject,
  type KimiReplyOptions,
  type ReplySettings,
  toReplySettings,
} from './kimi-options.ts';
import { createReplyTransform } from './reply-transform.ts';
import { transformResult } from './to-content.ts';
import { transformStream } from './transform-stream.ts';

/** How the middleware reads replies and sends histories. */
export interface KimiMiddlewareOptions extends KimiReplyOptions {
  /** Model id or profile. Default: the id of the wrapped model; give it where that does not tell the family. */
  model?: string | ModelProfile | undefined;
  /**
   * Send calls in the history under the ids that the model was trained on (`functions.NAME:N`); the
   * application keeps seeing those it knows. Only for models of a known family. Default true.
   */
  canonicalIds?: boolean | undefined;
}

/**
 * Makes any provider's Kimi model work with tools: for `wrapLanguageModel({ model, middleware })`.
 *
 * Calls and reasoning that the server left in the text become parts of their own, streamed as they
 * arrive; ids are unique over the conversation; the finish reason tells the truth. Calls that the
 * wrapped model parsed itself are kept as their `tool-call` says, and their textual twins removed. Calls that
 * were cut are delivered as invalid, and never run. All else of a reply passes untouched.
 *
 * @throws KimiError naming the option that is wrong
 */
export function kimiMiddleware(options: KimiMiddlewareOptions = {}): LanguageModelV4Middleware {
  expectOption('options', options, isObject, 'an object');
  const { canonicalIds = true, ...replies } = options;
  checkReplyOptions(replies);
  expectOption('canonicalIds', canonicalIds, (value) => typeof value === 'boolean', 'a boolean');
  /** The ids in a prompt as the application knows them, by the options that are sent instead. */
  const ownIds = new WeakMap<LanguageModelV4CallOptions, string[]>();

  function toSettings(params: LanguageModelV4CallOptions, modelId: string): ReplySettings {
    const ids = ownIds.get(params) ?? toolCallIdsOf(params.prompt);
    return toReplySettings({ model: modelId, ...replies }, params, ids);
  }

  return {
    specificationVersion: 'v4',
    async transformParams({ params, model }) {
      const { model: given = model.modelId } = options;
      const profile = typeof given === 'string' ? resolveModel(given) : given;
      const whole = dropCutInput(params.prompt);
      const prompt = canonicalIds ? toKimiHistory(whole, profile) : whole;
      if (prompt === params.prompt) return params;
      const transformed = { ...params, prompt };
      ownIds.set(transformed, toolCallIdsOf(params.prompt));
      return transformed;
    },
    async wrapGenerate({ doGenerate, params, model }) {
      const result = await doGenerate();
      return { ...result, ...transformResult(result, toSettings(params, model.modelId)) };
    },
    async wrapStream({ doStream, params, model }) {
      const { stream, ...rest } = await doStream();
      const settings = toSettings(params, model.modelId);
      const createTransform = createReplyTransform.bind(undefined, settings);
      return { ...rest, stream: transformStream(stream, createTransform, params.abortSignal) };
    },
  };
}
