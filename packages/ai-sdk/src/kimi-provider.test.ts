import {
  InvalidArgumentError,
  type LanguageModelV4CallOptions,
  LoadAPIKeyError,
  NoSuchModelError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { WORKFLOW_DESERIALIZE, WORKFLOW_SERIALIZE } from '@ai-sdk/provider-utils';
import { convertReadableStreamToArray } from '@ai-sdk/provider-utils/test';
import { KimiError } from '@kimi-tc/core';
import { startEngine } from '@kimi-tc/testing';
import { createProviderRegistry, generateText, streamText, type ToolSet, tool } from 'ai';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { createKimi, type KimiProviderSettings, kimi } from './index.ts';

globalThis.AI_SDK_LOG_WARNINGS = false;

const prompt: LanguageModelV4CallOptions['prompt'] = [
  { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
];
const tools: LanguageModelV4CallOptions['tools'] = [
  {
    type: 'function',
    name: 'save',
    inputSchema: { type: 'object', properties: { title: { type: 'string' } } },
  },
];

const toolSet: ToolSet = {
  save: tool({ inputSchema: z.object({ title: z.string() }) }) as ToolSet[string],
};

interface Sent {
  url: string;
  headers: Headers;
  body: Record<string, unknown>;
}

/** A provider whose requests are kept, and answered with a word. */
function connect(settings: KimiProviderSettings = {}, choice: object = {}, usage: object = {}) {
  const sent: Sent[] = [];
  const provider = createKimi({
    apiKey: 'key',
    ...settings,
    async fetch(input, init) {
      const body = JSON.parse(String(init?.body));
      sent.push({ url: String(input), headers: new Headers(init?.headers), body });
      const message = { role: 'assistant', content: 'Hi.' };
      return Response.json({
        id: 'chatcmpl-1',
        created: 1,
        model: body.model,
        choices: [{ index: 0, message, finish_reason: 'stop', ...choice }],
        usage: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14, ...usage },
      });
    },
  });
  async function call(modelId: string, options: Partial<LanguageModelV4CallOptions> = {}) {
    const result = await provider(modelId).doGenerate({ prompt, ...options });
    return { ...result, body: sent.at(-1)?.body };
  }
  return { provider, sent, call };
}

const selfHosted = { baseURL: 'http://localhost:8000/v1' };
const router = { baseURL: 'https://openrouter.ai/api/v1' };

describe('the house style of the AI SDK', () => {
  test('a provider is callable, and knows chat models only', () => {
    const provider = createKimi(selfHosted);
    for (const model of [provider('m'), provider.languageModel('m'), provider.chatModel('m')]) {
      expect(model).toMatchObject({ specificationVersion: 'v4', provider: 'kimi.chat', modelId: 'm' });
    }
    expect(() => provider.embeddingModel('m')).toThrow(NoSuchModelError);
    expect(() => provider.imageModel('m')).toThrow(NoSuchModelError);
    expect(createProviderRegistry({ kimi: provider }).languageModel('kimi:m').modelId).toBe('m');
    expect(kimi('kimi-k2').provider).toBe('kimi.chat');
  });

  test('Moonshot gets its files by name, all else is fetched for it', () => {
    expect(connect().provider('kimi-k2.5').supportedUrls).toEqual({
      'image/*': [/^ms:\/\//],
      'video/*': [/^ms:\/\//],
    });
    expect(connect(selfHosted).provider('kimi-k2.5').supportedUrls).toEqual({});
  });

  test('headers, query and user agent', async () => {
    const { sent, call } = connect({
      baseURL: 'https://api.moonshot.cn/v1/',
      headers: { 'x-team': 'a' },
      queryParams: { region: 'b c' },
    });
    await call('kimi-k2', { headers: { 'x-call': 'c' } });
    expect(sent[0]?.url).toBe('https://api.moonshot.cn/v1/chat/completions?region=b+c');
    expect(Object.fromEntries(sent[0]?.headers ?? [])).toMatchObject({
      authorization: 'Bearer key',
      'x-team': 'a',
      'x-call': 'c',
      'user-agent': expect.stringContaining('ai-sdk-kimi-tc/'),
    });
  });

  describe('the key', () => {
    beforeEach(() => {
      vi.stubEnv('MOONSHOT_API_KEY', 'from-env');
    });
    afterEach(() => {
      vi.unstubAllEnvs();
    });

    test('is read from the environment when a request is made, for Moonshot', async () => {
      const { sent, call } = connect({ apiKey: undefined });
      vi.stubEnv('MOONSHOT_API_KEY', 'later');
      await call('kimi-k2');
      expect(sent[0]?.headers.get('authorization')).toBe('Bearer later');
    });

    test.each([selfHosted, router, { baseURL: 'https://moonshot.ai.evil.example/v1' }])(
      'never leaves the environment for another address: $baseURL',
      async (settings) => {
        const { sent, call } = connect({ ...settings, apiKey: undefined });
        await call('kimi-k2');
        expect(sent[0]?.headers.has('authorization')).toBe(false);
      },
    );

    test('missing, it is an error of the call and not of the import', async () => {
      vi.stubEnv('MOONSHOT_API_KEY', undefined);
      await expect(kimi('kimi-k2').doGenerate({ prompt })).rejects.toThrow(LoadAPIKeyError);
    });

    test('is in no error', async () => {
      const engine = await startEngine({ script: ['Hi.'], apiKey: 'right' });
      onTestFinished(() => engine.stop());
      const model = createKimi({ baseURL: engine.baseURL, apiKey: 'sk-wrong-key' })('kimi-k2');
      const error = await model.doGenerate({ prompt }).then(undefined, (caught: unknown) => caught);
      expect(error).toMatchObject({ statusCode: 401 });
      expect(JSON.stringify(error) + String(error)).not.toContain('sk-wrong-key');
    });
  });

  test('a model survives a workflow step', async () => {
    const engine = await startEngine({ script: ['Hi.'], apiKey: 'key' });
    onTestFinished(() => engine.stop());
    const model = createKimi({ baseURL: engine.baseURL, apiKey: 'key', emptyTurn: 'error' })('kimi-k2');
    const { [WORKFLOW_SERIALIZE]: serialize, [WORKFLOW_DESERIALIZE]: deserialize } =
      model.constructor as unknown as {
        [WORKFLOW_SERIALIZE](model: unknown): { modelId: string; config: Record<string, unknown> };
        [WORKFLOW_DESERIALIZE](options: object): typeof model;
      };
    const stored = JSON.parse(JSON.stringify(serialize(model)));
    expect(stored.config).toMatchObject({ emptyTurn: 'error', baseURL: engine.baseURL });
    const { content } = await deserialize(stored).doGenerate({ prompt });
    expect(content).toMatchObject([{ type: 'text', text: 'Hi.' }]);
  });

  test.each([
    ['baseURL', { baseURL: '' }],
    ['baseURL', { baseURL: 'http://[' }],
    ['settings', null],
    ['settings', []],
    ['apiKey', { apiKey: 1 }],
    ['family', { family: 'kimi-k2.5' }],
    ['family', { family: null }],
    ['headers', { headers: 'x-team: a' }],
    ['headers', { headers: { 'x-team': 1 } }],
    ['queryParams', { queryParams: [] }],
    ['supportsStructuredOutputs', { supportsStructuredOutputs: 'yes' }],
    ['endpoint', { endpoint: 'openai' }],
    ['transport', { transport: 'smoke' }],
    ['request', { request: 'some' }],
    ['recoverTextCalls', { recoverTextCalls: 'all' }],
    ['emptyTurn', { emptyTurn: 'throw' }],
    ['onProblem', { onProblem: 1 }],
    ['reasoningMemory', { reasoningMemory: {} }],
    ['limits.maxToolCalls', { limits: { maxToolCalls: 0 } }],
  ])('a wrong setting is named: %s', (option, settings) => {
    const create = () => createKimi(settings as KimiProviderSettings);
    expect(create).toThrow(KimiError);
    expect(create).toThrow(expect.objectContaining({ option }));
  });

  test.each([
    ['an unknown option', { thinkingg: true }],
    ['a wrong value', { thinking: { effort: 'huge' } }],
  ])('provider options are checked: %s', async (_, options) => {
    const { call } = connect(selfHosted);
    const asked = call('kimi-k2', { providerOptions: { kimi: options } });
    await expect(asked).rejects.toThrow(InvalidArgumentError);
  });
});

describe('what is sent', () => {
  test.each([
    ['moonshot', 'kimi-k2.5', 'none', { thinking: { type: 'disabled' } }],
    ['moonshot', 'kimi-k2.6', 'high', { thinking: { type: 'enabled' } }],
    ['moonshot', 'kimi-k3', 'max', { reasoning_effort: 'max' }],
    ['moonshot', 'kimi-k3', 'minimal', { reasoning_effort: 'low' }],
    ['self-hosted', 'kimi-k2.5', 'none', { chat_template_kwargs: { thinking: false } }],
    ['self-hosted', 'moonshotai/Kimi-K2.6', 'low', { chat_template_kwargs: { thinking: true } }],
    ['router', 'moonshotai/kimi-k2.5', 'none', { thinking: { type: 'disabled' } }],
  ] as const)('reasoning at %s with %s: %s', async (endpoint, modelId, reasoning, expected) => {
    const { call } = connect({ ...selfHosted, endpoint });
    const { body } = await call(modelId, { reasoning });
    expect(body).toMatchObject(expected);
    const fields = ['thinking', 'reasoning_effort', 'chat_template_kwargs'].filter(
      (key) => body && key in body,
    );
    expect(fields).toEqual(Object.keys(expected));
  });

  test.each([
    ['kimi-k2-thinking', 'none', 'unsupported'],
    ['kimi-k2.7-code', 'none', 'unsupported'],
    ['kimi-k2-0905-preview', 'high', 'unsupported'],
    ['kimi-k2.5', 'high', 'compatibility'],
    ['kimi-k3', 'xhigh', 'compatibility'],
    ['served-model', 'none', 'unsupported'],
  ] as const)('reasoning that %s does not have is a warning: %s', async (modelId, reasoning, type) => {
    const { warnings, body } = await connect().call(modelId, { reasoning });
    expect(warnings).toContainEqual(expect.objectContaining({ type, feature: 'reasoning' }));
    if (type === 'unsupported') expect(body).not.toHaveProperty('thinking');
  });

  test('thinking that is asked of a model nobody knows is one warning, and nothing is sent', async () => {
    const thinking = { reasoning: 'low', providerOptions: { kimi: { thinking: false } } } as const;
    for (const options of [thinking, { reasoning: 'low' } as const]) {
      const { warnings, body } = await connect(selfHosted).call('served-model', options);
      expect(warnings).toMatchObject([{ type: 'unsupported', feature: 'reasoning' }]);
      expect(body).not.toHaveProperty('chat_template_kwargs');
    }
  });

  test('of a model whose id does not tell, what its family wants', async () => {
    const provider = { ...selfHosted, family: 'k2.5' } as const;
    const toolCalls = [{ type: 'tool-call', toolCallId: 'x', toolName: 'save', input: {} }] as const;
    const results = [
      { type: 'tool-result', toolCallId: 'x', toolName: 'save', output: { type: 'text', value: 'ok' } },
    ] as const;
    const history: LanguageModelV4CallOptions['prompt'] = [
      { role: 'assistant', content: [...toolCalls] },
      { role: 'tool', content: [...results] },
    ];
    const { body, warnings } = await connect(provider).call('served-model', {
      prompt: [...prompt, ...history],
      reasoning: 'none',
    });
    expect(warnings).toEqual([]);
    expect(body).toMatchObject({
      model: 'served-model',
      chat_template_kwargs: { thinking: false },
      messages: expect.arrayContaining([expect.objectContaining({ tool_call_id: 'functions.save:0' })]),
    });
  });

  test('the option of the call comes before reasoning', async () => {
    const options = {
      reasoning: 'none',
      providerOptions: { kimi: { thinking: { preserve: true } } },
    } as const;
    const { body, warnings } = await connect().call('kimi-k2.6', options);
    expect(body).toMatchObject({ thinking: { type: 'enabled', keep: 'all' } });
    expect(warnings).toEqual([]);
  });

  test('nothing is said of thinking unless it is asked for', async () => {
    const { body, warnings } = await connect().call('kimi-k2.5', { reasoning: 'provider-default' });
    expect(body).not.toHaveProperty('thinking');
    expect(warnings).toEqual([]);
  });

  test('parameters that the model pins are left out with a warning', async () => {
    const { body, warnings } = await connect().call('kimi-k2.5', {
      temperature: 0.3,
      topP: 0.5,
      maxOutputTokens: 64,
    });
    expect(body).not.toHaveProperty('temperature');
    expect(body).toMatchObject({ max_completion_tokens: 64 });
    expect(body).not.toHaveProperty('max_tokens');
    expect(warnings).toEqual(
      ['temperature', 'topP'].map((feature) => expect.objectContaining({ type: 'unsupported', feature })),
    );
  });

  test('reasoning that is missing in the history is told once, however often it is', async () => {
    const turn = (toolCallId: string): LanguageModelV4CallOptions['prompt'] => [
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName: 'save', input: {} }] },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId, toolName: 'save', output: { type: 'text', value: '1' } },
        ],
      },
    ];
    const history = [...prompt, ...turn('a'), ...turn('b')];
    const { warnings, body } = await connect().call('kimi-k2-thinking', { prompt: history });
    expect(JSON.stringify(body).match(/"reasoning_content":" "/g)).toHaveLength(2);
    expect(warnings).toEqual([{ type: 'other', message: expect.stringContaining('reasoning') }]);
  });

  test('the warnings stand at the head of a stream', async () => {
    const engine = await startEngine({ script: ['Hi.'], behaviour: ['healthy', 'sampling-pinned'] });
    onTestFinished(() => engine.stop());
    const model = createKimi({ baseURL: engine.baseURL, endpoint: 'moonshot' })('kimi-k2.5');
    const result = streamText({ model, prompt: 'Hello.', temperature: 0.3 });
    await result.consumeStream();
    expect(await result.warnings).toMatchObject([{ type: 'unsupported', feature: 'temperature' }]);
  });

  test('engines get the older name of the token limit, and sampling', async () => {
    const { body, warnings } = await connect(selfHosted).call('kimi-k2.5', {
      temperature: 0.3,
      maxOutputTokens: 64,
    });
    expect(body).toMatchObject({ temperature: 0.3, max_tokens: 64 });
    expect(warnings).toEqual([]);
  });

  test.each([
    ['kimi-k2.5', { thinking: { type: 'disabled' }, tool_choice: 'required' }, 'reasoning'],
    ['kimi-k2.7-code', { tool_choice: 'auto' }, 'toolChoice'],
  ])('a forced tool against thinking: %s', async (modelId, expected, feature) => {
    const { body, warnings } = await connect().call(modelId, { tools, toolChoice: { type: 'required' } });
    expect(body).toMatchObject(expected);
    expect(warnings).toContainEqual(expect.objectContaining({ type: 'compatibility', feature }));
  });

  test('requests are left alone when that is asked for', async () => {
    const { body, warnings } = await connect({ request: false }).call('kimi-k2.5', {
      temperature: 0.3,
      reasoning: 'none',
    });
    expect(body).toMatchObject({ temperature: 0.3 });
    expect(warnings).toMatchObject([{ type: 'unsupported', feature: 'reasoning' }]);
  });

  test('strict: a request that would lose something is refused', async () => {
    const { call, sent } = connect({ request: { strict: true } });
    await expect(call('kimi-k2.5', { temperature: 0.3 })).rejects.toMatchObject({ statusCode: 400 });
    expect(sent).toEqual([]);
  });

  test('fields of the API, and any other', async () => {
    const kimiOptions = { promptCacheKey: 'a', safetyIdentifier: 'b', extraBody: { min_p: 0.1 } };
    const { body } = await connect(selfHosted).call('kimi-k2', { providerOptions: { kimi: kimiOptions } });
    expect(body).toMatchObject({ prompt_cache_key: 'a', safety_identifier: 'b', min_p: 0.1 });
    for (const key of ['extraBody', 'promptCacheKey', 'strictJsonSchema'])
      expect(body).not.toHaveProperty(key);
  });

  test('structured output, strict unless told otherwise', async () => {
    const responseFormat = { type: 'json', schema: { type: 'object', properties: {} } } as const;
    const { body } = await connect().call('kimi-k2.5', { responseFormat });
    expect(body).toMatchObject({ response_format: { type: 'json_schema', json_schema: { strict: true } } });
    const loose = { kimi: { strictJsonSchema: false } };
    const { body: other } = await connect().call('kimi-k2.5', { responseFormat, providerOptions: loose });
    expect(other).toMatchObject({ response_format: { json_schema: { strict: false } } });
    const { body: old } = await connect({ supportsStructuredOutputs: false }).call('kimi-k2', {
      responseFormat,
    });
    expect(old).toMatchObject({ response_format: { type: 'json_object' } });
  });

  test('a schema that the API would refuse is written as it takes it', async () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { title: { type: 'string', pattern: '^A' } },
    } as const;
    const { body, warnings } = await connect().call('kimi-k2.5', {
      responseFormat: { type: 'json', schema },
    });
    expect(JSON.stringify(body)).not.toContain('$schema');
    expect(warnings).toMatchObject([{ type: 'compatibility', feature: 'responseFormat' }]);
    const engine = await connect(selfHosted).call('kimi-k2.5', { responseFormat: { type: 'json', schema } });
    expect(engine.body).toMatchObject({ response_format: { json_schema: { schema } } });
    expect(engine.warnings).toEqual([]);
  });

  test('images, where the model sees them', async () => {
    const image = { type: 'data' as const, data: new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]) };
    const seeing: LanguageModelV4CallOptions['prompt'] = [
      { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: image }] },
    ];
    const { body } = await connect().call('kimi-k2.5', { prompt: seeing });
    expect(JSON.stringify(body)).toContain('data:image/png;base64,');
    for (const modelId of ['kimi-k2-0905-preview', 'moonshotai/Kimi-K2-Thinking']) {
      await expect(connect().call(modelId, { prompt: seeing })).rejects.toThrow(
        UnsupportedFunctionalityError,
      );
    }
    const asked = connect({ family: 'k2-instruct' }).call('served-model', { prompt: seeing });
    await expect(asked).rejects.toThrow('served-model');
  });

  test('a last message is continued', async () => {
    const partial: LanguageModelV4CallOptions['prompt'] = [
      ...prompt,
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'Once upon' }],
        providerOptions: { kimi: { partial: true, name: 'Teller' } },
      },
    ];
    const { body } = await connect().call('kimi-k2.5', { prompt: partial });
    const { messages } = body as { messages: object[] };
    expect(messages.at(-1)).toMatchObject({
      role: 'assistant',
      content: 'Once upon',
      partial: true,
      name: 'Teller',
    });
    const { body: engine } = await connect(selfHosted).call('kimi-k2.5', { prompt: partial });
    expect(engine).toMatchObject({ continue_final_message: true, add_generation_prompt: false });
    expect(JSON.stringify(engine)).not.toContain('partial');
  });
});

describe('what comes back', () => {
  test.each([
    ['at the top, as Moonshot has it', { cached_tokens: 4 }],
    ['among the details', { prompt_tokens_details: { cached_tokens: 4 } }],
  ])('cached tokens %s', async (_, usage) => {
    const { usage: found } = await connect({}, {}, usage).call('kimi-k2');
    expect(found).toMatchObject({
      inputTokens: { total: 9, noCache: 5, cacheRead: 4 },
      outputTokens: { total: 5, text: 5, reasoning: undefined },
      raw: { prompt_tokens: 9 },
    });
  });

  test('usage that stands on the choice, streamed', async () => {
    const engine = await startEngine({
      script: [{ text: 'Hi.', usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } }],
      behaviour: ['healthy', 'usage-in-choices'],
    });
    onTestFinished(() => engine.stop());
    const result = streamText({
      model: createKimi({ baseURL: engine.baseURL })('kimi-k2'),
      prompt: 'Hello.',
    });
    await result.consumeStream();
    expect(await result.usage).toMatchObject({ inputTokens: 9, outputTokens: 2 });
  });

  test.each([
    ['nothing', []],
    ['only usage', [{ choices: [], usage: { prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 } }]],
  ])('a stream that holds %s is an empty turn', async (_, chunks) => {
    const events = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'];
    const body = events.map((event) => `data: ${event}\n\n`).join('');
    const headers = { 'content-type': 'text/event-stream' };
    const fetch = async () => new Response(body, { headers });
    for (const emptyTurn of ['finish', 'error'] as const) {
      const model = createKimi({ ...selfHosted, fetch, emptyTurn })('kimi-k2');
      const parts = await convertReadableStreamToArray((await model.doStream({ prompt })).stream);
      const errors = parts.filter(({ type }) => type === 'error');
      expect(errors).toMatchObject(emptyTurn === 'error' ? [{ error: { code: 'empty-turn' } }] : []);
      expect(parts.at(-1)).toMatchObject({
        type: 'finish',
        finishReason: { unified: emptyTurn === 'error' ? 'error' : 'stop', raw: undefined },
        providerMetadata: { kimi: { problems: [{ code: 'stream-ended-early' }, { code: 'empty-turn' }] } },
      });
    }
  });

  test('a refusal is text, and no empty turn', async () => {
    const message = { role: 'assistant', content: null, refusal: 'No.' };
    const { content, providerMetadata } = await connect({ emptyTurn: 'error' }, { message }).call('kimi-k2');
    expect(content).toEqual([{ type: 'text', text: 'No.' }]);
    expect(providerMetadata).toEqual({ kimi: {} });
  });

  test('an error page of a proxy is an error with its status', async () => {
    const engine = await startEngine({ script: ['Hi.'], behaviour: 'html-error-page' });
    onTestFinished(() => engine.stop());
    const model = createKimi({ baseURL: engine.baseURL })('kimi-k2');
    await expect(model.doGenerate({ prompt })).rejects.toMatchObject({ statusCode: 502 });
  });
});

describe('a server with text completions only', () => {
  const text =
    '<think>Hm.</think>Saving.<|tool_calls_section_begin|><|tool_call_begin|>functions.save:0' +
    '<|tool_call_argument_begin|>{"title":"A"}<|tool_call_end|><|tool_calls_section_end|>';

  test.each([true, false])('by the transport completions, streamed: %s', async (streamed) => {
    const engine = await startEngine({ script: [text] });
    onTestFinished(() => engine.stop());
    const model = createKimi({ baseURL: engine.baseURL, transport: 'completions' })('kimi-k2-thinking');
    const settings = { model, prompt: 'Save it.', tools: toolSet };
    const result = streamed ? streamText(settings) : await generateText(settings);
    expect(await result.text).toBe('Saving.');
    expect(await result.reasoningText).toBe('Hm.');
    expect(await result.toolCalls).toMatchObject([{ toolName: 'save', input: { title: 'A' } }]);
    expect(engine.requests.map(({ path }) => path)).toEqual(['/v1/completions']);
  });

  test('by auto, which asks for chat once', async () => {
    const engine = await startEngine({ script: [text] });
    onTestFinished(() => engine.stop());
    const paths: string[] = [];
    const provider = createKimi({
      baseURL: engine.baseURL,
      transport: 'auto',
      async fetch(input, init) {
        paths.push(new URL(String(input)).pathname);
        if (paths.at(-1)?.endsWith('/chat/completions')) return new Response('Not found', { status: 404 });
        return fetch(input, init);
      },
    });
    for (let turn = 0; turn < 2; turn++) {
      const { toolCalls } = await generateText({
        model: provider('kimi-k2-thinking'),
        prompt: 'Save it.',
        tools: toolSet,
      });
      expect(toolCalls).toHaveLength(1);
    }
    expect(paths).toEqual(['/v1/chat/completions', '/v1/completions', '/v1/completions']);
  });
});
