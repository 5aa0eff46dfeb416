import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { AgentTask } from './agent.ts';
import { createReplyCollector, type Reply } from './reply.ts';

/** The field that the SDK's types do not have. */
type KimiDelta = ChatCompletionChunk.Choice.Delta & { reasoning_content?: string | null };

/** Reads the chunks of one reply to their end. */
export async function readReply(
  stream: AsyncIterable<ChatCompletionChunk>,
  emit: AgentTask['emit'],
): Promise<Reply> {
  const collector = createReplyCollector(emit);
  for await (const chunk of stream) {
    const [choice] = chunk.choices;
    if (!choice) continue;
    const delta: KimiDelta = choice.delta;
    collector.reasoning(delta.reasoning_content ?? '');
    collector.text(delta.content ?? '');
    for (const { index, id, function: part } of delta.tool_calls ?? []) {
      collector.call(index, { ...(id && { id }), ...part });
    }
    collector.end(choice.finish_reason);
  }
  return collector.reply();
}
