import { KimiError } from '@kimi-tc/core';
import { createChunkTransform, type TransformSettings } from './chunk-transform.ts';
import { createTransport, type TransportOptions } from './completions-transport.ts';
import type { JsonObject } from './json.ts';
import { checkFunction, checkOptions, type KimiOptions } from './kimi-options.ts';
import { callIdsOf, headersOf, isForKimi, readRequest, signalOf, toParserOptions } from './kimi-request.ts';
import {
  type AskedBy,
  attachReasoning,
  createReasoningMemory,
  createReasoningRecorder,
  isWorthRecording,
  type ReasoningMemory,
} from './reasoning-memory.ts';
import { createRequestSide, type RequestSideOptions } from './request-side.ts';
import { respondWith } from './respond-with.ts';
import { type Settle, toJsonBody, toSseBody } from './response-body.ts';
import { createSseWriter } from './sse-writer.ts';
import { createStreamWriter } from './stream-writer.ts';
import { renameTurn } from './tool-names.ts';
import { untilAborted } from './until-aborted.ts';

/** What `createKimiFetch` takes: how replies are read, how requests travel, and what is put right in them. */
export interface KimiFetchOptions extends KimiOptions, TransportOptions, RequestSideOptions {
  /** The `fetch` to call. Default: the global one, as it is at the time of the call. */
  fetch?: typeof fetch | undefined;
  /**
   * Where the reasoning of turns with tool calls is kept, to be put back into the history of later
   * requests by clients that drop it (the OpenAI SDK and LangChain.js do); `false`: nowhere. Only for
   * Kimi models. Default: `createReasoningMemory()`, one for each fetch.
   */
  reasoningMemory?: ReasoningMemory | false | undefined;
}

/**
 * A `fetch` for any OpenAI-compatible client that makes the replies of Kimi models right: tool calls
 * and reasoning that a server leaves in the text become `tool_calls` and `reasoning_content`, and what
 * servers get wrong about chunks is repaired, streamed or not. Requests for Kimi models are made what
 * the model was trained on and the endpoint accepts (`request`, `endpoint`).
 *
 * Acts on `POST …/chat/completions`, and on successful answers to it; what is said of tools there
 * (`tools`, `tool_choice`, `model`, ids in `messages`) is read from each request, and options given
 * here come first. Everything else passes as it is, as do the bytes of requests and replies that need
 * nothing. Aborting, errors, timeouts and retries stay between the client and the server. By
 * `transport` the requests go to text completions instead.
 *
 * @throws KimiError naming the option that is wrong
 */
export function createKimiFetch(options: KimiFetchOptions = {}): typeof fetch {
  checkOptions(options);
  checkFunction('fetch', options.fetch);
  const { fetch: given, reasoningMemory = createReasoningMemory(), ...rest } = options;
  const transport = createTransport(options);
  const rewrite = createRequestSide(options, transport.rendersFor);
  checkMemory(reasoningMemory);
  /** What is set here; the rest is for each request to say. */
  const own: KimiOptions = Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== undefined),
  );

  return async function kimiFetch(input, asGiven) {
    const send = transport.wrap(given ?? globalThis.fetch);
    const request = await readRequest(input, asGiven);
    if (!request) return send(input, asGiven);
    const { body, url, init } = request;
    const memory = reasoningMemory && isForKimi(body, own.model) ? reasoningMemory : undefined;
    const asked: AskedBy = { body, headers: headersOf(input, init) };
    const signal = signalOf(input, init);
    const messages = memory && (await untilAborted(attachReasoning(memory, asked), signal));
    const rewritten = rewrite({ url, body: messages ? { ...body, messages } : body });
    if (rewritten instanceof Response) return rewritten;
    const { body: sent, toolNames } = rewritten;
    const response = await send(input, sent === body ? init : withBody(input, init, sent));
    const record = memory && createReasoningRecorder(memory, asked);
    const recorded: Promise<void>[] = [];
    const settings: TransformSettings = {
      ...toParserOptions(sent),
      ...own,
      // Those of the client: the reply goes into its conversation.
      takenToolCallIds: [...callIdsOf(body), ...(own.takenToolCallIds ?? [])],
      toolNames,
      url,
      ...(record && {
        onTurn(turn) {
          if (!isWorthRecording(turn)) return;
          const recording = record(renameTurn(turn, toolNames));
          // Its failure is for those who wait for it, and nobody does whose reader has left.
          recording.catch(() => {});
          recorded.push(recording);
        },
      }),
    };
    const settle = () =>
      recorded.length > 0 ? untilAborted(Promise.all(recorded.splice(0)), signal) : undefined;
    return transformResponse(response, { streamed: body.stream === true, signal }, settings, settle);
  };
}

function checkMemory(memory: unknown): void {
  const { get, set } = Object(memory) as Partial<ReasoningMemory>;
  if (memory === false || (typeof get === 'function' && typeof set === 'function')) return;
  throw new KimiError(
    'reasoningMemory',
    'reasoningMemory: expected false or an object with the methods get and set',
  );
}

function withBody(
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
  body: JsonObject,
): RequestInit {
  const headers = headersOf(input, init);
  headers.delete('content-length');
  return { ...init, headers, body: JSON.stringify(body) };
}

/** @param asked what the request says about the answer */
function transformResponse(
  response: Response,
  asked: { streamed: boolean; signal: AbortSignal | null | undefined },
  settings: TransformSettings,
  settle: Settle,
): Response {
  if (!response.ok || response.body === null) return response;
  const { streamed, signal } = asked;
  const kind = bodyKind(response.headers.get('content-type') ?? '');
  if (streamed ? kind === 'other' : kind !== 'sse' && kind !== 'json') return response;
  if (!streamed && kind === 'json') return respondWith(response, toJsonBody(response.body, settings, settle));
  const writer = streamed
    ? createStreamWriter(settings, kind === 'sse')
    : createSseWriter(createChunkTransform(settings));
  const body = toSseBody(response.body, writer, settle, signal);
  return respondWith(response, body, kind === 'sse' ? undefined : 'text/event-stream');
}

/** What a body is by its type. All but media may be a stream all the same. */
function bodyKind(type: string): 'sse' | 'json' | 'text' | 'other' {
  const name = type.split(';')[0]?.trim().toLowerCase() ?? '';
  if (name === 'text/event-stream') return 'sse';
  if (name === 'application/json' || name.endsWith('+json')) return 'json';
  return name === '' || /^(?:text|application)\//.test(name) ? 'text' : 'other';
}
