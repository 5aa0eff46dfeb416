import { Agent, fetch as undiciFetch } from 'undici';
import { ApiError } from './api-error.ts';
import { type Exchange, exchanges } from './exchange.ts';
import { KEY_HEADERS } from './headers.ts';
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

type Timeouts = Settings['timeouts'];

/**
 * @param keepsKeys whether the keys of clients may go up: not if they are the gateway's
 */
export function createUpstreamFetch(
  upstream: UpstreamSettings,
  timeouts: Timeouts,
  keepsKeys: boolean,
): UpstreamFetch {
  const agent = new Agent({
    connect: { timeout: timeouts.connectMs },
    // Those below are exact, tell a slow reader from a slow upstream, and say which one it was.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  async function send(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const exchange = exchanges.getStore();
    const giveUp = new AbortController();
    const signal = init.signal ? AbortSignal.any([init.signal, giveUp.signal]) : giveUp.signal;
    const headers = new Headers(init.headers);
    if (!keepsKeys || upstream.apiKey !== undefined) for (const name of KEY_HEADERS) headers.delete(name);
    if (upstream.apiKey !== undefined) headers.set('authorization', `Bearer ${upstream.apiKey}`);
    const firstByte = setTimeout(() => giveUp.abort(tooSlow(upstream, timeouts)), timeouts.firstByteMs);
    if (exchange) exchange.sentAt = performance.now();
    try {
      // The two libraries describe the same objects by types of their own.
      const response = (await undiciFetch(String(input), {
        ...(init as object),
        headers: [...headers],
        dispatcher: agent,
        redirect: 'manual',
        signal,
      })) as unknown as Response;
      const { status, statusText } = response;
      if (response.body === null) {
        clearTimeout(firstByte);
        return new Response(null, { status, statusText, headers: response.headers });
      }
      const recording = exchange?.recorder?.start(String(init.body), response);
      const watching = { upstream, timeouts, giveUp, signal, firstByte, exchange, recording };
      const body = watchBody(response.body, watching);
      const watched = new Response(body, { status, statusText, headers: new Headers([...response.headers]) });
      return Object.defineProperty(watched, 'url', { value: String(input) });
    } catch (error) {
      clearTimeout(firstByte);
      throw toFailure(error, signal, upstream, timeouts);
    }
  }

  return { fetch: send as typeof fetch, close: () => agent.destroy() };
}

interface Watching {
  upstream: UpstreamSettings;
  timeouts: Timeouts;
  giveUp: AbortController;
  signal: AbortSignal;
  firstByte: NodeJS.Timeout;
  exchange: Exchange | undefined;
  recording: Recording | undefined;
}

/** The body as it is, read under the eye of a clock that runs only while somebody waits for it. */
function watchBody(
  body: ReadableStream<Uint8Array>,
  watching: Watching,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { upstream, timeouts, giveUp, signal, firstByte, exchange, recording } = watching;
  const reader = body.getReader();
  let begun = false;
  return new ReadableStream(
    {
      async pull(controller) {
        const idle = begun
          ? setTimeout(() => giveUp.abort(silent(upstream, timeouts)), timeouts.idleMs)
          : undefined;
        try {
          const { value, done } = await reader.read();
          if (!begun) clearTimeout(firstByte);
          begun = true;
          if (exchange) exchange.heardAt = performance.now();
          if (done) {
            recording?.end();
            controller.close();
          } else {
            recording?.write(value);
            controller.enqueue(value as Uint8Array<ArrayBuffer>);
          }
        } catch (error) {
          recording?.end();
          controller.error(toFailure(error, signal, upstream, timeouts));
        } finally {
          clearTimeout(idle);
        }
      },
      cancel(reason) {
        clearTimeout(firstByte);
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

function toFailure(
  error: unknown,
  signal: AbortSignal,
  { name }: UpstreamSettings,
  timeouts: Timeouts,
): unknown {
  if (signal.aborted) return signal.reason;
  const cause = (error as { cause?: { code?: unknown } }).cause ?? (error as { code?: unknown });
  const code = typeof cause.code === 'string' ? cause.code : 'unknown';
  if (code === 'UND_ERR_CONNECT_TIMEOUT')
    return new ApiError(
      504,
      'upstream_connect_timeout',
      `The upstream ${name} took no connection within ${timeouts.connectMs} ms.`,
    );
  if (error instanceof TypeError && error.message === 'terminated')
    return new ApiError(502, 'upstream_reset', `The upstream ${name} broke off its reply (${code}).`);
  return new ApiError(502, 'upstream_unreachable', `The upstream ${name} does not answer (${code}).`);
}

function tooSlow({ name }: UpstreamSettings, { firstByteMs }: Timeouts): ApiError {
  return new ApiError(504, 'upstream_timeout', `The upstream ${name} sent nothing within ${firstByteMs} ms.`);
}

function silent({ name }: UpstreamSettings, { idleMs }: Timeouts): ApiError {
  return new ApiError(
    504,
    'upstream_idle',
    `The upstream ${name} fell silent in the middle of its reply, for ${idleMs} ms.`,
  );
}
