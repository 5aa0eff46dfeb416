import { readFileSync } from 'node:fs';
import { CUT_ARGUMENTS_SEAL } from '@kimi-tc/core';
import { startEngine } from '@kimi-tc/testing';
import { load } from '@langchain/core/load';
import {
  AIMessage,
  AIMessageChunk,
  type AIMessageFields,
  type ToolCall,
  ToolMessage,
} from '@langchain/core/messages';
import { JsonOutputToolsParser } from '@langchain/core/output_parsers/openai_tools';
import { RunnableLambda } from '@langchain/core/runnables';
import { tool } from '@langchain/core/tools';
import { concat } from '@langchain/core/utils/stream';
import { FakeListChatModel, FakeStreamingLLM } from '@langchain/core/utils/testing';
import { ChatOpenAICompletions, OpenAI } from '@langchain/openai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { KimiOutputParser, type KimiReplyOptions } from './index.ts';

const section = (...calls: string[]) =>
  `<|tool_calls_section_begin|>${calls.join('')}<|tool_calls_section_end|>`;
const call = (id: string, args: string) =>
  `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${args}<|tool_call_end|>`;

const read = tool(({ path }) => `text of ${path}`, {
  name: 'read',
  description: 'Reads.',
  schema: z.object({ path: z.string() }),
});
const text = `<think>One file.</think>Reading.${section(call('functions.read:0', '{"path":"a.md"}'))}`;
const expected = {
  content: 'Reading.',
  tool_calls: [{ id: 'functions.read:0', name: 'read', args: { path: 'a.md' }, type: 'tool_call' }],
  invalid_tool_calls: [],
  additional_kwargs: { reasoning_content: 'One file.' },
  response_metadata: { finish_reason: 'tool_calls', model_provider: 'kimi' },
};

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const fold = (chunks: readonly AIMessageChunk[]) => chunks.reduce((whole, chunk) => concat(whole, chunk));

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  yield* texts;
}

describe('reads', () => {
  const parser = new KimiOutputParser({ tools: [read] });

  test('text, of any model that returns some', async () => {
    expect(await parser.invoke(text)).toMatchObject(expected);
    expect(await parser.parse(text)).toMatchObject(expected);
    const createModel = () => new FakeStreamingLLM({ responses: [text] });
    expect(await createModel().pipe(parser).invoke('Read.')).toMatchObject(expected);
    const chunks = await collect(await createModel().pipe(parser).stream('Read.'));
    expect(chunks.length).toBeGreaterThan(5);
    expect(fold(chunks)).toMatchObject(expected);
  });

  test('messages, of any chat model', async () => {
    const chat = new FakeListChatModel({ responses: [text] });
    const reply = await chat.pipe(parser).invoke('Read.');
    expect(AIMessage.isInstance(reply)).toBe(true);
    expect(reply).toMatchObject(expected);
    expect(reply.contentBlocks.map(({ type }) => type)).toEqual(['reasoning', 'text', 'tool_call']);
    expect(fold(await collect(await chat.pipe(parser).stream('Read.')))).toMatchObject(expected);
  });

  test('anything that gives text, and stands before tools and other parsers', async () => {
    const chain = RunnableLambda.from(() => text).pipe(parser);
    expect(await chain.pipe(new JsonOutputToolsParser()).invoke(0)).toEqual([
      { type: 'read', args: { path: 'a.md' } },
    ]);
    const run = chain.pipe(async ({ tool_calls = [] }: AIMessageChunk) =>
      read.invoke(tool_calls[0] as ToolCall),
    );
    const result = await run.invoke(0);
    expect(ToolMessage.isInstance(result) && result.content).toBe('text of a.md');
  });

  test.each(['raw-content', 'healthy'] as const)(
    'of a model with standard content, which stays so (%s)',
    async (behaviour) => {
      const engine = await startEngine({ script: [text], behaviour });
      onTestFinished(() => engine.stop());
      const model = new ChatOpenAICompletions({
        model: 'kimi-k2',
        apiKey: 'none',
        outputVersion: 'v1',
        configuration: { baseURL: engine.baseURL },
      });
      const chain = model.bindTools([read]).pipe(new KimiOutputParser({ tools: [read] }));
      const chunks = await collect(await chain.stream('Read.'));
      expect(chunks.every(({ content }) => Array.isArray(content))).toBe(true);
      for (const reply of [await chain.invoke('Read.'), fold(chunks)]) {
        expect(reply.content).toMatchObject([
          { type: 'reasoning', reasoning: 'One file.' },
          { type: 'text', text: 'Reading.' },
          { type: 'tool_call', name: 'read', args: { path: 'a.md' } },
        ]);
        expect(reply.contentBlocks).toBe(reply.content);
        expect(reply.tool_calls).toHaveLength(1);
      }
    },
  );

  test('calls that the server has parsed, which win over the same ones as text', async () => {
    const message = new AIMessage({
      content: section(call('functions.read:0', '{"path":"a.md"}')),
      tool_calls: [{ id: 'call_1', name: 'read', args: { path: 'a.md' }, type: 'tool_call' }],
      response_metadata: { finish_reason: 'tool_calls' },
    });
    // A step that does not stream hands the whole message in as the only part.
    const streamed = RunnableLambda.from(() => message).pipe(parser);
    expect(fold(await collect(await streamed.stream(0))).tool_calls).toMatchObject([{ id: 'call_1' }]);
    const reply = await parser.invoke(message);
    expect(reply.tool_calls).toMatchObject([{ id: 'call_1', args: { path: 'a.md' } }]);
    expect(reply.content).toBe('');
    expect(reply.response_metadata.kimi).toMatchObject({ problems: [{ code: 'duplicate-call' }] });
  });

  test('messages that it has read, to the same', async () => {
    const once = await parser.invoke(
      new AIMessage({ content: text, response_metadata: { finish_reason: 'stop' } }),
    );
    expect(await parser.invoke(once)).toBe(once);
    const chunks = await collect(parser.transform(pieces(text), {}));
    async function* source(): AsyncGenerator<AIMessageChunk> {
      yield* chunks;
    }
    expect(await collect(parser.transform(source(), {}))).toEqual(chunks);
  });

  test('no call to life that was given up', async () => {
    const empty = tool(() => '', { name: 'now', description: 'The time.', schema: z.object({}) });
    const careful = new KimiOutputParser({ tools: [empty] });
    const cut = new AIMessage({
      content: '<|tool_calls_section_begin|><|tool_call_begin|>functions.now:0<|tool_call_argument_begin|>',
      response_metadata: { finish_reason: 'stop' },
    });
    const once = await careful.invoke(cut);
    expect(once.invalid_tool_calls).toMatchObject([{ name: 'now', args: '' }]);
    expect((await careful.invoke(once)).tool_calls).toEqual([]);
  });

  test('no call to life that somebody else has refused, but mends what is no JSON', async () => {
    const invalid = (args: string) => ({ id: 'c', name: 'read', args, error: 'Refused.' });
    const read = async (args: string) => {
      const message = new AIMessage({
        content: '',
        invalid_tool_calls: [invalid(args)],
        response_metadata: { finish_reason: 'tool_calls' },
      });
      return parser.invoke(message);
    };
    const refused = await read('{"path":"a"}');
    expect(refused.tool_calls).toEqual([]);
    expect(refused.invalid_tool_calls).toMatchObject([{ id: 'c', args: '{"path":"a"}' }]);
    expect((await read('{"path":"a\tb"}')).tool_calls).toMatchObject([{ args: { path: 'a\tb' } }]);
  });

  test('a call as given up that the fetch of @kimi-tc/openai has sealed', async () => {
    const sealed = { index: 0, id: 'c', name: 'read', args: `{"path":"a"}${CUT_ARGUMENTS_SEAL}` };
    const message = new AIMessageChunk({
      content: '',
      tool_call_chunks: [sealed],
      response_metadata: { finish_reason: 'tool_calls' },
    });
    const whole = await parser.invoke(message);
    async function* source(): AsyncGenerator<AIMessageChunk> {
      yield message;
    }
    const streamed = fold(await collect(parser.transform(source(), {})));
    for (const { tool_calls, response_metadata } of [whole, streamed]) {
      expect(tool_calls).toEqual([]);
      expect(response_metadata).toMatchObject({
        finish_reason: 'stop',
        kimi: { incompleteToolCalls: [{ id: 'c', name: 'read', reason: 'truncated-call' }] },
      });
    }
  });

  test('contents that are blocks, and passes on what is no text', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:,' } };
    const content = [{ type: 'reasoning', reasoning: 'Hm.' }, { type: 'text', text }, image];
    const reply = await parser.invoke(new AIMessage({ content }));
    expect(reply.content).toEqual([{ type: 'text', text: 'Reading.' }, image]);
    expect(reply.additional_kwargs.reasoning_content).toBe('Hm.One file.');
    const streamed = fold(
      await collect(
        parser.transform(
          (async function* () {
            yield new AIMessageChunk({ content: [{ type: 'text', text }] });
            yield new AIMessageChunk({ content: [image] });
          })(),
          {},
        ),
      ),
    );
    expect(streamed.content).toEqual([{ type: 'text', text: 'Reading.' }, image]);
  });

  test('and keeps what else a message has', async () => {
    // Its type does not stand `exactOptionalPropertyTypes`.
    const usage_metadata = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
    const fields = {
      id: 'msg-1',
      name: 'agent',
      usage_metadata,
      additional_kwargs: { own: 1 },
    };
    const response_metadata = { model_name: 'm', finish_reason: 'stop' };
    const kept = { ...fields, response_metadata: { model_name: 'm', finish_reason: 'tool_calls' } };
    expect(
      await parser.invoke(
        new AIMessage({ content: text, ...fields, response_metadata } as object as AIMessageFields),
      ),
    ).toMatchObject(kept);
    const chunks = await collect(
      parser.transform(
        (async function* () {
          yield new AIMessageChunk({ content: text.slice(0, 30), id: 'msg-1', name: 'agent' });
          yield new AIMessageChunk({ content: text.slice(30), additional_kwargs: { own: 1 } });
          yield new AIMessageChunk({ content: '', response_metadata });
          yield new AIMessageChunk({ content: '', ...({ usage_metadata } as object) });
        })(),
        {},
      ),
    );
    // LangChain itself drops the name when it joins chunks.
    const { name, ...rest } = kept;
    expect(chunks[0]).toMatchObject({ name });
    expect(fold(chunks)).toMatchObject(rest);
  });
});

describe('over HTTP, behind models of LangChain', () => {
  const script = [text];
  const parser = new KimiOutputParser({ tools: [read] });

  async function start(behaviour: 'raw-content' | 'raw-reasoning' | 'healthy' | 'native-and-leaked') {
    const engine = await startEngine({ script, behaviour });
    onTestFinished(() => engine.stop());
    return { apiKey: 'none', model: 'kimi-k2', configuration: { baseURL: engine.baseURL } };
  }

  test('of text completions', async () => {
    const chain = new OpenAI(await start('raw-content')).pipe(parser);
    expect(await chain.invoke('Read.')).toMatchObject(expected);
    const chunks = await collect(await chain.stream('Read.'));
    expect(chunks.length).toBeGreaterThan(5);
    expect(fold(chunks)).toMatchObject(expected);
  });

  test.each(['raw-content', 'raw-reasoning', 'healthy', 'native-and-leaked'] as const)(
    'of chat completions (%s)',
    async (behaviour) => {
      const model = new ChatOpenAICompletions(await start(behaviour));
      const chain = model.bindTools([read]).pipe(parser);
      const streamed = fold(await collect(await chain.stream('Read.')));
      for (const reply of [await chain.invoke('Read.'), streamed]) {
        expect(reply).toMatchObject({ ...expected, usage_metadata: { total_tokens: expect.any(Number) } });
        expect(reply.tool_calls).toHaveLength(1);
      }
    },
  );
});

describe('streams', () => {
  test('text at once, arguments while they come, and no piece of a special token', async () => {
    const parser = new KimiOutputParser({ tools: [read] });
    const seen: [string, string, string | undefined][] = [];
    async function* source(): AsyncGenerator<string> {
      for (const piece of [
        'Rea',
        'ding.<|tool_',
        'calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_',
        'call_argument_begin|>{"pa',
        'th":"a',
        '.md"}<|tool_call_end|>',
      ]) {
        seen.push(['in', piece, undefined]);
        yield piece;
      }
    }
    for await (const chunk of parser.transform(source(), {})) {
      const [part] = chunk.tool_call_chunks ?? [];
      if (chunk.content !== '' || part) seen.push(['out', String(chunk.content), part?.args]);
    }
    const outs = seen.map(([kind, content, args]) => (kind === 'in' ? '|' : `${content}${args ?? ''}`));
    expect(outs).toEqual(['|', 'Rea', '|', 'ding.', '|', '|', '', '{"pa', '|', 'th":"a', '|', '.md"}']);
  });

  test('a cut call as one that must not run', async () => {
    const parser = new KimiOutputParser();
    for (const cut of ['{"path":"a', '{"path":"a"', '{"path":"a\\', '{"n":1', '{"path":"\\u00', '{', '']) {
      const source = pieces(
        `${'<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>'}${cut}`,
      );
      const reply = fold(await collect(parser.transform(source, {})));
      expect(reply.tool_calls).toEqual([]);
      expect(reply.invalid_tool_calls).toMatchObject([{ id: 'functions.read:0', name: 'read' }]);
    }
  });

  test('every piece of text once', async () => {
    const parser = new KimiOutputParser();
    const long = 'x'.repeat(20_000);
    const source = pieces(...`${text.slice(0, -60)}${long}`);
    const chunks = await collect(parser.transform(source, {}));
    const out = chunks.reduce((sum, chunk) => {
      const args = (chunk.tool_call_chunks ?? []).map((part) => part.args ?? '').join('');
      return sum + String(chunk.content).length + args.length;
    }, 0);
    expect(out).toBeLessThan(long.length + text.length);
  });
});

describe('options', () => {
  test('are those of the parser, and tools of any shape', async () => {
    const reply = async (options: KimiReplyOptions, of = text) =>
      (await new KimiOutputParser(options).invoke(of)).tool_calls;
    const stripped = 'functions.read:0{"path":"a.md"}';
    const shaped = { type: 'function', function: { name: 'read', parameters: { type: 'object' } } };
    expect(await reply({}, stripped)).toEqual([]);
    expect(await reply({ tools: [read] }, stripped)).toHaveLength(1);
    expect(await reply({ tools: [shaped] }, stripped)).toHaveLength(1);
    expect(await reply({ tools: [read], recoverTextCalls: 'off' }, stripped)).toEqual([]);
    expect(await reply({ toolChoice: 'none' })).toEqual([]);
    expect((await reply({ takenToolCallIds: ['functions.read:0'] }))?.[0]?.id).toBe('functions.read:1');
  });

  test('onProblem hears of problems, once each', async () => {
    const told: string[] = [];
    const parser = new KimiOutputParser({ tools: [read], onProblem: ({ code }) => told.push(code) });
    await parser.invoke(section(call('functions.bash:0', '{}')));
    expect(told).toEqual(['unknown-tool']);
  });

  test('that are wrong are named', () => {
    expect(() => new KimiOutputParser({ recoverTextCalls: 'some' as 'off' })).toThrow(
      /^recoverTextCalls: expected/,
    );
    expect(() => new KimiOutputParser({ toolChoice: 'any' as 'none' })).toThrow(/^toolChoice: expected/);
  });

  test('come back from JSON', async () => {
    const parser = new KimiOutputParser({ tools: [read], toolChoice: 'auto' });
    const json = JSON.stringify(parser);
    const loaded = await load<KimiOutputParser>(json, {
      optionalImportsMap: { 'langchain/output_parsers/kimi': { KimiOutputParser } },
    });
    expect(await loaded.invoke('functions.read:0{"path":"a.md"}')).toMatchObject({
      tool_calls: [{ name: 'read' }],
    });
  });
});

test('there has to be something to read', async () => {
  await expect(new KimiOutputParser().parseResult([])).rejects.toThrow(/no generation/);
});

test.each([
  ['undefined', undefined],
  ['null', null],
  ['a list', ['text']],
  ['object', { text: 'text' }],
])('what is neither text nor a message is refused by name: %s', async (got, input) => {
  const parser = new KimiOutputParser();
  const error = `input: expected text or a message, got ${got}`;
  await expect(parser.invoke(input as never)).rejects.toThrow(error);
  const stream = RunnableLambda.from(() => input as never).pipe(parser);
  await expect(stream.stream(0).then(collect)).rejects.toThrow(error);
});

test('parser and middleware do without @langchain/openai', () => {
  const seen = new Set<string>();
  const imports = (file: string): string[] => {
    if (seen.has(file)) return [];
    seen.add(file);
    const source = readFileSync(new URL(file, import.meta.url), 'utf8');
    const names = [...source.matchAll(/^(?:import|export)(?! type) [^;]*? from '([^']+)'/gms)].map(
      ([, name]) => name as string,
    );
    return names.flatMap((name) => (name.startsWith('./') ? imports(name) : [name]));
  };
  const reached = [...imports('./kimi-output-parser.ts'), ...imports('./kimi-agent-middleware.ts')];
  expect([...new Set(reached.map((name) => name.split('/').slice(0, 2).join('/')))].toSorted()).toEqual([
    '@kimi-tc/core',
    '@langchain/core',
    'langchain',
  ]);
});
