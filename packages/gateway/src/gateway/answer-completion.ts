import { ApiError, toApiError } from './api-error.ts';
import { isJson, typeOf } from './content-type.ts';
import { createErrorWatch } from './error-watch.ts';
import { type Exchange, exchanges } from './exchange.ts';
import { toClientHeaders, toUpstreamHeaders } from './headers.ts';
import type { Metrics } from './metrics.ts';
import type { ModelRouter } from './model-router.ts';
import { readJsonBody } from './read-body.ts';
import type { Recorder } from './recording.ts';
import { renameModelInStream } from './rename-model.ts';
import { toReplyBody } from './reply-body.ts';
import { resumeBody } from './resume-body.ts';
import type { Slots } from './slots.ts';
import { toWhole } from './whole-reply.ts';

/** What requests for completions go through. */
export interface CompletionParts {
  router: ModelRouter;
  slots: Slots;
  metrics: Metrics;
  recorder: Recorder | undefined;
  /** Bytes. */
  bodyLimit: number;
}

/** One request, and what the connection it came by can do. */
export interface CompletionCall {
  /** Behind `/v1`. */
  path: '/chat/completions' | '/completions';
  request: Request;
  exchange: Exchange;
  /** Ends the connection in the middle of an answer. */
  breakOff(): void;
  /** Whether it was ended because the client did not read the answer. */
  isStuck(): boolean;
  /** The exchange is over; called once, with the status that tells how. */
  onEnd(status: number): void;
}

/**
 * Answers a request for a completion by one of the upstreams.
 *
 * @throws ApiError, or the reason of the request's signal; then `onEnd` is the caller's to call
 */
export async function answerCompletion(parts: CompletionParts, call: CompletionCall): Promise<Response> {
  const { request, exchange } = call;
  const place = parts.slots.enter();
  try {
    const body = await readJsonBody(request, parts.bodyLimit);
    const queuedFrom = performance.now();
    await place.takeSlot(request.signal);
    exchange.queuedMs = performance.now() - queuedFrom;
    return await exchanges.run(exchange, () => answerInSlot(parts, call, body, place.leave));
  } catch (error) {
    place.leave();
    throw isStackOverflow(error) ? toTooDeep(exchange) : error;
  }
}

/** What is parsed in a loop and printed by recursion: JSON may hold more levels than the stack. */
function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && error.message === 'Maximum call stack size exceeded';
}

/** Before anything was sent it is the request that nobody can read, then the reply. */
function toTooDeep({ sentAt, upstream }: Exchange): ApiError {
  return sentAt === undefined
    ? new ApiError(400, 'invalid_json', 'The request body is nested too deeply.')
    : new ApiError(
        502,
        'upstream_error',
        `The upstream ${upstream} answers with JSON that is nested too deeply.`,
      );
}

async function answerInSlot(
  { router, metrics, recorder }: CompletionParts,
  { path, request, exchange, breakOff, isStuck, onEnd }: CompletionCall,
  { text, value }: Awaited<ReturnType<typeof readJsonBody>>,
  release: () => void,
): Promise<Response> {
  const headers = toUpstreamHeaders(request.headers);
  const { upstream, model } = await router.pick(value.model, headers, request.signal);
  exchange.upstream = upstream.name;
  if (model !== undefined) exchange.model = model;
  headers.set('content-type', 'application/json');
  const isRenamed = model !== undefined && model !== value.model;
  const sent = isRenamed ? JSON.stringify({ ...value, model }) : text;
  /** What the model is called towards the client, where the upstream calls it something else. */
  const name = isRenamed ? String(value.model) : undefined;
  const init = { method: 'POST', headers, body: sent, signal: request.signal };
  if (path === '/chat/completions') exchange.recorder = recorder;
  const response = await (path === '/chat/completions'
    ? upstream.chat(path, init)
    : upstream.pass(path, init));
  const down = nameExchange(toClientHeaders(response.headers), exchange.id);
  const answer = await readAnswer(response, value.stream, exchange.isWhole);
  if ('whole' in answer) {
    const whole = toWhole(answer.whole, response.status, down, { upstream: upstream.name, name });
    release();
    if (whole.ok) countFirst(metrics, exchange);
    else if (response.ok) countReported(metrics, exchange);
    onEnd(whole.status);
    return whole;
  }
  metrics.streamsOpen.inc();
  const errors = createErrorWatch();
  const stream = toReplyBody(
    name === undefined ? answer.stream : renameModelInStream(answer.stream, name),
    {
      onFirst: () => countFirst(metrics, exchange),
      onPiece(bytes) {
        if (exchange.failure === undefined && errors.push(bytes)) countReported(metrics, exchange);
      },
      onEnd(how, error) {
        release();
        metrics.streamsOpen.dec();
        if (how === 'left' && isStuck()) exchange.failure ??= 'client_idle';
        if (how === 'failed') exchange.failure ??= toApiError(error).code;
        onEnd(how === 'left' ? 499 : 200);
      },
    },
    toApiError,
    breakOff,
  );
  down.set('cache-control', 'no-cache');
  // Proxies in front that gather answers would make one piece of it (nginx).
  down.set('x-accel-buffering', 'no');
  // Tells the HTTP server not to wait for the first pieces, to find a length.
  down.set('transfer-encoding', 'chunked');
  return new Response(stream, { status: response.status, headers: down });
}

/** What an upstream answers: in one piece, or as a stream. */
type Answer = { whole: Uint8Array<ArrayBuffer> } | { stream: ReadableStream<Uint8Array> };

/**
 * @param asked the `stream` of the request
 * @param isWhole the upstream gave one piece, whatever has been made of it
 */
async function readAnswer(response: Response, asked: unknown, isWhole: boolean | undefined): Promise<Answer> {
  const { body, headers } = response;
  if (!response.ok || body === null || !isStream(headers, asked))
    return { whole: new Uint8Array(await response.arrayBuffer()) };
  if (!isWhole) return { stream: body };
  // An error can still be told by the status: it is all that there is, and here at once.
  const reader = body.getReader();
  const { value: first } = await reader.read();
  if (first === undefined) return { whole: new Uint8Array() };
  const error = createErrorWatch().push(first);
  if (error === undefined) return { stream: resumeBody([first], reader) };
  await reader.cancel();
  return { whole: new TextEncoder().encode(error.trim()) };
}

/** An error that came as a success, which is a failure of the upstream all the same. */
function countReported(metrics: Metrics, exchange: Exchange): void {
  exchange.failure = 'upstream_error';
  metrics.upstreamErrors.inc({ upstream: exchange.upstream, code: exchange.failure });
}

function countFirst(metrics: Metrics, exchange: Exchange): void {
  const { startedAt, queuedMs, sentAt, heardAt, route, upstream } = exchange;
  const now = performance.now();
  exchange.firstOutAt = now;
  metrics.timeToFirstToken.observe({ upstream }, (now - startedAt) / 1000);
  if (sentAt === undefined || heardAt === undefined) return;
  metrics.addedLatency.observe({ route }, Math.max(0, sentAt - startedAt - queuedMs + now - heardAt) / 1000);
}

function isStream(headers: Headers, asked: unknown): boolean {
  const type = typeOf(headers);
  return type === 'text/event-stream' || (asked === true && !isJson(type));
}

/** What the log calls the exchange, where the upstream has no name for it. */
function nameExchange(headers: Headers, id: string): Headers {
  if (!headers.has('x-request-id')) headers.set('x-request-id', id);
  return headers;
}
