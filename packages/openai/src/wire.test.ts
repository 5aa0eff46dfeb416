import { CUT_ARGUMENTS_SEAL } from '@kimi-tc/core';
import { type BehaviourName, type EngineOptions, startEngine } from '@kimi-tc/testing';
import OpenAI from 'openai';
import OpenAILowest from 'openai-lowest';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createKimiFetch, type KimiChunk, type KimiFetchOptions } from './index.ts';

const raw =
  '<think>Wo? 日本 😀</think>Schön.<|tool_calls_section_begin|><|tool_call_begin|>functions.look:0' +
  '<|tool_call_argument_begin|>{"at":"Zürich 😀"}<|tool_call_end|><|tool_calls_section_end|>';

async function start(options: Partial<EngineOptions>) {
  const engine = await startEngine({ script: [raw], ...options });
  onTestFinished(() => engine.stop());
  return engine;
}

const body = { model: 'm', messages: [{ role: 'user' as const, content: 'Wo?' }] };

function connect(baseURL: string, fetch: typeof globalThis.fetch = createKimiFetch()): OpenAI {
  return new OpenAI({ baseURL, apiKey: 'sk-secret', maxRetries: 0, fetch });
}

async function collect(client: OpenAI): Promise<KimiChunk[]> {
  const chunks: KimiChunk[] = [];
  for await (const chunk of await client.chat.completions.create({ ...body, stream: true })) {
    chunks.push(chunk as KimiChunk);
  }
  return chunks;
}

function join(chunks: readonly KimiChunk[]): {
  text: string;
  args: string;
  finish: string | null | undefined;
} {
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  return {
    text: deltas
      .map(({ reasoning_content, content }) => (reasoning_content ?? '') + (content ?? ''))
      .join(''),
    args: deltas
      .flatMap(({ tool_calls }) => tool_calls ?? [])
      .map((call) => call.function?.arguments)
      .join(''),
    finish: chunks
      .flatMap(({ choices }) => choices.flatMap(({ finish_reason }) => finish_reason ?? []))
      .at(-1),
  };
}

const whole = { text: 'Wo? 日本 😀Schön.', args: '{"at":"Zürich 😀"}', finish: 'tool_calls' };

/** A fetch that answers with this body. */
function serve(text: string | Uint8Array<ArrayBuffer> | null, headers: Record<string, string>, status = 200) {
  const fetch = async () => new Response(text, { status, headers });
  return createKimiFetch({ fetch });
}
const post = (fetch: typeof globalThis.fetch, request: object = body) =>
  fetch('http://server.invalid/v1/chat/completions', { method: 'POST', body: JSON.stringify(request) });
const sse = { 'content-type': 'text/event-stream' };

describe('a stream is read however it is written', () => {
  test.each<BehaviourName>([
    'crlf',
    'tight-data-lines',
    'event-lines',
    'byte-order-mark',
    'keep-alive-comments',
    'keep-alive-as-data',
    'missing-done',
  ])('%s', async (behaviour) => {
    for (const byteCuts of [1, { seed: 1, max: 50 }]) {
      const engine = await start({ behaviour: ['raw-content', behaviour], byteCuts });
      expect(join(await collect(connect(engine.baseURL)))).toEqual(whole);
    }
  });

  test('cut inside of characters, with text in single units', async () => {
    const engine = await start({ behaviour: 'raw-content', byteCuts: 1, chunking: 'units' });
    expect(join(await collect(connect(engine.baseURL)))).toEqual(whole);
  });

  test('without a content type, if a stream was asked for', async () => {
    const text = `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content: '<think>a' } }] })}\n\n`;
    for (const type of ['', 'text/plain; charset=utf-8', 'application/octet-stream']) {
      const fetch = serve(new TextEncoder().encode(text), type === '' ? {} : { 'content-type': type });
      const answer = await (await post(fetch, { ...body, stream: true })).text();
      expect(answer).toContain('"reasoning_content":"a"');
      expect(answer.endsWith('data: [DONE]\n\n')).toBe(true);
      expect(await (await post(fetch)).text()).toBe(text);
    }
  });
});

describe('the end of a stream', () => {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const hello = chunk({ role: 'assistant', content: 'Hi.' });

  async function answer(text: string): Promise<string> {
    return (await post(serve(text, sse), { ...body, stream: true })).text();
  }

  test('without finish and [DONE] becomes well-formed', async () => {
    const ended = await answer(hello);
    expect(ended.startsWith(hello)).toBe(true);
    expect(ended).toContain('"finish_reason":"stop","x_kimi":{"problems":[{"code":"stream-ended-early"');
    expect(ended.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('a last event without its empty line counts', async () => {
    const finish = chunk({}, 'stop');
    expect(await answer(hello + finish.trimEnd())).toBe(`${hello}${finish}data: [DONE]\n\n`);
    expect(await answer(`${hello}${finish}data: [DONE]`)).toBe(`${hello}${finish}data: [DONE]\n\n`);
    expect(await answer(`${hello}${finish}: bye`)).toBe(`${hello}: bye\n\n${finish}data: [DONE]\n\n`);
  });

  test('half an event is dropped, as clients do', async () => {
    expect(await answer(`${hello}${chunk({}, 'stop')}data: {"id":"c","cho`)).toBe(
      `${hello}${chunk({}, 'stop')}data: [DONE]\n\n`,
    );
  });

  const usage = `data: ${JSON.stringify({ id: 'u', model: 'k', choices: [], usage: { total_tokens: 3 } })}\n\n`;
  const done = 'data: [DONE]\n\n';

  test.each([
    ['nothing', ''],
    ['blank lines', '\n\n'],
    ['a comment', ': ping\n\n'],
    ['only usage', usage],
    ['only [DONE]', done],
    ['usage and [DONE]', usage + done],
  ])('a stream that holds %s is an empty turn with a finish', async (_, text) => {
    const ended = await answer(text);
    const before = text.replace(done, '').trimEnd();
    expect(ended.startsWith(before)).toBe(true);
    expect(ended.endsWith(done)).toBe(true);
    const problems = [{ code: 'stream-ended-early' }, { code: 'empty-turn' }];
    const finish = { finish_reason: 'stop', x_kimi: { problems, finish_reason: null } };
    const like = text.includes('"u"') ? { id: 'u', model: 'k' } : { id: '', model: 'm' };
    const made = ended.slice(before.length).matchAll(/data: (\{.*\})/g);
    const [first, last] = [...made].map(([, json = '']) => JSON.parse(json));
    expect(first).toMatchObject({ ...like, choices: [{ delta: { role: 'assistant', content: '' } }] });
    expect(last).toMatchObject({ ...like, choices: [finish] });
    const client = connect('http://server.invalid/v1', serve(text, sse));
    const message = await client.chat.completions.stream(body).finalMessage();
    expect(message).toMatchObject({ role: 'assistant', content: '' });
  });

  test('what stands behind [DONE] passes', async () => {
    const text = `${hello}${chunk({}, 'stop')}data: [DONE]\n\n: bye\n\n${hello}`;
    expect(await answer(text)).toBe(text);
  });

  test('an error object passes, in front of it what was held, and no finish', async () => {
    const error = 'data: {"error":{"message":"overloaded","code":500}}\n\n';
    const held = `${hello}${chunk({ content: ' a <' })}`;
    const answered = await answer(`${held}${error}${done}`);
    expect(answered.startsWith(held)).toBe(true);
    expect(answered.endsWith(error + done)).toBe(true);
    const cut = '<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a":';
    const failed = await answer(`${hello}${chunk({ content: cut })}${error}`);
    expect(failed.endsWith(error)).toBe(true);
    expect(failed).not.toContain('"finish_reason":"');
    expect(failed).toContain('\\u0018\\"\\u0018');
    expect(failed).toContain('"code":"truncated-call"');
  });

  test.each([
    ['of its own type', 'event: error\ndata: {"message":"boom","code":7}\n\n', 'boom'],
    ['of its own type, an error object', 'event: error\ndata: {"error":{"message":"boom"}}\n\n', 'boom'],
    ['of its own type, in words', 'event: error\ndata: boom\n\n', 'boom'],
    ['of its own type, in words without an end', 'event: error\ndata: boom', 'boom'],
    ['of its own type, in a line of no field', 'event: error\nboom\n\n', 'boom'],
    ['of its own type, a text', 'event: error\ndata: "boom"\n\n', '"boom"'],
    ['of its own type, no data', 'event: error\n\n', 'The answer of the server is empty.'],
    ['a text', 'data: {"error":"boom"}\n\n', '"boom"'],
    ['beside empty choices', 'data: {"error":{"message":"boom"},"choices":[]}\n\n', 'boom'],
    ['of vLLM', 'data: {"object":"error","message":"boom","type":"BadRequestError","code":400}\n\n', 'boom'],
    ['that calls its type so', 'data: {"type":"error","message":"boom"}\n\n', 'boom'],
    ['with the type of one', 'data: {"message":"boom","type":"InternalServerError"}\n\n', 'boom'],
    ['with the status of one', 'data: {"message":"boom","code":"503"}\n\n', 'boom'],
    ['of FastAPI', 'data: {"detail":"boom"}\n\n', '{"detail":"boom"}'],
    ['of FastChat', 'data: {"text":"boom","error_code":50001}\n\n', '{"text":"boom","error_code":50001}'],
    ['that is no event', '{"error":{"message":"boom"}}\n\n', 'boom'],
    ['that is no event, without an end', '{"error":{"message":"boom"}}', 'boom'],
  ])(
    'an error is one, however it is written, and stands behind what was held: %s',
    async (_, error, message) => {
      for (const tail of error.endsWith('\n\n') ? ['', done] : ['']) {
        const fetch = serve(`${hello}${chunk({ content: ' a <' })}${error}${tail}`, sse);
        for (const SDK of [OpenAI, OpenAILowest as unknown as typeof OpenAI]) {
          const client = new SDK({
            baseURL: 'http://server.invalid/v1',
            apiKey: 'none',
            maxRetries: 0,
            fetch,
          });
          let said = '';
          const reading = (async () => {
            for await (const { choices } of await client.chat.completions.create({ ...body, stream: true })) {
              expect(choices[0]?.finish_reason).toBeNull();
              said += choices[0]?.delta.content ?? '';
            }
          })();
          await expect(reading).rejects.toMatchObject({ constructor: SDK.APIError, message });
          expect(said).toBe('Hi. a <');
        }
      }
    },
  );

  test.each([
    ['{"type":"status","message":"Loading the model."}'],
    ['{"message":"ok","code":200}'],
    ['{"object":"chat.completion.chunk","usage":{"total_tokens":3}}'],
  ])('an object without choices is none that does not call itself one: %s', async (data) => {
    const answered = await answer(`${hello}data: ${data}\n\n${chunk({}, 'stop')}${done}`);
    expect(answered).toContain('"finish_reason":"stop"');
    expect(answered).not.toContain('"error"');
  });

  test('[DONE] with something behind it is one, and the last event', async () => {
    const held = `${hello}${chunk({ content: ' a <' })}`;
    const ended = `${held}${chunk({}, 'stop')}`;
    expect(await answer(`${ended}data: [DONE] bye\n\n`)).toBe(`${ended}data: [DONE]\n\n`);
  });

  test('an event of type error that holds an error object passes', async () => {
    const error = 'event: error\ndata: {"error":{"message":"boom"}}\n\n';
    expect((await answer(hello + error)).endsWith(error)).toBe(true);
  });

  test('broken JSON passes, and so fails in the client', async () => {
    const text = `data: {broken\n\n${hello}${chunk({}, 'stop')}${done}`;
    expect(await answer(text)).toBe(text);
  });

  test('data that is no object, or nothing, is a comment; clients fail to read it', async () => {
    const events = ['7', 'null', '[1]', '"a"', '', ' :a\ndata: b'].map((data) => `id: 3\ndata: ${data}\n\n`);
    const text = `${events.join('')}event: ping\n\n${hello}${chunk({}, 'stop')}${done}`;
    const comments = ['7', 'null', '[1]', '"a"', '', ' :a\n: b'].map((words) => `id: 3\n: ${words}\n\n`);
    expect(await answer(text)).toBe(`${comments.join('')}: ping\n\n${hello}${chunk({}, 'stop')}${done}`);
    const client = connect('http://server.invalid/v1', serve(text, sse));
    expect(await client.chat.completions.stream(body).finalContent()).toBe('Hi.');
  });

  test.each(['usage', 'logprobs', 'token_ids', 'own'])(
    'what else stands in chunks of raw tokens stays, once: %s',
    async (field) => {
      const marker =
        '<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>';
      const cut = marker.match(/.{1,9}/g) ?? [];
      const texts = ['Hi <', 'b> ', ...cut, '{"a"', ':1}', '<|tool_call_end|>'];
      const events = texts.map((content, at) => {
        const more = (name: string) => (name === field ? { [name]: { at } } : {});
        const delta = { role: 'assistant', content, ...more('own') };
        const choice = { index: 0, delta, finish_reason: null, ...more('logprobs'), ...more('token_ids') };
        return `data: ${JSON.stringify({ id: 'c', choices: [choice], ...more('usage') })}\n\n`;
      });
      const fetch = serve(events.join('') + chunk({}, 'stop') + done, sse);
      const passed = await collect(connect('http://server.invalid/v1', fetch));
      expect(join(passed)).toEqual({ text: 'Hi <b> ', args: '{"a":1}', finish: 'tool_calls' });
      const found = [...JSON.stringify(passed).matchAll(/{"at":(\d+)}/g)].map(([, at]) => Number(at));
      expect(found).toEqual(texts.map((_, at) => at));
    },
  );

  test('text behind the finish and the usage is no less text', async () => {
    const text = chunk({ content: ' More.' });
    expect(await answer(`${hello}${chunk({}, 'stop')}${usage}${text}${done}`)).toBe(
      `${hello}${usage}${text}${chunk({}, 'stop')}${done}`,
    );
  });

  test('a finish and a usage that have come stay, where an error follows or the connection breaks', async () => {
    const whole = `${hello}${chunk({}, 'stop')}${usage}`;
    const error = 'data: {"error":{"message":"boom"}}\n\n';
    expect(await answer(whole + error)).toBe(whole + error);
    let reads = 0;
    const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        if (reads++ > 0) controller.error(new Error('reset'));
        else controller.enqueue(new TextEncoder().encode(whole));
      },
    });
    const fetch = createKimiFetch({ fetch: async () => new Response(source, { headers: sse }) });
    const response = await post(fetch, { ...body, stream: true });
    let read = '';
    const reading = (async () => {
      for await (const bytes of response.body as ReadableStream<Uint8Array>)
        read += new TextDecoder().decode(bytes);
    })();
    await expect(reading).rejects.toThrow('reset');
    expect(read).toBe(whole);
  });

  test('[DONE] with spaces around it is one', async () => {
    for (const spaced of ['data: [DONE] \n\n', 'data:  [DONE]\n\n', 'data: [DONE] ']) {
      const text = `${hello}${chunk({}, 'stop')}`;
      expect(await answer(text + spaced)).toBe(text + done);
    }
  });

  test('comments and ids of events that are rewritten stay', async () => {
    const finish = chunk({}, 'stop');
    const text = `: note\nid: 5\n${chunk({ role: 'assistant', content: '<think>a' })}${finish}`;
    expect((await answer(text)).startsWith(': note\nid: 5\n\ndata: ')).toBe(true);
  });
});

describe('an answer that is no stream, to a request for one', () => {
  /** The pretend engine behind a proxy that loses `stream`. */
  async function connectDeaf(options: Partial<EngineOptions>, own: KimiFetchOptions = {}): Promise<OpenAI> {
    const engine = await start(options);
    const deaf: typeof fetch = (input, init) => {
      const asked = { ...JSON.parse(String(init?.body)), stream: false, stream_options: undefined };
      return fetch(input, { ...init, body: JSON.stringify(asked) });
    };
    return connect(engine.baseURL, createKimiFetch({ ...own, fetch: deaf }));
  }

  test.each<BehaviourName>(['healthy', 'raw-content'])(
    'a completion is its chunks: %s',
    async (behaviour) => {
      const client = await connectDeaf({ behaviour });
      const chunks = await collect(client);
      expect(join(chunks)).toEqual(whole);
      expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
      expect(chunks.at(-1)?.usage?.total_tokens).toBeGreaterThan(0);
      expect(chunks.filter(({ usage }) => usage)).toHaveLength(1);
      expect(new Set(chunks.map(({ object }) => object))).toEqual(new Set(['chat.completion.chunk']));
      const calls = chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.tool_calls ?? []));
      const start = { index: 0, type: 'function', function: { name: 'look', arguments: '' } };
      expect(calls).toEqual([
        { ...start, id: expect.any(String) },
        { index: 0, function: { arguments: whole.args } },
      ]);
      const final = await client.chat.completions.stream(body).finalChatCompletion();
      expect(final.choices).toMatchObject([
        {
          finish_reason: 'tool_calls',
          message: { content: 'Schön.', tool_calls: [{ function: { arguments: whole.args } }] },
        },
      ]);
    },
  );

  test('several choices, each with its fields', async () => {
    const message = { role: 'assistant', content: 'Hi.', refusal: null };
    const completion = {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      provider: 'p',
      choices: [1, 0].map((index) => ({ index, message, finish_reason: 'stop', stop_sequence: index })),
      usage: { total_tokens: 3 },
    };
    const fetch = serve(JSON.stringify(completion, undefined, 2), { 'content-type': 'application/json' });
    const chunks = await collect(connect('http://server.invalid/v1', fetch));
    expect(chunks.map(({ choices }) => choices[0])).toEqual(
      [1, 0].flatMap((index) => [
        { index, delta: { role: 'assistant', content: '', refusal: null }, finish_reason: null },
        { index, delta: { content: 'Hi.' }, finish_reason: null },
        { index, delta: {}, finish_reason: 'stop', stop_sequence: index },
      ]),
    );
    for (const chunk of chunks) expect(chunk).toMatchObject({ id: 'c', created: 1, provider: 'p' });
    expect(chunks.map(({ usage }) => usage).filter(Boolean)).toEqual([completion.usage]);
  });

  test.each([[[]], [[{ index: 0, finish_reason: 'stop' }]], [[{ index: 0, message: null }]], [[null]]])(
    'choices that hold nothing are an empty turn: %j',
    async (choices) => {
      const fetch = serve(JSON.stringify({ id: 'c', choices }), { 'content-type': 'application/json' });
      const client = connect('http://server.invalid/v1', fetch);
      const chunks = await collect(client);
      expect(chunks.at(-1)?.choices).toMatchObject([{ finish_reason: 'stop' }]);
      const codes = chunks.at(-1)?.choices[0]?.x_kimi?.problems?.map(({ code }) => code);
      expect(codes).toContain('empty-turn');
      expect(await client.chat.completions.stream(body).finalContent()).toBe('');
    },
  );

  test('a completion behind a byte order mark, or with deltas in place of messages, is its chunks', async () => {
    const completion = (field: string) =>
      JSON.stringify({
        id: 'c',
        choices: [{ index: 0, [field]: { role: 'assistant', content: '<think>a</think>b' } }],
      });
    for (const text of [
      `\uFEFF${completion('message')}`,
      `\uFEFF\n${completion('message')}`,
      completion('delta'),
    ]) {
      const fetch = serve(text, { 'content-type': 'application/json' });
      const chunks = await collect(connect('http://server.invalid/v1', fetch));
      expect(join(chunks)).toEqual({ text: 'ab', args: '', finish: 'stop' });
    }
  });

  test('nothing is an error, but where its type is that of a stream', async () => {
    for (const type of ['application/json', 'text/html', '']) {
      for (const text of ['', '\n \n']) {
        const fetch = serve(new TextEncoder().encode(text), type === '' ? {} : { 'content-type': type });
        const client = connect('http://server.invalid/v1', fetch);
        const message = 'The answer of the server is empty.';
        await expect(collect(client)).rejects.toMatchObject({ constructor: OpenAI.APIError, message });
        await expect(client.chat.completions.stream(body).finalMessage()).rejects.toThrow(message);
      }
    }
  });

  test.each([
    ['null', 'null', 'null'],
    ['a JSON text', '"overloaded"', '"overloaded"'],
    ['words', 'upstream connect error', 'upstream connect error'],
    ['words like those of an event', 'data center: gone\n\nerror: 7', 'data center: gone\nerror: 7'],
    ['a page behind a byte order mark', '\uFEFF<html>sign in</html>', '<html>sign in</html>'],
    ['an error object', '{"error":{"message":"overloaded","code":7}}', 'overloaded'],
    ['an error beside empty choices', '{"choices":[],"error":{"message":"overloaded"}}', 'overloaded'],
    ['words of another kind', '{"object":"error","message":"overloaded"}', 'overloaded'],
    ['other JSON', '{\n  "detail": "Not Found"\n}', '{\n  "detail": "Not Found"\n}'],
    ['a list', '[1, 2]', '[1, 2]'],
    ['half a completion', '{"choices":[{', '{"choices":[{'],
    ['a page', '\n<html>sign in</html>', '<html>sign in</html>'],
  ])('%s is an error in the stream', async (_, text, message) => {
    for (const type of ['application/json', 'application/xml', 'text/html', 'text/event-stream', '']) {
      const fetch = serve(new TextEncoder().encode(text), type === '' ? {} : { 'content-type': type });
      const client = connect('http://server.invalid/v1', fetch);
      const error = await collect(client).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(OpenAI.APIError);
      expect(error).toMatchObject({ message });
      await expect(client.chat.completions.stream(body).finalMessage()).rejects.toThrow(message);
      const response = await post(fetch, { ...body, stream: true });
      expect(response.headers.get('content-type')).toBe('text/event-stream');
    }
  });

  test('a stream under the type of JSON is one', async () => {
    const event = `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content: '<think>a' } }] })}\n\n`;
    for (const text of [event, `\n${event}`]) {
      const fetch = serve(text, { 'content-type': 'application/json' });
      const answer = await (await post(fetch, { ...body, stream: true })).text();
      expect(answer).toContain('"reasoning_content":"a"');
      expect(answer.endsWith('data: [DONE]\n\n')).toBe(true);
    }
  });

  test('its turn is remembered and its problems are told', async () => {
    const problems: string[] = [];
    const kept: string[] = [];
    const memory = { get: () => undefined, set: (_: string, reasoning: string) => void kept.push(reasoning) };
    const own = { onProblem: ({ code }: { code: string }) => problems.push(code), reasoningMemory: memory };
    const client = await connectDeaf({ behaviour: 'raw-content' }, { ...own, model: 'kimi-k2-thinking' });
    await collect(client);
    expect(kept).toEqual(['Wo? 日本 😀']);
    expect(problems).toEqual([]);
  });
});

describe('failures are the server’s own', () => {
  test('an error in the middle of a stream', async () => {
    const engine = await start({ behaviour: ['raw-content', 'error-mid-stream'] });
    await expect(collect(connect(engine.baseURL))).rejects.toMatchObject({ constructor: OpenAI.APIError });
  });

  test('an error in a line of its own, as older servers write it', async () => {
    const said = {
      choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi.' }, finish_reason: null }],
    };
    const text = `data: ${JSON.stringify(said)}\n\nerror: {"code":500,"message":"Context size has been exceeded."}\n\n`;
    const fetch = serve(new TextEncoder().encode(text), { 'content-type': 'text/event-stream' });
    await expect(collect(connect('http://server.invalid/v1', fetch))).rejects.toMatchObject({
      constructor: OpenAI.APIError,
      message: 'Context size has been exceeded.',
    });
  });

  test('a connection that breaks', async () => {
    const engine = await start({ behaviour: ['raw-content', 'cut-mid-call'] });
    const error = await collect(connect(engine.baseURL)).catch((caught: Error) => caught);
    const bare = await collect(connect(engine.baseURL, globalThis.fetch)).catch((caught: Error) => caught);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toBe((bare as Error).message);
  });

  test.each<BehaviourName>(['healthy', 'raw-content'])(
    'a connection that breaks inside of a call says so, in front of the error: %s',
    async (behaviour) => {
      const problems: string[] = [];
      const engine = await start({ behaviour: [behaviour, 'cut-mid-call'] });
      const client = connect(
        engine.baseURL,
        createKimiFetch({ onProblem: ({ code }) => problems.push(code) }),
      );
      const chunks: KimiChunk[] = [];
      const reading = (async () => {
        for await (const chunk of await client.chat.completions.create({ ...body, stream: true }))
          chunks.push(chunk as KimiChunk);
      })();
      await expect(reading).rejects.toBeInstanceOf(Error);
      expect(problems).toEqual(['truncated-call', 'stream-ended-early']);
      const [last] = chunks.at(-1)?.choices ?? [];
      expect(last).toMatchObject({ delta: {}, finish_reason: null });
      expect(last?.x_kimi?.problems?.map(({ code }) => code)).toEqual(problems);
      expect(last?.x_kimi?.incomplete_tool_calls).toMatchObject([{ index: 0, name: 'look' }]);
      expect(join(chunks).args.endsWith(CUT_ARGUMENTS_SEAL)).toBe(true);
    },
  );

  test('an abort says nothing about the reply', async () => {
    const problems: string[] = [];
    const engine = await start({ behaviour: 'raw-content', delayMs: 20 });
    const fetch = createKimiFetch({ onProblem: ({ code }) => problems.push(code) });
    const controller = new AbortController();
    const stream = await connect(engine.baseURL, fetch).chat.completions.create(
      { ...body, stream: true },
      { signal: controller.signal },
    );
    for await (const _ of stream) controller.abort();
    expect(problems).toEqual([]);
  });

  test.each<[string, string | null, Record<string, string>, number]>([
    ['an error', '{"error":{"message":"<think>no"}}', { 'content-type': 'application/json' }, 400],
    ['a page', '<html><think>502</html>', { 'content-type': 'text/html' }, 502],
    ['a picture', '<think>', { 'content-type': 'image/png' }, 200],
    ['nothing', null, {}, 204],
  ])('%s passes', async (_, text, headers, status) => {
    for (const stream of [true, false]) {
      const response = await post(serve(text, headers, status), { ...body, stream });
      expect(response.status).toBe(status);
      expect(await response.text()).toBe(text ?? '');
    }
  });

  test.each([
    ['a page', '<html><think>sign in</html>', 'text/html'],
    ['an empty body', '', 'application/json'],
    ['broken JSON', '{"choices":[{', 'application/json'],
    ['other JSON', '[1, 2]', 'application/json'],
    ['JSON without choices', '{"id": 1}', 'application/json'],
  ])('%s with status 200 passes where no stream was asked for', async (_, text, type) => {
    const response = await post(serve(text, { 'content-type': type }));
    expect(response.headers.get('content-type')).toBe(type);
    expect(await response.text()).toBe(text);
  });

  test('a body whose length and encoding are told', async () => {
    const completion = JSON.stringify({
      choices: [
        { index: 0, message: { role: 'assistant', content: '<think>a</think>b' }, finish_reason: 'stop' },
      ],
    });
    const headers = {
      'content-type': 'application/json',
      'content-length': '9',
      'content-encoding': 'gzip',
      'x-a': 'b',
    };
    const response = await post(serve(completion, headers));
    expect(Object.fromEntries(response.headers)).toEqual({ 'content-type': 'application/json', 'x-a': 'b' });
    expect(await response.json()).toMatchObject({
      choices: [{ message: { content: 'b', reasoning_content: 'a' } }],
    });
  });
});

test.each([true, false])('cancelling the body cancels that of the server (stream: %s)', async (stream) => {
  let reason: unknown;
  const source = new ReadableStream({
    pull: () => new Promise(() => {}),
    cancel: (given) => {
      reason = given;
    },
  });
  const headers = stream ? sse : { 'content-type': 'application/json' };
  const fetch = createKimiFetch({ fetch: async () => new Response(source, { headers }) });
  const response = await post(fetch, { ...body, stream });
  await response.body?.cancel('enough');
  expect(reason).toBe('enough');
});

describe('requests', () => {
  function record(options: KimiFetchOptions = {}) {
    const seen: Parameters<typeof fetch>[] = [];
    const chunk = { id: 'r', choices: [{ index: 0, delta: { role: 'assistant', content: '<think>a' } }] };
    const fetch = createKimiFetch({
      ...options,
      fetch: async (...request) => {
        seen.push(request);
        return new Response(`data: ${JSON.stringify(chunk)}\n\n`, { headers: sse });
      },
    });
    return { fetch, seen };
  }
  const acts = async (response: Promise<Response>) =>
    (await (await response).text()).includes('reasoning_content');
  const url = 'http://server.invalid/v1/chat/completions';
  const init = { method: 'POST', body: JSON.stringify({ ...body, stream: true }) };

  test('go to the server as they are', async () => {
    const { fetch, seen } = record();
    await fetch(url, init);
    expect(seen).toEqual([[url, init]]);
    expect(seen[0]?.[1]).toBe(init);
  });

  test.each<[string, Parameters<typeof fetch>]>([
    ['a text', [url, init]],
    ['a query and a slash', [`${url}/?api-version=1`, init]],
    ['a URL', [new URL(url), init]],
    ['a Request', [new Request(url, init)]],
    ['a Request and another body', [new Request(url, init), { body: init.body }]],
    ['a relative path', ['/v1/chat/completions', init]],
    ['bytes', [url, { ...init, body: new TextEncoder().encode(init.body) }]],
    ['a small method', [url, { ...init, method: 'post' }]],
    ['a body nobody can read', [url, { ...init, body: new FormData() }]],
    ['no body', [url, { method: 'POST' }]],
  ])('are known by %s', async (_, request) => {
    expect(await acts(record().fetch(...request))).toBe(true);
  });

  test.each<[string, Parameters<typeof fetch>]>([
    ['another method', [url, { method: 'GET' }]],
    ['no method', [url]],
    ['another path', ['http://server.invalid/v1/embeddings', init]],
    ['text completions', ['http://server.invalid/v1/completions', init]],
    ['the path in the query', ['http://server.invalid/v1/models?from=/chat/completions', init]],
  ])('are left alone with %s', async (_, request) => {
    expect(await acts(record().fetch(...request))).toBe(false);
  });

  test('tools, tool choice and model are those of the request', async () => {
    const seen: unknown[] = [];
    const text = 'functions.look:0{"at":1}';
    const fetch = createKimiFetch({
      onProblem: ({ code }, { model }) => seen.push([code, model]),
      fetch: async () =>
        new Response(
          JSON.stringify({
            choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
          }),
          { headers: { 'content-type': 'application/json' } },
        ),
    });
    const tools = [
      { type: 'web_search' },
      { type: 'namespace', name: 'shell', tools: [] },
      null,
      { type: 'function', function: {} },
      { type: 'function', function: { name: 'look' } },
    ];
    const ask = async (request: object) =>
      (await post(fetch, request)).json() as Promise<{ choices: unknown[] }>;
    expect((await ask({ model: 'a', tools })).choices[0]).toMatchObject({
      message: { tool_calls: [{ id: 'functions.look:0' }] },
    });
    expect((await ask({ model: 'b' })).choices[0]).toMatchObject({ message: { content: text } });
    expect((await ask({ model: 'c', tools, tool_choice: 'none' })).choices[0]).toMatchObject({
      message: { content: text },
    });
    expect(seen).toEqual([['text-call-recovered', 'a']]);
  });

  describe('whose body is not a text', () => {
    const text = JSON.stringify({ model: 'kimi-k2.5', messages: [{ role: 'user', content: 'a\0b' }] });
    const bytes = new TextEncoder().encode(text);
    const padded = new Uint8Array([0, ...bytes, 0]);
    async function* pieces() {
      for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
    }
    const bodies: [string, () => unknown][] = [
      ['a Blob', () => new Blob([text], { type: 'application/json' })],
      ['a DataView', () => new DataView(padded.buffer, 1, bytes.length)],
      ['an ArrayBuffer', () => bytes.buffer],
      ['a ReadableStream', () => new Blob([text]).stream()],
      ['an async iterable', pieces],
    ];
    async function send(given: unknown, options: KimiFetchOptions = {}, headers = {}) {
      const engine = await start({ script: () => 'Hello.', behaviour: 'healthy' });
      const fetch = createKimiFetch(options);
      const request = { method: 'POST', body: given, headers, duplex: 'half' } as RequestInit;
      const response = await fetch(`${engine.baseURL}/chat/completions`, request);
      expect(await response.text()).toContain('Hello.');
      return engine.requests[0];
    }

    test.each(bodies)('are read: %s', async (name, body) => {
      const sent = await send(body());
      expect(sent?.body).toEqual({ model: 'kimi-k2.5', messages: [{ role: 'user', content: 'ab' }] });
      if (name === 'a Blob') expect(sent?.headers['content-type']).toBe('application/json');
    });

    test.each(bodies)('are rendered: %s', async (_, body) => {
      expect(await send(body(), { transport: 'completions' })).toMatchObject({
        path: '/v1/completions',
        body: { prompt: expect.stringContaining('ab') },
      });
    });

    test.each(bodies)('are sent as they are where nothing is to be changed: %s', async (_, body) => {
      expect((await send(body(), { request: false }))?.body).toEqual(JSON.parse(text));
    });

    test('are not read where they are for something else', async () => {
      const { fetch, seen } = record();
      const stream = new Blob([text]).stream();
      await fetch('http://server.invalid/v1/files', { method: 'POST', body: stream });
      expect(seen[0]?.[1]?.body).toBe(stream);
      expect(stream.locked).toBe(false);
    });

    test('fail as fetch does: with the error of the stream, or the reason of an abort', async () => {
      const { fetch, seen } = record();
      const broken = new ReadableStream({ pull: () => Promise.reject(new Error('no more')) });
      await expect(fetch(url, { ...init, body: broken })).rejects.toThrow('no more');
      let cancelled: unknown;
      const endless = new ReadableStream({
        cancel: (reason) => {
          cancelled = reason;
        },
      });
      const controller = new AbortController();
      const sending = fetch(url, { ...init, body: endless, signal: controller.signal });
      const reason = new Error('enough');
      controller.abort(reason);
      await expect(sending).rejects.toBe(reason);
      expect(cancelled).toBe(reason);
      expect(seen).toEqual([]);
    });
  });

  test('options that are set come first, those that are not do not count', async () => {
    const tools = [{ type: 'function' as const, function: { name: 'look' } }];
    const text = 'functions.look:0{"at":1}';
    const completion = {
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    };
    const fetch = async () =>
      new Response(JSON.stringify(completion), { headers: { 'content-type': 'application/json' } });
    const set = await post(createKimiFetch({ fetch, tools }));
    expect(await set.text()).toContain('tool_calls');
    const unset = await post(createKimiFetch({ fetch, tools: undefined }), { ...body, tools });
    expect(await unset.text()).toContain('tool_calls');
  });

  test('the global fetch is looked up when it is called', async () => {
    const fetch = createKimiFetch();
    const engine = await start({ behaviour: 'raw-content' });
    const original = globalThis.fetch;
    onTestFinished(() => {
      globalThis.fetch = original;
    });
    let calls = 0;
    globalThis.fetch = (...request) => {
      calls++;
      return original(...request);
    };
    await collect(connect(engine.baseURL, fetch));
    expect(calls).toBe(1);
  });
});

test('problems come with the request they are about, and without its secrets', async () => {
  const engine = await start({
    script: ['<|tool_call_begin|>look:0<|tool_call_argument_begin|>{}'],
    behaviour: 'raw-content',
    apiKey: 'sk-secret',
  });
  const seen: unknown[] = [];
  const fetch = createKimiFetch({ onProblem: (problem, context) => seen.push({ ...problem, context }) });
  const client = new OpenAI({
    baseURL: engine.baseURL,
    apiKey: 'sk-secret',
    defaultQuery: { key: 'sk-secret' },
    fetch,
  });
  await collect(client);
  const context = {
    of: 'reply',
    choice: 0,
    id: 'chatcmpl-1',
    model: 'm',
    url: `${engine.baseURL}/chat/completions`,
  };
  expect(seen).toMatchObject([
    { code: 'id-rewritten', index: 0, context },
    { code: 'unclosed-call', index: 0, context },
  ]);
  expect(JSON.stringify(seen)).not.toContain('secret');
});

test('500 streams at once do not mix', async () => {
  const engine = await start({
    script: ({ body: request }) => {
      const [{ content }] = (request as { messages: [{ content: string }] }).messages;
      return `<think>about ${content}</think>On ${content}.<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"n":"${content}"}<|tool_call_end|>`;
    },
    behaviour: 'raw-content',
    byteCuts: { seed: 2, max: 300 },
  });
  const client = connect(engine.baseURL);
  const names = Array.from({ length: 500 }, (_, at) => `number ${at}`);
  const results = await Promise.all(
    names.map(async (content) => {
      const messages = [{ role: 'user' as const, content }];
      const chunks: KimiChunk[] = [];
      for await (const chunk of await client.chat.completions.create({
        model: 'm',
        messages,
        stream: true,
      })) {
        chunks.push(chunk as KimiChunk);
      }
      return join(chunks);
    }),
  );
  expect(results).toEqual(
    names.map((name) => ({
      text: `about ${name}On ${name}.`,
      args: `{"n":"${name}"}`,
      finish: 'tool_calls',
    })),
  );
});
