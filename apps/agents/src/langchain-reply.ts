import type { AIMessageChunk } from '@langchain/core/messages';
import type { AgentTask } from './agent.ts';
import { createReplyCollector, type Reply } from './reply.ts';

/** Reads the chunks of one reply to their end. */
export async function readReply(
  stream: AsyncIterable<AIMessageChunk>,
  emit: AgentTask['emit'],
): Promise<Reply> {
  const collector = createReplyCollector(emit);
  for await (const chunk of stream) {
    collector.reasoning(String(chunk.additional_kwargs.reasoning_content ?? ''));
    collector.text(chunk.text);
    for (const { index = 0, id, name, args } of chunk.tool_call_chunks ?? []) {
      collector.call(index, { ...(id && { id }), ...(name && { name }), ...(args && { arguments: args }) });
    }
    collector.end(chunk.response_metadata.finish_reason as string | undefined);
  }
  return collector.reply();
}
