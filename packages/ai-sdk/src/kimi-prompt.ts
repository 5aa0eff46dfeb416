import {
  type LanguageModelV4Message,
  type LanguageModelV4Prompt,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import type { ModelProfile } from '@kimi-tc/core';
import { readMessageOptions } from './kimi-call-options.ts';

/** Whether the endpoint has Moonshot's `partial`, or continues a last message by template switches. */
export type Prefill = 'partial' | 'continue';

export interface ReadPrompt {
  prompt: LanguageModelV4Prompt;
  /** The last message is to be continued. */
  prefill: boolean;
}

/**
 * The prompt as the OpenAI-compatible model takes it: what it is to write into messages stands under
 * its own key.
 *
 * @throws UnsupportedFunctionalityError for images and videos where the model reads none
 * @throws InvalidArgumentError for message options that are wrong
 */
export async function readPrompt(
  prompt: LanguageModelV4Prompt,
  profile: ModelProfile,
  prefill: Prefill,
): Promise<ReadPrompt> {
  checkMedia(prompt, profile);
  const last = prompt.at(-1);
  if (last?.role !== 'assistant') return { prompt, prefill: false };
  const { partial, name } = await readMessageOptions(last.providerOptions);
  if (!partial) return { prompt, prefill: false };
  const fields = { ...(prefill === 'partial' && { partial: true }), ...(name !== undefined && { name }) };
  return { prompt: [...prompt.slice(0, -1), withFields(last, fields)], prefill: true };
}

function withFields(message: LanguageModelV4Message, fields: { partial?: boolean; name?: string }) {
  const { providerOptions } = message;
  return {
    ...message,
    providerOptions: {
      ...providerOptions,
      openaiCompatible: { ...providerOptions?.openaiCompatible, ...fields },
    },
  };
}

/** K2 and K2-Thinking read text alone; of unknown models nothing is assumed. */
function checkMedia(prompt: LanguageModelV4Prompt, { id, family }: ModelProfile): void {
  if (family !== 'k2-instruct' && family !== 'k2-thinking') return;
  for (const { role, content } of prompt) {
    const media = role === 'user' && content.find((part) => part.type === 'file' && isMedia(part.mediaType));
    if (media) throw new UnsupportedFunctionalityError({ functionality: `images and videos with ${id}` });
  }
}

function isMedia(mediaType: string): boolean {
  return mediaType.startsWith('image') || mediaType.startsWith('video');
}
