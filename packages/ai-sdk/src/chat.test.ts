import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type BehaviourName, type Script, startEngine } from '@kimi-tc/testing';
import {
  AbstractChat,
  type ChatState,
  DirectChatTransport,
  type LanguageModel,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  ToolLoopAgent,
  type ToolSet,
  type ToolUIPart,
  tool,
  type UIMessage,
  wrapLanguageModel,
} from 'ai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createKimi, kimiMiddleware } from './index.ts';

globalThis.AI_SDK_LOG_WARNINGS = false;

const MODEL = 'kimi-k2-thinking';

const models: { name: string; connect(baseURL: string): LanguageModel }[] = [
  { name: 'the provider', connect: (baseURL) => createKimi({ baseURL })(MODEL) },
  {
    name: 'the middleware',
    connect: (baseURL) =>
      wrapLanguageModel({
        model: createOpenAICompatible({ name: 'some', baseURL })(MODEL),
        middleware: kimiMiddleware(),
      }),
  },
];

const section = (...calls: string[]) =>
  `<|tool_calls_section_begin|>${calls.join('')}<|tool_calls_section_end|>`;
const call = (id: string, args: string) =>
  `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${args}<|tool_call_end|>`;

/** What `useChat` is, without React. */
class Chat extends AbstractChat<UIMessage> {
  static create(
    agent: ToolLoopAgent<never, ToolSet>,
    complete: typeof lastAssistantMessageIsCompleteWithToolCalls,
  ) {
    const state: ChatState<UIMessage> = {
      status: 'ready',
      error: undefined,
      messages: [],
      pushMessage: (message) => {
        state.messages = [...state.messages, message];
      },
      popMessage: () => {
        state.messages = state.messages.slice(0, -1);
      },
      replaceMessage: (index, message) => {
        state.messages = state.messages.with(index, message);
      },
      snapshot: (thing) => structuredClone(thing),
    };
    const transport = new DirectChatTransport({ agent }) as ConstructorParameters<
      typeof AbstractChat<UIMessage>
    >[0]['transport'];
    return new Chat({ state, ...(transport && { transport }), sendAutomaticallyWhen: complete });
  }

  get toolParts(): ToolUIPart[] {
    return (this.lastMessage?.parts ?? []).filter((part) => part.type.startsWith('tool-')) as ToolUIPart[];
  }

  /** The next time that it waits for the user. */
  async settled(): Promise<void> {
    do await new Promise((resolve) => setTimeout(resolve, 20));
    while (this.status === 'submitted' || this.status === 'streaming');
  }
}

async function open(
  connect: (baseURL: string) => LanguageModel,
  script: Script,
  behaviour: BehaviourName | BehaviourName[],
  tools: ToolSet,
  complete = lastAssistantMessageIsCompleteWithToolCalls,
) {
  const engine = await startEngine({ script, behaviour });
  onTestFinished(() => engine.stop());
  const chat = Chat.create(new ToolLoopAgent({ model: connect(engine.baseURL), tools }), complete);
  return { chat, engine };
}

describe.each(models)('a chat through $name', ({ connect }) => {
  test.each<BehaviourName>(['raw-content', 'raw-reasoning', 'repeated-ids', 'native-and-leaked'])(
    'outputs of client-side tools land at their own calls: %s',
    async (behaviour) => {
      const script = [
        ...[0, 1, 2].map(
          (n) => `<think>T${n}</think>Q${n}.${section(call(`functions.ask:${n}`, `{"n":${n}}`))}`,
        ),
        '<think>Good.</think>Thanks.',
      ];
      const tools: ToolSet = { ask: tool({ inputSchema: z.object({ n: z.number() }) }) as ToolSet[string] };
      const { chat } = await open(connect, script, behaviour, tools);
      await chat.sendMessage({ text: 'Ask me.' });
      for (const n of [0, 1, 2]) {
        await chat.settled();
        expect(chat.toolParts.map(({ state }) => state)).toEqual([
          ...Array(n).fill('output-available'),
          'input-available',
        ]);
        const waiting = chat.toolParts.at(-1);
        await chat.addToolOutput({
          tool: 'ask',
          toolCallId: waiting?.toolCallId ?? '',
          output: `Answer ${n}`,
        });
      }
      await chat.settled();
      expect(chat.error).toBeUndefined();
      expect(chat.toolParts.map(({ input, output }) => [input, output])).toEqual(
        [0, 1, 2].map((n) => [{ n }, `Answer ${n}`]),
      );
      expect(chat.lastMessage?.parts.at(-1)).toMatchObject({ type: 'text', text: 'Thanks.' });
    },
  );

  test.each([true, false])('a tool that needs approval: %s', async (approved) => {
    const ran: number[] = [];
    const tools = {
      remove: tool({
        inputSchema: z.object({ n: z.number() }),
        needsApproval: true,
        execute: async ({ n }) => ran.push(n),
      }),
    };
    const script = [`Shall I?${section(call('functions.remove:0', '{"n":7}'))}`, 'Understood.'];
    const complete = lastAssistantMessageIsCompleteWithApprovalResponses;
    const { chat, engine } = await open(connect, script, 'raw-content', tools, complete);
    await chat.sendMessage({ text: 'Remove 7.' });
    await chat.settled();
    const [part] = chat.toolParts;
    expect(part?.state).toBe('approval-requested');
    expect(ran).toEqual([]);
    await chat.addToolApprovalResponse({ id: part?.approval?.id ?? '', approved });
    await chat.settled();
    expect(chat.error).toBeUndefined();
    expect(ran).toEqual(approved ? [7] : []);
    expect(chat.lastMessage?.parts.at(-1)).toMatchObject({ type: 'text', text: 'Understood.' });
    const { messages } = Object(engine.requests[1]?.body) as { messages: Record<string, unknown>[] };
    expect(messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'functions.remove:0' });
  });
});
