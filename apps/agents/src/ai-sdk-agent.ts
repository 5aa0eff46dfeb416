import { createKimi } from '@kimi-tc/ai-sdk';
import { jsonSchema, type ModelMessage, streamText, type ToolSet, tool } from 'ai';
import type { AgentTask, Outcome } from './agent.ts';
import { readReply } from './ai-sdk-reply.ts';
import { createProblemTeller } from './problem-teller.ts';
import { finish, type Reply } from './reply.ts';
import type { Call } from './tools/run-call.ts';
import { runCalls, toNotice } from './tools/run-calls.ts';

// Warnings are shown with the reply they belong to.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** The agent with the AI SDK. What is Kimi's own is the provider. */
export async function runAiSdkAgent(task: AgentTask): Promise<Outcome> {
  const { baseURL, apiKey, model, transport, fetch } = task.endpoint;
  const kimi = createKimi({
    baseURL,
    apiKey,
    fetch,
    transport,
    onProblem: createProblemTeller(task.emit),
  });
  const tools: ToolSet = Object.fromEntries(task.tools.map((one) => [one.name, toTool(one)]));
  const messages: ModelMessage[] = [{ role: 'user', content: task.question }];

  for (let turn = 1; turn <= task.turnLimit; turn += 1) {
    task.emit({ type: 'turn-start', turn });
    const { stream } = streamText({
      model: kimi(model),
      instructions: task.instructions,
      messages,
      tools,
      abortSignal: task.signal,
      onError: () => {}, // it is a part of the stream, too
    });
    const reply = await readReply(stream, task.emit);
    task.signal.throwIfAborted(); // a stream that is aborted ends with a part that says so
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
      const output = { type: 'text' as const, value: result.text };
      messages.push({
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: call.id, toolName: call.name, output }],
      });
    }
    if (refused.length > 0) {
      const notice = toNotice(refused);
      task.emit({ type: 'notice', text: notice });
      messages.push({ role: 'user', content: notice });
    }
  }
  return 'turn-limit';
}

/** A reply as it goes back to the model: with its reasoning, and without the calls that were cut. */
function toAssistantMessage({ reasoning, text }: Reply, calls: readonly Call[]): ModelMessage {
  const said = text || (calls.length > 0 ? '' : '[cut off]');
  return {
    role: 'assistant',
    content: [
      ...(reasoning !== '' ? [{ type: 'reasoning' as const, text: reasoning }] : []),
      ...(said !== '' ? [{ type: 'text' as const, text: said }] : []),
      ...calls.map(({ id, name, arguments: json }) => ({
        type: 'tool-call' as const,
        toolCallId: id,
        toolName: name,
        input: JSON.parse(json) as unknown,
      })),
    ],
  };
}

/** Without `execute`, so that a call is ours to run. */
function toTool({ description, parameters }: AgentTask['tools'][number]): ToolSet[string] {
  return tool({ description, inputSchema: jsonSchema(parameters) });
}
