// What has to work on every runtime. Nothing here is Node's own; what is not found out by running it
// is found out by comparing.
import { createKimi } from '@kimi-tc/ai-sdk';
import { createKimiFetch } from '@kimi-tc/openai';
import { isStepCount, streamText, tool } from 'ai';
import OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { z } from 'zod';
import { smokeCore } from './smoke-core.ts';
import { answer, callWeather, expectEqual, prompt, question, weather } from './task.ts';

/**
 * Completes the task with each package.
 *
 * @param baseURL of an engine that plays `script` with raw text in the content
 * @throws Error saying what came instead
 */
export async function runSmoke(baseURL: string): Promise<readonly string[]> {
  await smokeCore();
  await smokeOpenai(baseURL);
  await smokeAiSdk(baseURL);
  return ['core', 'openai', 'ai-sdk'];
}

async function smokeOpenai(baseURL: string): Promise<void> {
  const client = new OpenAI({
    baseURL,
    apiKey: 'none',
    fetch: createKimiFetch(),
    dangerouslyAllowBrowser: true, // a worker or an edge VM looks like a browser to the SDK
  });
  const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: question }];
  for (let turn = 0; turn < 2; turn += 1) {
    const stream = client.chat.completions.stream({
      model: prompt.model,
      messages,
      tools: [...prompt.tools],
    });
    const { choices } = await stream.finalChatCompletion();
    const [choice] = choices;
    if (!choice) throw new Error('openai: no choice');
    messages.push(choice.message);
    for (const call of choice.message.tool_calls ?? []) {
      if (call.type !== 'function') throw new Error(`openai: a call of type ${call.type}`);
      expectEqual('openai: call', [call.function.name, call.id], ['weather', callWeather.id]);
      messages.push({ role: 'tool', tool_call_id: call.id, content: weather(call.function.arguments) });
    }
    expectEqual('openai: finish', choice.finish_reason, turn === 0 ? 'tool_calls' : 'stop');
  }
  expectEqual('openai: answer', messages.at(-1)?.content, answer);
}

async function smokeAiSdk(baseURL: string): Promise<void> {
  const kimi = createKimi({ baseURL });
  const result = streamText({
    model: kimi(prompt.model),
    prompt: question,
    stopWhen: isStepCount(3),
    tools: {
      weather: tool({
        description: 'The weather of a city.',
        inputSchema: z.object({ city: z.string() }),
        execute: (input) => weather(JSON.stringify(input)),
      }),
    },
    onError: () => {}, // it is thrown below
  });
  for await (const part of result.stream) if (part.type === 'error') throw part.error;
  const steps = await result.steps;
  expectEqual(
    'ai-sdk: calls',
    steps.map(({ toolCalls }) => toolCalls.map(({ toolCallId }) => toolCallId)),
    [[callWeather.id], []],
  );
  expectEqual('ai-sdk: answer', await result.text, answer);
}
