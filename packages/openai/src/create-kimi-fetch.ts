import { createChunkTransform, type TransformSettings } from './chunk-transform.ts';
import { checkFunction, checkStreamOptions, type KimiStreamOptions } from './kimi-options.ts';
import { callIdsOf, readRequest, toParserOptions } from './kimi-request.ts';
import { toJsonBody, toSseBody } from './response-body.ts';

export interface KimiFetchOptions extends KimiStreamOptions {
  /** The `fetch` to call. Default: the global one, as it is at the time of the call. */
  fetch?: typeof fetch | undefined;
}

/**
 * A `fetch` for any OpenAI-compatible client that makes the replies of Kimi models right: tool calls
 * and reasoning that a server leaves in the text become `tool_calls` and `reasoning_content`, and what
 * servers get wrong about chunks is repaired, streamed or not.
 *
 * Acts on successful answers to `POST …/chat/completions`; what is said of tools there (`tools`,
 * `tool_choice`, `model`, ids in `messages`) is read from each request, and options given here come
 * first. Everything else passes as it is, as do the bytes of replies that need no repair. Aborting,
 * errors, timeouts and retries stay between the client and the server.
 *
 * @throws KimiError naming the option that is wrong
 */
export function createKimiFetch(options: KimiFetchOptions = {}): typeof fetch {
  checkStreamOptions(options);
  checkFunction('fetch', options.fetch);
  const { fetch: given, ...own } = options;

  return async function kimiFetch(input, init) {
    const send = given ?? globalThis.fetch;
    const request = await readRequest(input, init);
    const response = await send(input, init);
    if (!request) return response;
    const { body, url } = request;
    const settings: TransformSettings = {
      ...toParserOptions(body),
      takenToolCallIds: callIdsOf(body),
      ...own,
      url,
    };
    return transformResponse(response, body.stream === true, settings);
  };
}

function transformResponse(response: Response, streamed: boolean, settings: TransformSettings): Response {
  if (!response.ok || response.body === null) return response;
  const kind = bodyKind(response.headers.get('content-type') ?? '', streamed);
  if (kind === undefined) return response;
  const headers = new Headers(response.headers);
  // They are about the bytes that came from the server.
  headers.delete('content-length');
  headers.delete('content-encoding');
  const body =
    kind === 'sse'
      ? toSseBody(response.body, createChunkTransform(settings))
      : toJsonBody(response.body, settings);
  const { status, statusText, url } = response;
  const transformed = new Response(body, { status, statusText, headers });
  return Object.defineProperty(transformed, 'url', { value: url });
}

/** What a body is by its type; some servers do not say that a stream is one, when one was asked for. */
function bodyKind(type: string, streamed: boolean): 'sse' | 'json' | undefined {
  const name = type.split(';')[0]?.trim().toLowerCase() ?? '';
  if (name === 'text/event-stream') return 'sse';
  if (name === 'application/json' || name.endsWith('+json')) return 'json';
  const unsaid = name === '' || name === 'text/plain' || name === 'application/octet-stream';
  return streamed && unsaid ? 'sse' : undefined;
}
