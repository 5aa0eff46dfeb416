import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { CUT_ARGUMENTS_SEAL, KimiError } from '@kimi-tc/core';
import { type BehaviourName, type EngineOptions, startEngine } from '@kimi-tc/testing';
import {
  AISDKError,
  convertToModelMessages,
  generateText,
  isStepCount,
  type LanguageModel,
  Output,
  readUIMessageStream,
  type StreamTextResult,
  streamText,
  type ToolSet,
  tool,
  toUIMessageStream,
  type UIMessage,
  wrapLanguageModel,
} from 'ai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createKimi, KimiEmptyTurnError, type KimiReplyOptions, kimiMiddleware } from './index.ts';

globalThis.AI_SDK_LOG_WARNINGS = false;

const MODEL = 'kimi-k2-thinking';

const models: {
  name: string;
  connect(baseURL: string, options?: KimiReplyOptions): LanguageModel;
}[] = [
  { name: 'the provider', connect: (baseURL, options) => createKimi({ baseURL, ...options })(MODEL) },
  {
    name: 'the middleware',
    connect: (baseURL, options) =>
      wrapLanguageModel({
        model: createOpenAICompatible({ name: 'some', baseURL, supportsStructuredOutputs: true })(MODEL),
        middleware: kimiMiddleware(options),
      }),
  },
  {
    name: 'the middleware around the provider',
    connect: (baseURL, options) =>
      wrapLanguageModel({ model: createKimi({ baseURL, ...options })(MODEL), middleware: kimiMiddleware() }),
  },
];

const SECTION_BEGIN = '<|tool_calls_section_begin|>';
const section = (...calls: string[]) => `${SECTION_BEGIN}${calls.join('')}<|tool_calls_section_end|>`;
const begin = (id: string, args: string) => `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${args}`;
const call = (id: string, args: string) => `${begin(id, args)}<|tool_call_end|>`;

async function start(options: Partial<EngineOptions> & Pick<EngineOptions, 'script'>) {
  const engine = await startEngine({ behaviour: 'raw-content', ...options });
  onTestFinished(() => engine.stop());
  return engine;
}

function createSaver() {
  const saved: string[] = [];
  const save = tool({
    inputSchema: z.object({ title: z.string() }),
    execute: async ({ title }) => {
      saved.push(title);
      return 'Saved.';
    },
  });
  return { saved, tools: { save } };
}

/** What a chat shows of a stream, and whether its reader choked on the order of the parts. */
async function readUI(
  result: StreamTextResult<ToolSet, never, never>,
  tools: ToolSet,
): Promise<{ message: UIMessage | undefined; failures: string[] }> {
  const failures: string[] = [];
  let message: UIMessage | undefined;
  const stream = toUIMessageStream({ stream: result.stream, tools, onError: () => 'told' });
  const onError = (error: unknown) => failures.push((error as Error).message);
  for await (const one of readUIMessageStream({ stream, onError })) message = one as UIMessage;
  return { message, failures };
}

describe.each(models)('replies through $name', ({ connect }) => {
  /** Streams, and reads as a chat does. */
  async function stream(
    baseURL: string,
    tools: ToolSet,
    settings: Partial<Parameters<typeof streamText>[0]> = {},
    options?: KimiReplyOptions,
  ) {
    const errors: unknown[] = [];
    const result = streamText({
      model: connect(baseURL, options),
      tools,
      prompt: 'Save it.',
      maxRetries: 0,
      onError: ({ error }: { error: unknown }) => {
        errors.push(error);
      },
      ...settings,
    } as Parameters<typeof streamText>[0]);
    const ui = await readUI(result as never, tools);
    return { result, errors, ...ui };
  }

  test('parts come in order: text, then input as it arrives, then the call, then the finish', async () => {
    const engine = await start({
      script: [
        `<think>Hm.</think>\n\nSaving.${section(call('functions.save:0', '{"title": "A B C D"}'))} \n`,
      ],
    });
    const { tools } = createSaver();
    const result = streamText({ model: connect(engine.baseURL), tools, prompt: 'Save it.' });
    const types: string[] = [];
    for await (const { type } of result.stream) if (types.at(-1) !== type) types.push(type);
    expect(types).toEqual([
      'start',
      'start-step',
      'reasoning-start',
      'reasoning-delta',
      'reasoning-end',
      'text-start',
      'text-delta',
      'text-end',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-end',
      'tool-call',
      'tool-result',
      'finish-step',
      'finish',
    ]);
    const [toolCall] = await result.toolCalls;
    expect(toolCall?.providerMetadata).toMatchObject({ kimi: { toolCallId: 'functions.save:0' } });
    expect(await result.finalStep).toMatchObject({ finishReason: 'tool-calls', rawFinishReason: 'stop' });
  });

  test.each([
    ['cut by the limit', `Saving.${SECTION_BEGIN}${begin('functions.save:0', '{"title": "A')}`, 'length'],
    ['complete, but the limit was reached', section(call('functions.save:0', '{"title":"A"}')), 'length'],
    ['cut without a reason', `Saving.${SECTION_BEGIN}${begin('functions.save:0', '{"title": "A')}`, 'stop'],
    ['cut before its arguments', `Saving.${SECTION_BEGIN}${begin('functions.save:0', '')}`, 'stop'],
    ['without a readable id', section(call('n<save the thing', '{"title":"A"}')), 'stop'],
    ['of no known tool', section(call('call_9f31c0de', '{"other":1}')), 'stop'],
  ])('a call is not run: %s', async (_, text, finishReason) => {
    for (const streamed of [true, false]) {
      const engine = await start({ script: [{ text, finishReason }, 'Sorry.'] });
      const { saved, tools } = createSaver();
      if (streamed) {
        const { failures, errors } = await stream(engine.baseURL, tools);
        expect([...failures, ...errors]).toEqual([]);
      } else {
        await generateText({ model: connect(engine.baseURL), tools, prompt: 'Save it.' });
      }
      expect(saved).toEqual([]);
    }
  });

  test.each([
    ['truncated-call', `Saving.${SECTION_BEGIN}${begin('functions.save:0', '{"title": "A')}`, 'save'],
    ['truncated-call', `Saving.${SECTION_BEGIN}${begin('functions.save:0', '')}`, 'save'],
    ['malformed-call', section(call('n<save the thing', '{"title":"A"}')), 'n'],
    ['unresolved-tool', section(call('', '{"other":1}')), 'unknown_tool'],
  ])('a broken call is shown as an invalid one, and told to the model: %s', async (code, text, toolName) => {
    const engine = await start({ script: [text, 'Sorry.'] });
    const { saved, tools } = createSaver();
    const settings = { stopWhen: isStepCount(5) };
    const { result, message, failures } = await stream(engine.baseURL, tools, settings);
    expect(failures).toEqual([]);
    const part = message?.parts.find(({ type }) => type === 'dynamic-tool' || type.startsWith('tool-'));
    expect(part).toMatchObject({ state: 'output-error' });
    const [step] = await result.steps;
    expect(step?.toolCalls).toMatchObject([
      { toolName, invalid: true, providerMetadata: { kimi: { incomplete: code } } },
    ]);
    expect(step?.providerMetadata).toMatchObject({ kimi: { problems: [{ code }] } });
    expect(await result.text).toMatch(/Sorry\.$/);

    const whole = await generateText({
      model: connect(engine.baseURL),
      tools,
      prompt: 'Save it.',
      ...settings,
    });
    expect(whole.steps[0]?.toolCalls).toMatchObject([
      { toolName, invalid: true, providerMetadata: { kimi: { incomplete: code } } },
    ]);
    expect(whole.steps[0]?.providerMetadata).toMatchObject({ kimi: { problems: [{ code }] } });
    expect(whole.finalStep.text).toBe('Sorry.');
    expect(saved).toEqual([]);
    const { messages } = Object(engine.requests.at(-1)?.body) as { messages: { role: string }[] };
    expect(messages.at(-1)).toMatchObject({ role: 'tool' });
  });

  test('a cut call that a chat brings back is sent with an empty input', async () => {
    const engine = await start({
      script: [`<think>Hm.</think>${SECTION_BEGIN}${begin('functions.save:0', '{"title": "A')}`, 'Sorry.'],
    });
    const { tools } = createSaver();
    const { message } = await stream(engine.baseURL, tools);
    const asked: UIMessage = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Save it.' }] };
    const again: UIMessage = { ...asked, id: 'v' };
    const messages = await convertToModelMessages([asked, message as UIMessage, again], { tools });
    const result = await generateText({ model: connect(engine.baseURL), tools, messages });
    expect(result.text).toBe('Sorry.');
    expect(result.warnings).toEqual([]);
    const sent = Object(engine.requests.at(-1)?.body) as { messages: { tool_calls?: object[] }[] };
    expect(sent.messages[1]?.tool_calls).toMatchObject([{ function: { name: 'save', arguments: '{}' } }]);
  });

  test('input that does not fit the schema goes back to the model', async () => {
    const engine = await start({
      script: [
        section(call('functions.save:0', '{"name":"A"}')),
        section(call('functions.save:1', '{"title":"A"}')),
        'Done.',
      ],
    });
    const { saved, tools } = createSaver();
    const { failures, errors } = await stream(engine.baseURL, tools, { stopWhen: isStepCount(5) });
    expect([...failures, ...errors]).toEqual([]);
    expect(saved).toEqual(['A']);
  });

  test('repairToolCall is asked, and what it gives is run', async () => {
    const engine = await start({
      script: [`${SECTION_BEGIN}${begin('functions.save:0', '{"title": "A')}`, 'Done.'],
    });
    const { saved, tools } = createSaver();
    const inputs: string[] = [];
    await stream(engine.baseURL, tools, {
      stopWhen: isStepCount(5),
      repairToolCall: async ({ toolCall }) => {
        inputs.push(toolCall.input);
        return { ...toolCall, input: `${toolCall.input.replace(CUT_ARGUMENTS_SEAL, '')}"}` };
      },
    });
    expect(inputs).toEqual([`{"title": "A${CUT_ARGUMENTS_SEAL}`]);
    expect(saved).toEqual(['A']);
  });

  test('aborting in the middle of a call ends the request, and nothing is run', async () => {
    const text = section(call('functions.save:0', `{"title":"${'A '.repeat(200)}"}`));
    const engine = await start({ script: [text], delayMs: 2 });
    const { saved, tools } = createSaver();
    const controller = new AbortController();
    const types = new Set<string>();
    const result = streamText({
      model: connect(engine.baseURL),
      tools,
      prompt: 'Save it.',
      abortSignal: controller.signal,
    });
    for await (const { type } of result.stream) {
      types.add(type);
      if (type === 'tool-input-delta') controller.abort();
    }
    expect(types).toContain('abort');
    expect(types).not.toContain('tool-call');
    while (!engine.requests[0]?.aborted) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(saved).toEqual([]);
  });

  test.each<BehaviourName>(['cut-mid-call', 'error-mid-stream'])(
    'a connection that breaks is an error, the chat goes on to be readable: %s',
    async (behaviour) => {
      const script = [`Saving.${section(call('functions.save:0', '{"title":"A"}'))}`];
      for (const treatment of ['healthy', 'raw-content'] as const) {
        const engine = await start({ script, behaviour: [treatment, behaviour] });
        const { saved, tools } = createSaver();
        const { errors, failures, result, message } = await stream(engine.baseURL, tools);
        expect(failures).toEqual(['told']);
        expect(message?.parts.at(-1)).toMatchObject({ type: 'tool-save', state: 'output-error' });
        expect(errors).toHaveLength(1);
        expect(saved).toEqual([]);
        expect(await result.finishReason).toBe('error');
      }
    },
  );

  test('a call that was whole when the connection broke is shown as it is, and not run', async () => {
    const delta = {
      tool_calls: [{ index: 0, id: 'c', function: { name: 'save', arguments: '{"title":"A"}' } }],
    };
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
      setTimeout(() => response.destroy(), 20);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { saved, tools } = createSaver();
    const { errors, result, message } = await stream(`http://127.0.0.1:${port}/v1`, tools);
    expect(message?.parts.at(-1)).toMatchObject({ state: 'input-available', input: { title: 'A' } });
    expect((await result.toolCalls)[0]?.providerMetadata).toEqual({ kimi: { toolCallId: 'c' } });
    expect(errors).toHaveLength(1);
    expect(saved).toEqual([]);
    expect(await result.finishReason).toBe('error');
  });

  describe.each([
    ['empty-turn', '<think>Hm. And then?</think>', 'stop'],
    ['reasoning-exhausted-budget', '<think>Hm. And then', 'length'],
    ['empty-turn', '', 'stop'],
  ] as const)('nothing to go on with: %s %s', (code, text, finishReason) => {
    test('by default a finish with the reason of the server, and a problem', async () => {
      const engine = await start({ script: [{ text, finishReason }] });
      const { result, errors, failures } = await stream(engine.baseURL, {});
      expect([...failures, ...errors]).toEqual([]);
      expect(await result.finalStep).toMatchObject({
        text: '',
        finishReason,
        providerMetadata: { kimi: { problems: [{ code }] } },
      });
      const whole = await generateText({ model: connect(engine.baseURL), prompt: 'Well?' });
      expect(whole.finalStep).toMatchObject({
        text: '',
        finishReason,
        providerMetadata: { kimi: { problems: [{ code }] } },
      });
    });

    test('by option an error', async () => {
      const engine = await start({ script: [{ text, finishReason }] });
      const { errors, result } = await stream(engine.baseURL, {}, {}, { emptyTurn: 'error' });
      expect(errors).toMatchObject([{ name: 'KimiEmptyTurnError', code }]);
      expect(await result.finishReason).toBe('error');
      const model = connect(engine.baseURL, { emptyTurn: 'error' });
      const error = await generateText({ model, prompt: 'Well?' }).catch((caught: unknown) => caught);
      expect(KimiEmptyTurnError.isInstance(error)).toBe(true);
      expect(AISDKError.isInstance(error)).toBe(true);
      expect(error).toBeInstanceOf(KimiError);
    });
  });

  test('structured output', async () => {
    const engine = await start({ script: ['<think>Hm.</think>{"title":"A"}'] });
    const output = Output.object({ schema: z.object({ title: z.string() }) });
    const prompt = 'Name it.';
    const whole = await generateText({ model: connect(engine.baseURL), output, prompt });
    expect(whole.output).toEqual({ title: 'A' });
    const streamed = streamText({ model: connect(engine.baseURL), output, prompt });
    expect(await streamed.output).toEqual({ title: 'A' });
    expect(engine.requests[0]?.body).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { schema: { required: ['title'] } } },
    });
  });

  test('tool choice none: a call in the text is removed, and there is no violation', async () => {
    const engine = await start({ script: [`No.${section(call('functions.save:0', '{"title":"A"}'))}`] });
    const { saved, tools } = createSaver();
    const { result, errors } = await stream(engine.baseURL, tools, { toolChoice: 'none' });
    expect(errors).toEqual([]);
    expect(await result.text).toBe('No.');
    expect(saved).toEqual([]);
  });

  test('a server that was not ready is asked again', async () => {
    const engine = await start({ script: ['Done.'], behaviour: ['raw-content', 'rate-limited-once'] });
    const { text } = await generateText({ model: connect(engine.baseURL), prompt: 'Well?' });
    expect(text).toBe('Done.');
    expect(engine.requests).toHaveLength(2);
  });

  test('problems are told as they are found', async () => {
    const engine = await start({ script: [section(call('save:0', '{"title":"A"}'))] });
    const codes: string[] = [];
    const { tools } = createSaver();
    await stream(engine.baseURL, tools, {}, { onProblem: ({ code }) => codes.push(code) });
    expect(codes).toEqual(['id-rewritten']);
  });
});
