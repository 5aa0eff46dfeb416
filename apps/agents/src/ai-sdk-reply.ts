import type { CallWarning, TextStreamPart, ToolSet } from 'ai';
import type { AgentEvent, AgentTask } from './agent.ts';
import { createReplyCollector, type Reply } from './reply.ts';

/**
 * Reads the parts of one reply to their end.
 *
 * @throws what a part of type `error` has
 */
export async function readReply(
  stream: AsyncIterable<TextStreamPart<ToolSet>>,
  emit: AgentTask['emit'],
): Promise<Reply> {
  const collector = createReplyCollector(emit);
  const streamed = new Set<string>();
  for await (const part of stream) {
    switch (part.type) {
      case 'start-step':
        for (const warning of part.warnings) emit(toProblem(warning));
        break;
      case 'reasoning-delta':
        collector.reasoning(part.text);
        break;
      case 'text-delta':
        collector.text(part.text);
        break;
      case 'tool-input-start':
        streamed.add(part.id);
        collector.call(part.id, { id: part.id, name: part.toolName });
        break;
      case 'tool-input-delta':
        collector.call(part.id, { arguments: part.delta });
        break;
      case 'tool-call': {
        if (streamed.has(part.toolCallId)) break;
        // It was cut before its name was known.
        const { toolCallId: id, toolName: name, input } = part;
        collector.call(id, { id, name, arguments: String(input) });
        break;
      }
      case 'finish':
        collector.end(part.finishReason);
        break;
      case 'error':
        throw part.error;
    }
  }
  return collector.reply();
}

/** What the provider changed in a request or left out of it. */
function toProblem(warning: CallWarning): AgentEvent {
  const message = 'message' in warning ? warning.message : `${warning.feature}: ${warning.details ?? ''}`;
  return { type: 'problem', code: `request-${warning.type}`, message };
}
