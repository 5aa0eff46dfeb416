import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { kimiMiddleware } from '@kimi-tc/ai-sdk';
import { createKimiFetch } from '@kimi-tc/openai';
import { jsonSchema, streamText, type ToolSet, tool, wrapLanguageModel } from 'ai';
import OpenAI from 'openai';
import { REPLY_HEADER } from './loopback.ts';
import { MODEL, type WireFixture, type WireTurn } from './wire-fixtures.ts';

/** What is asked for: the reply of that name, with these tools offered. */
export interface Question {
  reply: string;
  tools: WireFixture['tools'];
  /** The message of the user. */
  prompt?: string;
}

/** Asks and reads the streamed answer to its end, through one client. */
export type Client = (question: Question) => Promise<WireTurn>;

const PROMPT = 'Write it down.';

/** Told when a body begins to come and when it is over or no more asked for. */
export interface BodyWatch {
  begin(): void;
  end(): void;
}

/** A fetch whose bodies pass through a stream of its own, as with every fetch that reads along, and that does no more. */
export function createPassThroughFetch(watch?: BodyWatch): typeof fetch {
  return async (...request) => {
    const { body, status, headers } = await fetch(...request);
    if (!body) throw new Error('a streamed reply has a body');
    const reader = body.getReader();
    watch?.begin();
    let over = false;
    const end = () => {
      over = true;
      watch?.end();
    };
    const passed = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { value, done } = await reader.read();
        // Cancelled while it was read.
        if (over) return;
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      },
      cancel(reason) {
        if (!over) end();
        return reader.cancel(reason);
      },
    });
    return new Response(passed, { status, headers });
  };
}

/** The OpenAI SDK over one fetch. */
export function createSdkClient(baseURL: string, send: typeof fetch): Client {
  const client = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0, fetch: send });
  return async ({ reply, tools, prompt = PROMPT }) => {
    const stream = await client.chat.completions.create(
      {
        model: MODEL,
        messages: [{ role: 'user', content: prompt }],
        tools: tools as OpenAI.ChatCompletionTool[],
        stream: true,
      },
      { headers: { [REPLY_HEADER]: reply } },
    );
    const turn: WireTurn = { content: '', calls: [], finish: null };
    for await (const { choices } of stream) {
      const [choice] = choices;
      if (!choice) continue;
      turn.content += choice.delta.content ?? '';
      turn.finish = choice.finish_reason ?? turn.finish;
      for (const { index, id, function: part } of choice.delta.tool_calls ?? []) {
        turn.calls[index] ??= { id: id ?? '', name: part?.name ?? '', arguments: '' };
        (turn.calls[index] as WireTurn['calls'][0]).arguments += part?.arguments ?? '';
      }
    }
    return turn;
  };
}

/** `streamText` over `@ai-sdk/openai-compatible`, with the middleware or without. */
export function createAiSdkClient(baseURL: string, helped: boolean): Client {
  const provider = createOpenAICompatible({ name: 'loopback', baseURL });
  const bare = provider(MODEL);
  const model = helped ? wrapLanguageModel({ model: bare, middleware: kimiMiddleware() }) : bare;
  return async ({ reply, tools, prompt = PROMPT }) => {
    const { fullStream } = streamText({
      model,
      prompt,
      tools: toToolSet(tools),
      headers: { [REPLY_HEADER]: reply },
      maxRetries: 0,
      onError: () => {},
    });
    const turn: WireTurn = { content: '', calls: [], finish: null };
    for await (const part of fullStream) {
      if (part.type === 'error') throw part.error;
      if (part.type === 'text-delta') turn.content += part.text;
      if (part.type === 'tool-call') {
        turn.calls.push({ id: part.toolCallId, name: part.toolName, arguments: JSON.stringify(part.input) });
      }
      if (part.type === 'finish') turn.finish = part.rawFinishReason ?? null;
    }
    return turn;
  };
}

function toToolSet(tools: Question['tools']): ToolSet {
  const entries = tools.map(({ function: { name, description = '', parameters = {} } }) => [
    name,
    tool({ description, inputSchema: jsonSchema(parameters) }),
  ]);
  return Object.fromEntries(entries) as ToolSet;
}

/** How clients other than the SDK of OpenAI show a turn: the input of calls is parsed. */
export function withParsedCalls(turn: WireTurn): WireTurn {
  const calls = turn.calls.map((call) => ({
    ...call,
    arguments: JSON.stringify(JSON.parse(call.arguments)),
  }));
  return { ...turn, calls };
}

export const createKimiClient = (baseURL: string): Client => createSdkClient(baseURL, createKimiFetch());
