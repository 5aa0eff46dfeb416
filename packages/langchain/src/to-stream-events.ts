import type { ChatModelStreamEvent } from '@langchain/core/language_models/event';
import { convertOpenAICompletionsStream } from '@langchain/openai';
import { MODEL_PROVIDER } from './kimi-metadata.ts';
import { toFinishMetadata } from './to-generation-chunk.ts';
import { withStandardDetails } from './to-usage.ts';
import { usageOf, type WireChunk } from './wire-reply.ts';

/** Chunks of the wire as events of LangChain's content block protocol. */
type StreamChunk =
  Parameters<typeof convertOpenAICompletionsStream>[0] extends AsyncIterable<infer Chunk> ? Chunk : never;

export async function* toStreamEvents(
  chunks: AsyncIterable<WireChunk>,
  { id, withUsage }: { id: string; withUsage: boolean },
): AsyncGenerator<ChatModelStreamEvent> {
  let metadata: Record<string, unknown> = {};

  async function* prepare(): AsyncGenerator<StreamChunk> {
    for await (const chunk of chunks) {
      const [choice] = chunk.choices ?? [];
      if (choice?.finish_reason) metadata = toFinishMetadata(chunk, choice);
      const usage = usageOf(chunk);
      yield { ...chunk, id, ...(usage && { usage: withStandardDetails(usage) }) } as StreamChunk;
    }
  }

  const events = convertOpenAICompletionsStream(prepare(), {
    provider: MODEL_PROVIDER,
    streamUsage: withUsage,
  });
  for await (const event of events) {
    if (event.event !== 'message-finish') yield event;
    else
      yield {
        ...event,
        responseMetadata: { ...event.responseMetadata, ...metadata, model_provider: MODEL_PROVIDER },
      };
  }
}
