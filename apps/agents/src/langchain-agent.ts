import { ChatKimi } from '@kimi-tc/langchain';
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import type { AgentTask, Outcome } from './agent.ts';
import { readReply } from './langchain-reply.ts';
import { createProblemTeller } from './problem-teller.ts';
import { finish, type Reply } from './reply.ts';
import type { Call } from './tools/run-call.ts';
import { runCalls, toNotice } from './tools/run-calls.ts';

/** The agent with LangChain.js. What is Kimi's own is the class of the model. */
export async function runLangchainAgent(task: AgentTask): Promise<Outcome> {
  const { baseURL, apiKey, model: id, transport, fetch } = task.endpoint;
  const model = new ChatKimi(id, {
    baseURL,
    apiKey,
    fetch,
    transport,
    maxRetries: 2, // as the other SDKs have it
    onProblem: createProblemTeller(task.emit),
  }).bindTools(task.tools.map(toTool));
  const messages: BaseMessage[] = [new SystemMessage(task.instructions), new HumanMessage(task.question)];

  for (let turn = 1; turn <= task.turnLimit; turn += 1) {
    task.emit({ type: 'turn-start', turn });
    const stream = await model.stream(messages, { signal: task.signal });
    const reply = await readReply(stream, task.emit);
    task.signal.throwIfAborted();
    task.emit({ type: 'turn-end', finishReason: reply.finishReason });
    if (reply.calls.length === 0) return finish(task, reply);

    const { ran, refused } = await runCalls(task, reply.calls);
    messages.push(
      toAssistantMessage(
        reply,
        ran.map(({ call }) => call),
      ),
    );
    for (const { call, result } of ran) {
      messages.push(new ToolMessage({ tool_call_id: call.id, content: result.text }));
    }
    if (refused.length > 0) {
      const notice = toNotice(refused);
      task.emit({ type: 'notice', text: notice });
      messages.push(new HumanMessage(notice));
    }
  }
  return 'turn-limit';
}

/** A reply as it goes back to the model: with its reasoning, and without the calls that were cut. */
function toAssistantMessage({ reasoning, text }: Reply, calls: readonly Call[]): AIMessage {
  return new AIMessage({
    content: text || (calls.length > 0 ? '' : '[cut off]'),
    additional_kwargs: reasoning !== '' ? { reasoning_content: reasoning } : {},
    tool_calls: calls.map(({ id, name, arguments: json }) => ({
      type: 'tool_call' as const,
      id,
      name,
      args: JSON.parse(json) as Record<string, unknown>,
    })),
  });
}

function toTool({ name, description, parameters }: AgentTask['tools'][number]): {
  type: 'function';
  function: { name: string; description: string; parameters: Record<string, unknown> };
} {
  return { type: 'function', function: { name, description, parameters } };
}
