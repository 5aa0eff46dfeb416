import { CUT_ARGUMENTS_SEAL } from '@kimi-tc/core';
import { createKimiFetch } from '@kimi-tc/openai';
import { startEngine } from '@kimi-tc/testing';
import type { AIMessageChunk } from '@langchain/core/messages';
import { parsePartialJson } from '@langchain/core/output_parsers';
import { concat } from '@langchain/core/utils/stream';
import { ChatOpenAI } from '@langchain/openai';
import { describe, expect, onTestFinished, test } from 'vitest';

// LangChain completes cut JSON when it joins chunks: whatever state the arguments were cut in.
const CUT = [
  '',
  '{',
  '{"path"',
  '{"path":',
  '{"path":1',
  '{"path":"sr',
  '{"path":"sr\\',
  '{"path":"sr\\u00',
  '{"path":"src","de',
  '{"path":["a"',
];

test.each([...CUT, '{}', '{"path":"src"}'])(
  'LangChain cannot complete arguments behind the seal: %s',
  (args) => {
    expect(parsePartialJson(args + CUT_ARGUMENTS_SEAL)).toBeNull();
  },
);

describe('a call that was given up, with ChatOpenAI and the fetch alone', () => {
  test.each(CUT)('is invalid: %s', async (args) => {
    const text = `<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>${args}`;
    const engine = await startEngine({ script: [text], behaviour: 'raw-content' });
    onTestFinished(() => engine.stop());
    const model = new ChatOpenAI({
      model: 'kimi-k2',
      apiKey: 'none',
      maxRetries: 0,
      configuration: { baseURL: engine.baseURL, fetch: createKimiFetch() },
    });
    let message: AIMessageChunk | undefined;
    for await (const chunk of await model.stream('Read it.')) {
      message = message === undefined ? chunk : concat(message, chunk);
    }
    expect(message?.tool_calls).toEqual([]);
    expect(message?.invalid_tool_calls).toMatchObject([{ name: 'read', args: args + CUT_ARGUMENTS_SEAL }]);
  });
});
