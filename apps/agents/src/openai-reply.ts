import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { AgentTask } from './agent.ts';
import type { Call } from './tools/run-call.ts';

/** One reply of the model, complete. */
export interface OpenaiReply {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly Call[];
  readonly finishReason: string | null;
}

/** The field that the SDK's types do not have. */
type KimiDelta = ChatCompletionChunk.Choice.Delta & { reasoning_content?: string | null };

/** Reads a stream to its end, tells of each delta, and puts the reply together. */
export async function readReply(
  stream: AsyncIterable<ChatCompletionChunk>,
  emit: AgentTask['emit'],
): Promise<OpenaiReply> {
  let reasoning = '';
  let text = '';
  let finishReason: string | null = null;
  const calls = new Map<number, { id: string; name: string; arguments: string }>();

  for await (const chunk of stream) {
    const [choice] = chunk.choices;
    if (!choice) continue;
    const delta: KimiDelta = choice.delta;
    if (delta.reasoning_content) {
      reasoning += delta.reasoning_content;
      emit({ type: 'reasoning-delta', delta: delta.reasoning_content });
    }
    if (delta.content) {
      text += delta.content;
      emit({ type: 'text-delta', delta: delta.content });
    }
    for (const { index, id = '', function: part } of delta.tool_calls ?? []) {
      let call = calls.get(index);
      if (!call) {
        call = { id, name: part?.name ?? '', arguments: '' };
        calls.set(index, call);
        emit({ type: 'tool-call-start', index, id: call.id, name: call.name });
      }
      if (part?.arguments) {
        call.arguments += part.arguments;
        emit({ type: 'tool-call-delta', index, delta: part.arguments });
      }
    }
    finishReason = choice.finish_reason ?? finishReason;
  }
  return { reasoning, text, calls: [...calls.values()], finishReason };
}
