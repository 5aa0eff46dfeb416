import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { createKimiFetch } from './create-kimi-fetch.ts';
import { transformKimiCompletion } from './transform-kimi-completion.ts';

test("tools are taken in the SDK's own type", () => {
  const tools: OpenAI.ChatCompletionTool[] = [
    { type: 'function', function: { name: 'ping', parameters: { type: 'object', properties: {} } } },
    { type: 'custom', custom: { name: 'shell' } },
  ];
  expect(createKimiFetch({ tools })).toBeTypeOf('function');
  const completion: OpenAI.ChatCompletion = {
    id: 'c',
    object: 'chat.completion',
    created: 0,
    model: 'kimi-k2',
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        logprobs: null,
        message: { role: 'assistant', refusal: null, content: 'functions.ping:0{}' },
      },
    ],
  };
  const [choice] = transformKimiCompletion(completion, { tools }).choices;
  expect(choice?.message.tool_calls).toMatchObject([{ function: { name: 'ping', arguments: '{}' } }]);
});
