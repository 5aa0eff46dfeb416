import {
  type CaseInput,
  type CorpusCase,
  type JsonObject,
  type TurnOutcome,
  toChunks,
} from '@kimi-tc/testing';
import { describeCorpus } from '@kimi-tc/testing/vitest';
import type { ChatChunk, KimiChunk, KimiOptions, KimiTurn } from './index.ts';
import { collectTurn, createKimiFetch, transformKimiCompletion, transformKimiStream } from './index.ts';

function toOptions({ tools, options }: CorpusCase): KimiOptions {
  return { ...options, tools: tools as KimiOptions['tools'] };
}

function toOutcome(turn: KimiTurn): TurnOutcome {
  return {
    ...turn,
    finishReason: turn.finishReason.unified.replace('-', '_') as TurnOutcome['finishReason'],
    problems: turn.problems.map(({ code }) => code),
  };
}

/** A chunk as its reader has it, and how much of the input had been handed in by then. */
interface Seen {
  chunk: KimiChunk;
  handedIn: number;
}

async function playChunks(of: CorpusCase, input: CaseInput): Promise<Seen[]> {
  const seen: Seen[] = [];
  let handedIn = 0;
  async function* source(): AsyncGenerator<ChatChunk> {
    for (const chunk of toChunks(input)) {
      handedIn++;
      yield chunk as unknown as ChatChunk;
    }
  }
  for await (const chunk of transformKimiStream(source(), toOptions(of))) {
    seen.push({ chunk: chunk as KimiChunk, handedIn });
  }
  return seen;
}

/** The same as the bytes of a response; a chunk that looks like an earlier one is not parsed there. */
async function playBytes(of: CorpusCase, input: CaseInput): Promise<Seen[]> {
  let handedIn = 0;
  const events = [...toChunks(input).map((chunk) => JSON.stringify(chunk)), '[DONE]'];
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        if (handedIn === events.length) return controller.close();
        controller.enqueue(new TextEncoder().encode(`data: ${events[handedIn++]}\n\n`));
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { 'content-type': 'text/event-stream' };
  const fetch = createKimiFetch({ ...toOptions(of), fetch: async () => new Response(body, { headers }) });
  const { body: answer } = await fetch('http://server.invalid/chat/completions', { method: 'POST' });
  const seen: Seen[] = [];
  for await (const bytes of answer ?? []) {
    for (const event of new TextDecoder().decode(bytes).split('\n\n')) {
      if (event === '' || event === 'data: [DONE]') continue;
      seen.push({ chunk: JSON.parse(event.slice('data: '.length)), handedIn });
    }
  }
  return seen;
}

async function foldStream(seen: readonly Seen[]): Promise<TurnOutcome> {
  async function* again(): AsyncGenerator<ChatChunk> {
    for (const { chunk } of seen) yield chunk;
  }
  const turn = await collectTurn(again());
  const fragments = seen.flatMap(({ chunk, handedIn: at }) =>
    (chunk.choices[0]?.delta.tool_calls ?? []).map((entry) => ({ ...entry, at })),
  );
  const indexOf = new Map(fragments.map(({ id, index }) => [id, index]));
  const ofCall = turn.toolCalls.map(({ id }) =>
    fragments.filter(({ index, function: f }) => index === indexOf.get(id) && f?.arguments),
  );
  return {
    ...toOutcome(turn),
    usage: seen.map(({ chunk }) => chunk.usage).findLast((usage) => usage !== undefined && usage !== null),
    argumentDeltas: ofCall.map((own) => own.map((entry) => entry.function?.arguments ?? '')),
    argumentsLeftEarly: ofCall.map((own) => (own[0]?.at ?? 0) < (own.at(-1)?.at ?? 0)),
    finishEvents: seen.filter(({ chunk }) => chunk.choices[0]?.finish_reason).length,
  };
}

/** A message is folded back as the one chunk it could have been. */
async function playMessage(of: CorpusCase, choice: JsonObject): Promise<TurnOutcome> {
  const completion = transformKimiCompletion(
    { choices: [{ index: 0, ...choice }] } as unknown as {
      choices: { index: number; message: JsonObject }[];
    },
    toOptions(of),
  );
  async function* asChunks(): AsyncGenerator<ChatChunk> {
    const [{ message, ...rest } = { index: 0, message: {} }] = completion.choices;
    const calls = (message.tool_calls ?? []) as JsonObject[];
    yield {
      choices: [
        { ...rest, delta: { ...message, tool_calls: calls.map((call, index) => ({ ...call, index })) } },
      ],
    };
  }
  return toOutcome(await collectTurn(asChunks()));
}

describeCorpus(
  {
    name: 'the chunks and messages of the OpenAI API',
    run: async (of, input) =>
      input.kind === 'message' ? playMessage(of, input.choice) : foldStream(await playChunks(of, input)),
  },
  { kinds: ['deltas', 'chunks', 'message'] },
);

describeCorpus(
  { name: 'the bytes of createKimiFetch', run: async (of, input) => foldStream(await playBytes(of, input)) },
  { kinds: ['deltas', 'chunks'], chunkings: ['whole', 'as-given', 'units'] },
);
