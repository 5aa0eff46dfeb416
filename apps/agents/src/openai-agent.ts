import { createKimiFetch } from '@kimi-tc/openai';
import OpenAI from 'openai';
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions';
import type { AgentTask, Outcome } from './agent.ts';
import { readReply } from './openai-reply.ts';
import { createProblemTeller } from './problem-teller.ts';
import { finish, type Reply } from './reply.ts';
import type { Call } from './tools/run-call.ts';
import { runCalls, toNotice } from './tools/run-calls.ts';

/** The agent with the OpenAI SDK. What is Kimi's own is the `fetch` of the client. */
export async function runOpenaiAgent(task: AgentTask): Promise<Outcome> {
  const { baseURL, apiKey, model, transport, fetch } = task.endpoint;
  const kimiFetch = createKimiFetch({
    fetch,
    transport,
    onProblem: createProblemTeller(task.emit),
  });
  const client = new OpenAI({ baseURL, apiKey, fetch: kimiFetch });
  const tools = task.tools.map(toTool);
  const messages: ChatCompletionMessageParam[] = [
    { role: 'system', content: task.instructions },
    { role: 'user', content: task.question },
  ];

  for (let turn = 1; turn <= task.turnLimit; turn += 1) {
    task.emit({ type: 'turn-start', turn });
    const stream = await client.chat.completions.create(
      { model, messages, tools, stream: true },
      { signal: task.signal },
    );
    const reply = await readReply(stream, task.emit);
    task.signal.throwIfAborted(); // a stream that is aborted ends without a word
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
      messages.push({ role: 'tool', tool_call_id: call.id, content: result.text });
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
function toAssistantMessage({ reasoning, text }: Reply, calls: readonly Call[]): ChatCompletionMessageParam {
  const hasCalls = calls.length > 0;
  return {
    role: 'assistant',
    content: text || (hasCalls ? null : '[cut off]'),
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(hasCalls && {
      tool_calls: calls.map(({ id, name, arguments: json }) => ({
        id,
        type: 'function' as const,
        function: { name, arguments: json },
      })),
    }),
  };
}

function toTool({ name, description, parameters }: AgentTask['tools'][number]): ChatCompletionTool {
  return { type: 'function', function: { name, description, parameters } };
}
