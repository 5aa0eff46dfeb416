import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { parse } from '@kimi-tc/core';
import { isGivenUp } from './kimi-metadata.ts';
import type { ReplySettings } from './kimi-options.ts';
import { createReplyTransform } from './reply-transform.ts';
import type { PartTransform } from './transform-stream.ts';

type Result = Pick<
  LanguageModelV4GenerateResult,
  'content' | 'finishReason' | 'usage' | 'providerMetadata' | 'structuredOutputText'
>;

/** A reply that is not streamed, read as if it were: its content, and what became of its end. */
export function transformResult(result: Result, settings: ReplySettings): Result {
  const { content, finishReason, usage, providerMetadata, structuredOutputText } = result;
  const parts: LanguageModelV4StreamPart[] = [];
  const transform = createReplyTransform(settings, (part) => parts.push(part));
  const isOwnCall = (part: LanguageModelV4Content) =>
    part.type === 'tool-call' && !part.providerExecuted && !isGivenUp(part.providerMetadata);
  // The structured calls come first, so that they win over their textual twins.
  for (const part of content) if (isOwnCall(part)) pushContent(transform, part, '');
  for (const [at, part] of content.entries()) if (!isOwnCall(part)) pushContent(transform, part, String(at));
  transform.push({ type: 'finish', finishReason, usage, ...(providerMetadata && { providerMetadata }) });
  transform.end();
  return {
    ...toResult(parts, content),
    ...(structuredOutputText !== undefined && {
      structuredOutputText: parse(structuredOutputText, settings.parser).content,
    }),
  };
}

/** @param id of a block: where the content stands */
function pushContent(transform: PartTransform, part: LanguageModelV4Content, id: string): void {
  if (part.type !== 'text' && part.type !== 'reasoning') {
    transform.push(part);
    return;
  }
  const { type, text, providerMetadata } = part;
  const metadata = providerMetadata && { providerMetadata };
  transform.push({ type: `${type}-start`, id, ...metadata });
  transform.push({ type: `${type}-delta`, id, delta: text });
  transform.push({ type: `${type}-end`, id, ...metadata });
}

function toResult(
  parts: readonly LanguageModelV4StreamPart[],
  given: readonly LanguageModelV4Content[],
): Pick<Result, 'content' | 'finishReason' | 'usage' | 'providerMetadata'> {
  const content: LanguageModelV4Content[] = [];
  let text: Extract<LanguageModelV4Content, { type: 'text' | 'reasoning' }> | undefined;
  for (const part of parts) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const own = given[Number(part.id)];
        const type = part.type === 'text-start' ? 'text' : 'reasoning';
        text = own?.type === type ? { ...own, text: '' } : { type, text: '' };
        content.push(text);
        break;
      }
      case 'text-delta':
      case 'reasoning-delta':
        if (text) text.text += part.delta;
        break;
      case 'error':
        throw part.error;
      case 'finish': {
        const { finishReason, usage, providerMetadata } = part;
        return { content, finishReason, usage, ...(providerMetadata && { providerMetadata }) };
      }
      case 'tool-call':
      case 'tool-result':
      case 'tool-approval-request':
      case 'source':
      case 'file':
      case 'reasoning-file':
      case 'custom':
        content.push(part);
    }
  }
  throw new Error('A reply ends with a finish.');
}
