import { resolveModel } from '@kimi-tc/core';
import { createChunkTransform } from './chunk-transform.ts';
import { type JsonObject, textOf } from './json.ts';
import type { KimiChunk, TextChunk } from './kimi-chunk.ts';
import { checkOptions, type KimiOptions } from './kimi-options.ts';
import { toChatChoices } from './to-chat-choices.ts';
import { wrapStream } from './transform-kimi-stream.ts';

/**
 * Turns the stream of a text completion (`/v1/completions`, given a prompt in the model's own format)
 * into chunks of a chat completion, as `transformKimiStream` gives them.
 *
 * `promptOpensThink` defaults to what the `model` option implies: prompts of K2.5 and later end in
 * an open `<think>` unless thinking is off. Log probabilities of a text completion have no place in a chat chunk.
 *
 * @throws KimiError naming the option that is wrong
 */
export function completionStreamToChat(
  stream: AsyncIterable<TextChunk>,
  options: KimiOptions = {},
): AsyncIterable<KimiChunk> {
  checkOptions(options);
  const { model, promptOpensThink } = options;
  const profile = typeof model === 'object' ? model : resolveModel(model ?? '');
  const settings = { ...options, promptOpensThink: promptOpensThink ?? profile.thinking === 'prompt' };
  return wrapStream(stream, () => {
    const transform = createChunkTransform(settings);
    return { ...transform, push: (chunk) => transform.push(toChatChunk(chunk)) };
  }) as AsyncIterable<KimiChunk>;
}

function toChatChunk(chunk: JsonObject): JsonObject {
  if (!Array.isArray(chunk.choices)) return chunk;
  const choices = toChatChoices(chunk, ({ text }) => ({
    delta: textOf(text) === '' ? {} : { content: text },
  }));
  return { ...chunk, object: 'chat.completion.chunk', choices };
}
