import type { IncomingHttpHeaders } from 'node:http';
import { type Duplex, pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { Agent, request } from 'undici';
import { ApiError } from './api-error.ts';
import { isJson, typeOf } from './content-type.ts';
import { type Exchange, exchanges } from './exchange.ts';
import { KEY_HEADERS } from './headers.ts';
import { labelBody } from './label-body.ts';
import { startPatience } from './patience.ts';
import type { Recording } from './recording.ts';
import type { Settings, UpstreamSettings } from './settings.ts';

export interface UpstreamFetch {
  /**
   * Sends to the upstream, with its key in place of the client's, and follows no redirect. The body of the
   * answer is read as fast as it is asked for, and fails as this does.
   *
   * @throws ApiError 502 or 504 if there is no answer; the reason of the signal
   */
  fetch: typeof fetch;
  close(): Promise<void>;
}

export interface UpstreamFetchOptions {
  timeouts: Settings['timeouts'];
  /** Whether the keys of clients may go up: not if they are the gateway's. */
  keepsKeys: boolean;
  /** Told whatever the upstream did wrong, by its code. */
  onError(code: string): void;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** What is sent by the API of `fetch` goes out by that of undici's `request`: half the work, and no blocked ports. */
export function createUpstreamFetch(
  upstream: UpstreamSettings,
  { timeouts, keepsKeys, onError }: UpstreamFetchOptions,
): UpstreamFetch {
  const { name } = upstream;
  const agent = new Agent({
    connect: { timeout: timeouts.connectMs },
    // Servers close connections that rest, many after 5 seconds and some after 2 (gunicorn), and what is sent just
    // then is lost: we are earlier. Timers of undici above a second are late by up to another one.
    keepAliveTimeout: 1000,
    keepAliveTimeoutThreshold: 2500,
    // One stream on each connection, so that one that is not read holds up no other.
    allowH2: false,
    // Those below are exact, tell a slow reader from a slow upstream, and say which one it was.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  function fail(status: number, code: string, what: string): ApiError {
    return new ApiError(status, code, `The upstream ${name} ${what}.`);
  }

  function toFailure(error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    const code = codeOf(error);
    return code === 'UND_ERR_CONNECT_TIMEOUT'
      ? fail(504, 'upstream_connect_timeout', `took no connection within ${timeouts.connectMs} ms`)
      : fail(502, 'upstream_unreachable', `does not answer (${code})`);
  }

  async function send(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const exchange = exchanges.getStore();
    const giveUp = new AbortController();
    const signal = init.signal ? AbortSignal.any([init.signal, giveUp.signal]) : giveUp.signal;
    const cancelFirst = startPatience(timeouts.firstByteMs, () =>
      giveUp.abort(fail(504, 'upstream_timeout', `sent nothing within ${timeouts.firstByteMs} ms`)),
    );
    if (exchange) exchange.sentAt = performance.now();
    const { statusCode, headers, body } = await request(String(input), {
      method: init.method === 'POST' ? 'POST' : 'GET',
      headers: toHeaders(init, upstream.apiKey, keepsKeys),
      body: init.body === undefined ? null : String(init.body),
      dispatcher: agent,
      signal,
    }).catch((error) => {
      cancelFirst();
      throw toFailure(error, signal);
    });
    // Whoever reads it is told; nobody is where it is left unread.
    body.on('error', () => {});
    const head = { status: statusCode, headers: fromHeaders(headers) };
    const refusal = refuse(head);
    if (refusal) {
      cancelFirst();
      body.destroy();
      throw refusal;
    }
    if (statusCode >= 400) onError(`status_${statusCode}`);
    const plain = Readable.toWeb(decode(body, head.headers)) as ReadableStream<Bytes>;
    const recording = exchange?.recorder?.start(String(init.body), statusCode);
    const watched = watch(plain, { giveUp, signal, cancelFirst, exchange, recording });
    const isEmpty = statusCode === 204 || statusCode === 205;
    if (isEmpty) await watched.cancel();
    const labelled = isEmpty ? null : statusCode < 400 ? await labelBody(watched, head.headers) : watched;
    if (labelled === undefined)
      throw fail(502, 'upstream_error', 'answers with what is neither JSON nor a stream of events');
    if (exchange) exchange.isWhole = isJson(typeOf(head.headers));
    return Object.defineProperty(new Response(labelled, head), 'url', { value: String(input) });
  }

  /** Why an answer is no use to anybody, if its head tells already. */
  function refuse({ status, headers }: { status: number; headers: Headers }): ApiError | undefined {
    // Where it points to is no upstream that somebody configured, and a key would go there.
    if (status >= 300 && status < 400)
      return fail(502, 'upstream_redirect', `redirects (status ${status}), which is not followed`);
    if (status > 599)
      return fail(502, 'upstream_error', `answers with status ${status}, which does not exist`);
    const encoding = encodingOf(headers);
    if (encoding !== '' && !Object.hasOwn(DECODERS, encoding))
      return fail(502, 'upstream_error', 'compresses its answer in a way that nobody asked for');
    if (status < 300 && typeOf(headers) === 'text/html')
      return fail(502, 'upstream_error', 'answers with a web page');
    return undefined;
  }

  /** The body as it is, read under the eye of a clock that runs only while somebody waits for it. */
  function watch(body: ReadableStream<Bytes>, watching: Watching): ReadableStream<Bytes> {
    const { giveUp, signal, cancelFirst, exchange, recording } = watching;
    const reader = body.getReader();
    let begun = false;
    let isLeft = false;
    const giveUpIdle = () =>
      giveUp.abort(fail(504, 'upstream_idle', `fell silent in its reply, for ${timeouts.idleMs} ms`));
    return new ReadableStream(
      {
        async pull(controller) {
          const cancelIdle = begun ? startPatience(timeouts.idleMs, giveUpIdle) : cancelFirst;
          try {
            const { value, done } = await reader.read();
            cancelIdle();
            if (isLeft) return;
            begun = true;
            if (exchange) exchange.heardAt = performance.now();
            if (done) {
              recording?.end();
              controller.close();
            } else {
              recording?.write(value);
              controller.enqueue(value);
            }
          } catch (error) {
            cancelIdle();
            if (isLeft) return;
            recording?.end();
            const reset = fail(502, 'upstream_reset', `broke off its reply (${codeOf(error)})`);
            const failure = signal.aborted ? signal.reason : reset;
            if (failure instanceof ApiError) onError(failure.code);
            controller.error(failure);
          }
        },
        cancel(reason) {
          isLeft = true;
          cancelFirst();
          return reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
  }

  async function sendCounted(...call: Parameters<typeof fetch>): Promise<Response> {
    try {
      return await send(...call);
    } catch (error) {
      if (error instanceof ApiError) onError(error.code);
      throw error;
    }
  }

  return { fetch: sendCounted, close: () => agent.destroy() };
}

interface Watching {
  giveUp: AbortController;
  signal: AbortSignal;
  cancelFirst(): void;
  exchange: Exchange | undefined;
  recording: Recording | undefined;
}

function toHeaders(
  init: RequestInit,
  apiKey: string | undefined,
  keepsKeys: boolean,
): Record<string, string> {
  const headers = new Headers(init.headers);
  if (!keepsKeys || apiKey !== undefined) for (const name of KEY_HEADERS) headers.delete(name);
  if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`);
  return Object.fromEntries(headers);
}

function fromHeaders(given: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one);
  }
  return headers;
}

const DECODERS: Readonly<Record<string, () => Duplex>> = {
  br: createBrotliDecompress,
  deflate: createInflate,
  gzip: createGunzip,
  'x-gzip': createGunzip,
  zstd: createZstdDecompress,
};

/** Nothing compressed was asked for; some proxies do it all the same. */
function decode(body: Readable, headers: Headers): Readable {
  const decoder = DECODERS[encodingOf(headers)]?.();
  headers.delete('content-encoding');
  if (decoder === undefined) return body;
  headers.delete('content-length');
  // Whoever reads the end of it is told what fails.
  pipeline(body, decoder, () => {});
  return decoder;
}

/** Empty: as it is. */
function encodingOf(headers: Headers): string {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  return encoding === 'identity' ? '' : encoding;
}

/** What failed, in a word: what is no HTTP has no code. */
function codeOf(error: unknown): string {
  const { code, cause, name } = Object(error) as {
    code?: unknown;
    cause?: { code?: unknown };
    name?: unknown;
  };
  const found = code ?? cause?.code ?? name;
  return typeof found === 'string' ? found : 'unknown';
}
