import { createMoonshotAI } from '@ai-sdk/moonshotai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type BehaviourName, type EngineOptions, startEngine } from '@kimi-tc/testing';
import * as ai from 'ai';
import * as aiLowest from 'ai-lowest';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createKimi, kimiMiddleware } from './index.ts';

globalThis.AI_SDK_LOG_WARNINGS = false;

const section = (...calls: string[]) =>
  `<|tool_calls_section_begin|>${calls.join('')}<|tool_calls_section_end|>`;
const call = (id: string, args: string) =>
  `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${args}<|tool_call_end|>`;

const MODEL = 'kimi-k2-thinking';
const PROMPT = 'Read twenty pages.';

/** Ten steps, each with a thought, a word and two calls, then an answer. */
const tenSteps = [
  ...Array.from({ length: 10 }, (_, step) => {
    const calls = [2 * step, 2 * step + 1].map((n) => call(`functions.read:${n}`, `{"page":${n}}`));
    return `<think>Thought ${step}.</think>Step ${step}.${section(...calls)}`;
  }),
  '<think>All read.</think>Twenty pages.',
];

async function start(options: Partial<EngineOptions> & Pick<EngineOptions, 'script'>) {
  const engine = await startEngine({ behaviour: 'raw-content', ...options });
  onTestFinished(() => engine.stop());
  return engine;
}

const models: { name: string; connect(baseURL: string, lib: typeof ai): ai.LanguageModel }[] = [
  { name: 'the provider', connect: (baseURL) => createKimi({ baseURL })(MODEL) },
  {
    name: 'the middleware around openai-compatible',
    connect: (baseURL, { wrapLanguageModel }) =>
      wrapLanguageModel({
        model: createOpenAICompatible({ name: 'some', baseURL })(MODEL),
        middleware: kimiMiddleware(),
      }),
  },
  {
    name: 'the middleware around moonshotai',
    connect: (baseURL, { wrapLanguageModel }) =>
      wrapLanguageModel({
        model: createMoonshotAI({ baseURL, apiKey: 'none' })(MODEL),
        middleware: kimiMiddleware(),
      }),
  },
];

/** Faults that a wrapped model hides from the middleware: it refuses the chunks, or drops the field. */
const LOST: Record<string, readonly BehaviourName[]> = {
  'the middleware around openai-compatible': ['arguments-as-object', 'keep-alive-as-data'],
  'the middleware around moonshotai': [
    'arguments-as-object',
    'keep-alive-as-data',
    'raw-reasoning-field',
    'empty-role-and-type',
  ],
};

interface WireMessage {
  role: string;
  tool_call_id?: string;
  reasoning_content?: string;
  tool_calls?: { id: string; function: { arguments: string } }[];
}

function messagesOf(request: { body: unknown } | undefined): WireMessage[] {
  return (Object(request?.body) as { messages: WireMessage[] }).messages;
}

const behaviours: BehaviourName[][] = [
  ['healthy'],
  ['raw-content'],
  ['raw-reasoning'],
  ['raw-reasoning-field'],
  ['split-reasoning'],
  ['stripped-tokens'],
  ['begin-markers-swallowed'],
  ['section-end-missing'],
  ['call-end-missing'],
  ['singular-section-markers'],
  ['spaced-markers'],
  ['noise-in-section'],
  ['ids-without-prefix'],
  ['glued-ids'],
  ['underscored-ids'],
  ['double-encoded-arguments'],
  ['native-and-leaked'],
  ['finish-stop-with-calls'],
  ['conversation-index'],
  ['generated-ids'],
  ['repeated-ids'],
  ['bare-counter-ids'],
  ['opaque-ids-in-text'],
  ['space-before-name'],
  ['arguments-at-once'],
  ['whole-call-in-one-delta'],
  ['interleaved-calls'],
  ['finish-twice'],
  ['no-finish'],
  ['empty-role-and-type'],
  ['reasoning-field'],
  ['arguments-as-object'],
  ['same-index-twice'],
  ['keep-alive-comments'],
  ['keep-alive-as-data'],
  ['missing-done'],
  ['usage-in-choices'],
];

// The types of 7.0.0 and the newest differ where these tests do not look.
const sdks = [
  { sdk: 'ai', lib: ai, behaviours },
  { sdk: 'ai 7.0.0', lib: aiLowest as unknown as typeof ai, behaviours: behaviours.slice(0, 5) },
];

describe.each(models)('$name', ({ name, connect }) => {
  describe.each(sdks)('with $sdk', ({ lib, behaviours: all }) => {
    const reachable = all.filter((row) => !row.some((one) => LOST[name]?.includes(one)));
    const { ToolLoopAgent, isStepCount, tool, toUIMessageStream, readUIMessageStream } = lib;

    function createReader() {
      const pages: number[] = [];
      const read = tool({
        inputSchema: z.object({ page: z.number() }),
        execute: async ({ page }) => {
          pages.push(page);
          return `Page ${page}.`;
        },
      });
      return { pages, tools: { read } };
    }

    test.each(reachable)('ten steps with parallel calls: %s', async (...behaviour) => {
      const engine = await start({ script: tenSteps, behaviour });
      const { pages, tools } = createReader();
      const model = connect(engine.baseURL, lib);
      const agent = new ToolLoopAgent({ model, tools, stopWhen: isStepCount(20) });
      const result = await agent.stream({ prompt: PROMPT });
      const errors: unknown[] = [];
      let message: ai.UIMessage | undefined;
      const chunks = toUIMessageStream({ stream: result.stream, tools, onError: String });
      for await (const one of readUIMessageStream({
        stream: chunks,
        onError: (error) => errors.push(error),
      })) {
        message = one as ai.UIMessage;
      }
      expect(errors).toEqual([]);
      expect(pages).toEqual(Array.from({ length: 20 }, (_, n) => n));
      expect(await result.text).toMatch(/Twenty pages\.$/);
      expect(await result.finishReason).toBe('stop');

      const calls = message?.parts.filter((part) => part.type === 'tool-read') as ai.ToolUIPart[];
      expect(calls.map(({ state }) => state)).toEqual(Array(20).fill('output-available'));
      expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(20);
      expect(message?.parts.some((part) => JSON.stringify(part).includes('<|'))).toBe(false);
      expect(engine.requests.map(({ error }) => error)).toEqual(Array(11).fill(undefined));
    });

    test.each(reachable)('the same, not streamed: %s', async (...behaviour) => {
      const engine = await start({ script: tenSteps, behaviour });
      const { pages, tools } = createReader();
      const agent = new ToolLoopAgent({
        model: connect(engine.baseURL, lib),
        tools,
        stopWhen: isStepCount(20),
      });
      const { steps } = await agent.generate({ prompt: PROMPT });
      expect(pages).toEqual(Array.from({ length: 20 }, (_, n) => n));
      expect(steps.at(-1)?.text).toBe('Twenty pages.');
      const ids = steps.flatMap(({ toolCalls }) => toolCalls.map(({ toolCallId }) => toolCallId));
      expect(new Set(ids).size).toBe(20);
    });
  });

  test.each<BehaviourName[]>([['raw-content'], ['repeated-ids'], ['generated-ids']])(
    'the history that a server gets is canonical, and has the reasoning: %s',
    async (behaviour) => {
      const engine = await start({ script: tenSteps, behaviour: [behaviour, 'reasoning-replay-required'] });
      const read = ai.tool({ inputSchema: z.object({ page: z.number() }), execute: async () => 'A page.' });
      const agent = new ai.ToolLoopAgent({ model: connect(engine.baseURL, ai), tools: { read } });
      await agent.generate({ prompt: PROMPT });
      const messages = messagesOf(engine.requests.at(-1));
      const ids = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
      expect(ids).toEqual(Array.from({ length: 20 }, (_, n) => `functions.read:${n}`));
      const results = messages.flatMap(({ tool_call_id }) => (tool_call_id ? [tool_call_id] : []));
      expect(results).toEqual(ids);
      const turns = messages.filter(({ role }) => role === 'assistant');
      expect(turns.map(({ reasoning_content }) => reasoning_content)).toEqual(
        Array.from({ length: 10 }, (_, step) => `Thought ${step}.`),
      );
    },
  );
});
