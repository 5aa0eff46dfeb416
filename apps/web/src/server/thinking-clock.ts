import type { InferUIMessageChunk } from 'ai';
import type { ChatMessage } from '../agent/chat-message.ts';

type Chunk = InferUIMessageChunk<ChatMessage>;

/**
 * Measures how long the model thinks, and writes it on the end of each piece of reasoning, so that it
 * stays with the message: `providerMetadata.thinking.milliseconds`.
 */
export function createThinkingClock(now: () => number = Date.now): { stamp(chunk: Chunk): Chunk } {
  const starts = new Map<string, number>();
  return {
    stamp(chunk) {
      if (chunk.type === 'reasoning-start') starts.set(chunk.id, now());
      if (chunk.type !== 'reasoning-end') return chunk;
      const milliseconds = now() - (starts.get(chunk.id) ?? now());
      return { ...chunk, providerMetadata: { ...chunk.providerMetadata, thinking: { milliseconds } } };
    },
  };
}
