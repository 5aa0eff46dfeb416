import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../error-message.ts';
import { isObject, type JsonObject, objectsOf, readObject, textOf } from '../json.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { type Chat, readChunks, readCompletion } from './read-chat.ts';
import { readWire, type Wire } from './read-wire.ts';

/** What came of one request. */
export interface Reply {
  readonly request: JsonObject;
  /** Absent: no answer came. */
  readonly status: number | undefined;
  /** The answer, as far as it came. Absent if it failed. */
  readonly chat: Chat | undefined;
  /** How a stream was written; absent if none came. */
  readonly wire: Wire | undefined;
  readonly failure: Failure | undefined;
  /** Failures that a retry mended. */
  readonly mended: readonly Failure[];
  /** The connection broke in the middle of the answer. */
  readonly broken: boolean;
  /** Milliseconds until the headers, until the first byte of the body, and until the end. */
  readonly headersMs: number;
  readonly firstByteMs: number;
  readonly totalMs: number;
}

/** Why a request got no reply. */
export interface Failure {
  readonly kind: 'reset' | 'timeout' | 'status';
  readonly status: number | undefined;
  /** What the server said, shortened. */
  readonly message: string;
  /** The error in the shape of the OpenAI API, if it has that. */
  readonly error: JsonObject | undefined;
  readonly isHtml: boolean;
}

export interface Endpoint {
  /** Sends a chat request; `model` is added. A failure that may pass is tried once more. */
  chat(body: JsonObject): Promise<Reply>;
  /** Sends a text completion, and tells the status. */
  completeText(prompt: string): Promise<number | undefined>;
  /** Ids of `/models`; `undefined` if the server does not tell. */
  listModels(): Promise<readonly string[] | undefined>;
  /** Requests sent so far. */
  readonly sent: number;
}

export interface EndpointOptions {
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** Milliseconds for one request. */
  readonly timeoutMs: number;
  /** Milliseconds in front of a second try, where the server does not say. */
  readonly retryMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Milliseconds: a server may ask for a longer pause, a doctor does not wait for it. */
const LONGEST_PAUSE = 20_000;

/** How a server breaks a connection that it had taken. Whatever else `fetch` fails with means that nobody is there. */
const BROKEN = /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|HPE_\w+)$/;

/** @param model names the model in chat requests, as soon as it is known */
export function openEndpoint(options: EndpointOptions, model: () => string): Endpoint {
  const { baseUrl, apiKey, timeoutMs, retryMs, signal } = options;
  const send = options.fetch ?? fetch;
  let sent = 0;

  async function request(path: string, body?: JsonObject): Promise<Response> {
    sent += 1;
    const limit = AbortSignal.timeout(timeoutMs);
    return send(`${baseUrl}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
  }

  async function tryChat(body: JsonObject): Promise<Reply & { readonly retryAfter?: string | null }> {
    const begun = performance.now();
    const since = (): number => performance.now() - begun;
    const nothing = { request: body, chat: undefined, wire: undefined, mended: [], broken: false };
    let response: Response;
    try {
      response = await request('/chat/completions', body);
    } catch (error) {
      signal?.throwIfAborted();
      const failure = toNetworkFailure(error, baseUrl);
      return {
        ...nothing,
        status: undefined,
        failure,
        headersMs: since(),
        firstByteMs: since(),
        totalMs: since(),
      };
    }
    const headersMs = since();
    const { text, firstByteMs, broken } = await readBody(response, since);
    const times = { headersMs, firstByteMs, totalMs: since() };
    const { status } = response;
    if (!response.ok) {
      const failure = toFailure(response, withoutKey(text));
      return { ...nothing, ...times, status, failure, retryAfter: response.headers.get('retry-after') };
    }
    return {
      ...nothing,
      ...times,
      status,
      failure: undefined,
      broken,
      ...readAnswer(response, text, broken),
    };
  }

  /** Some servers repeat the key that they refuse. */
  function withoutKey(text: string): string {
    return apiKey === undefined ? text : text.replaceAll(apiKey, '[key]');
  }

  return {
    get sent() {
      return sent;
    },
    async chat(body) {
      const named = { model: model(), ...body };
      const { retryAfter, ...first } = await tryChat(named);
      if (!first.failure || !mayPass(first.failure)) return first;
      await sleep(pauseOf(retryAfter, retryMs), undefined, { signal });
      const { retryAfter: _, ...second } = await tryChat(named);
      return second.failure ? second : { ...second, mended: [first.failure] };
    },
    async completeText(prompt) {
      const body = { model: model(), prompt, max_tokens: 8 };
      const response = await request('/completions', body).catch(() => undefined);
      await response?.body?.cancel();
      return response?.status;
    },
    async listModels() {
      const response = await request('/models').catch((error: unknown) => {
        signal?.throwIfAborted();
        toNetworkFailure(error, baseUrl);
        return undefined;
      });
      if (!response?.ok) return undefined;
      const body = readObject(await response.text());
      return objectsOf(body?.data).flatMap(({ id }) => textOf(id) || []);
    },
  };
}

async function readBody(
  response: Response,
  since: () => number,
): Promise<{ text: string; firstByteMs: number; broken: boolean }> {
  // A byte order mark is something to tell, so that it must stay.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  let firstByteMs: number | undefined;
  try {
    for await (const bytes of response.body ?? []) {
      firstByteMs ??= since();
      text += decoder.decode(bytes, { stream: true });
    }
    return { text, firstByteMs: firstByteMs ?? since(), broken: false };
  } catch {
    return { text, firstByteMs: firstByteMs ?? since(), broken: true };
  }
}

/** @param broken the text is not all of it */
function readAnswer(response: Response, text: string, broken: boolean): Pick<Reply, 'chat' | 'wire'> {
  if (response.headers.get('content-type')?.includes('text/event-stream')) {
    const wire = readWire(text);
    return { wire, chat: readChunks(wire.chunks) };
  }
  const completion = readObject(text);
  return { wire: undefined, chat: completion && !broken ? readCompletion(completion) : undefined };
}

function toFailure({ status, headers }: Response, text: string): Failure {
  const body = readObject(text);
  const error = isObject(body?.error) ? body.error : undefined;
  const isHtml = headers.get('content-type')?.includes('html') === true || /^\s*<(!doctype|html)/i.test(text);
  const message = body ? messageOf(body) : text;
  return { kind: 'status', status, message: message.slice(0, 300), error, isHtml };
}

/** @throws UsageError if nobody is there at all */
function toNetworkFailure(error: unknown, baseUrl: string): Failure {
  const nothing = { status: undefined, error: undefined, isHtml: false };
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return { kind: 'timeout', message: 'no answer in time', ...nothing };
  }
  const { code, message } = causeOf(error);
  if (!BROKEN.test(code)) throw new UsageError(`${baseUrl}: cannot be reached (${message})`);
  return { kind: 'reset', message, ...nothing };
}

/** What `fetch` hides behind its own words. */
function causeOf(error: unknown): { code: string; message: string } {
  const cause = (error instanceof Error && error.cause) || error;
  // Node.js tries several addresses, and tells of all.
  const inner: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const code = isObject(inner) || inner instanceof Error ? textOf((inner as { code?: unknown }).code) : '';
  return { code, message: inner instanceof Error ? inner.message : String(inner) };
}

function mayPass({ kind, status = 0 }: Failure): boolean {
  return kind === 'reset' || status === 429 || (status >= 500 && status !== 501);
}

function pauseOf(retryAfter: string | null | undefined, otherwise: number): number {
  const seconds = Number(retryAfter ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0) * 1000, LONGEST_PAUSE) : otherwise;
}
