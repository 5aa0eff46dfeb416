import { Agent, request } from 'node:http';
import { type ChatChunk, collectTurn, type KimiChunk, type KimiTurn } from '@kimi-tc/openai';
import {
  type CaseInput,
  type CorpusCase,
  type JsonObject,
  type TurnOutcome,
  toChunks,
} from '@kimi-tc/testing';
import { describeCorpus } from '@kimi-tc/testing/vitest';
import OpenAI from 'openai';
import { afterAll, beforeAll } from 'vitest';
import { startServer, startTestGateway, undoAfterAll } from './test-gateway.ts';

/** What the server behind the gateway is to send. */
let played: { of: CorpusCase; input: CaseInput };
let baseURL = '';
const undo = undoAfterAll();

beforeAll(async () => {
  const upstream = await startServer((incoming, response) => {
    incoming.resume();
    incoming.on('end', () => {
      const { input } = played;
      if (input.kind === 'message') {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ id: 'chatcmpl-1', choices: [{ index: 0, ...input.choice }] }));
        return;
      }
      response.setHeader('content-type', 'text/event-stream');
      const chunks = incoming.url === '/v1/completions' ? toTextChunks(input) : toChunks(input);
      for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      response.end('data: [DONE]\n\n');
    });
  }, undo);
  const url = `${upstream}/v1`;
  const gateway = await startTestGateway(
    {
      // Names of tools that no endpoint takes are in the corpus too.
      request: false,
      upstreams: [
        { name: 'default', url, models: { 'kimi-k2': 'kimi-k2' } },
        { name: 'lenient', url, models: { lenient: 'kimi-k2' }, recoverTextCalls: 'lenient' },
        { name: 'guided', url, models: { guided: 'kimi-k2' }, guidedJson: true },
        { name: 'opened', url, models: { opened: 'kimi-k2' }, promptOpensThink: true },
        { name: 'completions', url, models: { completions: 'kimi-k2.5' }, transport: 'completions' },
      ],
    },
    {},
    undo,
  );
  ({ baseURL } = gateway);
});

/** What a server for raw text sends: it knows one field. */
function toTextChunks(input: CaseInput): readonly JsonObject[] {
  if (input.kind !== 'deltas') throw new Error(`no text in ${input.kind}`);
  const toChunk = (text: string, finish_reason: string | null): JsonObject => ({
    id: 'cmpl-1',
    object: 'text_completion',
    created: 1,
    model: 'kimi-k2.5',
    choices: [{ index: 0, text, finish_reason }],
  });
  return [
    ...input.deltas.map(([, text]) => toChunk(text, null)),
    ...(input.finishReason === null ? [] : [toChunk('', input.finishReason)]),
  ];
}

function toRequest({ tools, options, input }: CorpusCase): Record<string, unknown> {
  return {
    model: modelFor(options, input),
    messages: [{ role: 'user', content: 'Go.' }],
    ...(tools && tools.length > 0 && { tools }),
    ...(options?.toolChoice && { tool_choice: options.toolChoice }),
    ...(input.kind !== 'message' && { stream: true, stream_options: { include_usage: true } }),
  };
}

/** The upstream whose settings are those of the case. */
function modelFor(options: CorpusCase['options'], input: CaseInput): string {
  if (options?.recoverTextCalls === 'lenient') return 'lenient';
  if (options?.guidedJson) return 'guided';
  if (!options?.promptOpensThink) return 'kimi-k2';
  // A prompt that is rendered here opens the thought, if it comes back as one text.
  const isText = input.kind === 'deltas' && input.deltas.every(([channel]) => channel === 'content');
  return isText ? 'completions' : 'opened';
}

interface Answer {
  chunks: KimiChunk[];
  choice?: JsonObject;
}

async function askSdk(body: Record<string, unknown>): Promise<Answer> {
  const client = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 });
  if (body.stream !== true) {
    const { choices } = await client.chat.completions.create(
      body as unknown as OpenAI.ChatCompletionCreateParamsNonStreaming,
    );
    return { chunks: [], choice: choices[0] as unknown as JsonObject };
  }
  const stream = await client.chat.completions.create(
    body as unknown as OpenAI.ChatCompletionCreateParamsStreaming,
  );
  const chunks: KimiChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk as unknown as KimiChunk);
  return { chunks };
}

const agent = new Agent({ keepAlive: true });
afterAll(() => agent.destroy());

/** What the OpenAI client for Python puts on the wire, and the least that it asks of an answer. */
async function askRaw(body: Record<string, unknown>): Promise<Answer> {
  const json = JSON.stringify(body);
  const headers = {
    accept: 'application/json',
    'accept-encoding': 'gzip, deflate',
    authorization: 'Bearer none',
    connection: 'keep-alive',
    'content-length': Buffer.byteLength(json),
    'content-type': 'application/json',
    'user-agent': 'OpenAI/Python 2.8.1',
    'x-stainless-async': 'false',
    'x-stainless-lang': 'python',
    'x-stainless-package-version': '2.8.1',
    'x-stainless-read-timeout': '600',
    'x-stainless-retry-count': '0',
    'x-stainless-runtime': 'CPython',
  };
  const { status, type, text } = await new Promise<{ status: number; type: string; text: string }>(
    (resolve, reject) => {
      const sent = request(`${baseURL}/chat/completions`, { method: 'POST', headers, agent }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode = 0, headers: got } = response;
          resolve({
            status: statusCode,
            type: String(got['content-type']),
            text: Buffer.concat(parts).toString(),
          });
        });
      });
      sent.on('error', reject);
      sent.end(json);
    },
  );
  if (status !== 200) throw new Error(`status ${status}: ${text}`);
  if (type.startsWith('application/json')) return { chunks: [], choice: JSON.parse(text).choices[0] };
  const chunks: KimiChunk[] = [];
  let isDone = false;
  for (const line of text.split('\n')) {
    if (isDone || !line.startsWith('data:')) continue;
    const data = line.slice('data:'.length).trim();
    if (data === '[DONE]') isDone = true;
    else chunks.push(JSON.parse(data));
  }
  if (!isDone) throw new Error('the stream ended without [DONE]');
  return { chunks };
}

async function toOutcome({ chunks, choice }: Answer): Promise<TurnOutcome> {
  async function* again(): AsyncGenerator<ChatChunk> {
    for (const chunk of chunks) yield chunk as ChatChunk;
    if (choice) yield toOneChunk(choice);
  }
  const turn: KimiTurn = await collectTurn(again());
  const outcome = {
    ...turn,
    finishReason: turn.finishReason.unified.replace('-', '_') as TurnOutcome['finishReason'],
    problems: turn.problems.map(({ code }) => code),
  };
  if (choice) return outcome;
  const entries = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
  const indexOf = new Map(entries.map(({ id, index }) => [id, index]));
  return {
    ...outcome,
    usage: chunks.map(({ usage }) => usage).findLast((usage) => usage !== undefined && usage !== null),
    argumentDeltas: turn.toolCalls.map(({ id }) =>
      entries
        .filter(({ index, function: f }) => index === indexOf.get(id) && f?.arguments)
        .map((entry) => entry.function?.arguments ?? ''),
    ),
    finishEvents: chunks.filter(({ choices }) => choices[0]?.finish_reason).length,
  };
}

/** A message, as the one chunk it could have been. */
function toOneChunk({ message, ...rest }: JsonObject): ChatChunk {
  const { tool_calls: calls, ...others } = message as { tool_calls?: JsonObject[] };
  const delta = { ...others, tool_calls: (calls ?? []).map((call, index) => ({ ...call, index })) };
  return { choices: [{ index: 0, ...rest, delta }] } as unknown as ChatChunk;
}

for (const [name, ask] of Object.entries({ 'the OpenAI SDK': askSdk, 'raw HTTP as from Python': askRaw })) {
  describeCorpus(
    {
      name: `the gateway, by ${name}`,
      async run(of, input) {
        played = { of, input };
        return toOutcome(await ask(toRequest(of)));
      },
    },
    { kinds: ['deltas', 'chunks', 'message'], chunkings: ['whole', 'as-given', 'units'] },
  );
}
