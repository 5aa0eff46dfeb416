import {
  type ModelFamily,
  type ModelProfile,
  type ParserOptions,
  resolveModel,
  type ToolDefinition,
} from '@kimi-tc/core';
import { isObject, type JsonObject, listOf, parseJson, textOf } from './json.ts';
import type { ProblemContext } from './kimi-options.ts';

/** What a request for a chat completion says about the reply to it. */
export interface KimiRequest {
  /** Without credentials, query and fragment. */
  url: string;
  body: JsonObject;
}

/** A request, and what is to be sent for it if nothing changes. */
export interface ReadRequest extends KimiRequest {
  /** As it was given, but for a body that can be read only once: its bytes stand in. */
  init: RequestInit | undefined;
}

type FetchInput = Parameters<typeof fetch>[0];

/**
 * Reads a `POST …/chat/completions`, changing nothing; `undefined` for every other request, whose body is
 * not read.
 */
export async function readRequest(
  input: FetchInput,
  init: RequestInit | undefined,
): Promise<ReadRequest | undefined> {
  const request = typeof input === 'object' && 'url' in input ? input : undefined;
  const method = init?.method ?? request?.method ?? 'GET';
  if (method.toUpperCase() !== 'POST') return undefined;
  const url = readUrl(request?.url ?? String(input));
  if (!url?.endsWith('/chat/completions')) return undefined;
  if (init?.body === undefined)
    return { url, body: parseObject((await request?.clone().text()) ?? ''), init };
  const source = toStream(init.body);
  const kept = source ? { ...init, body: await readBytes(source, signalOf(input, init)) } : init;
  return { url, body: parseObject((await readText(kept.body)) ?? ''), init: kept };
}

/** The family of a model id or of a profile. */
export function familyOf(model: string | ModelProfile): ModelFamily {
  return typeof model === 'string' ? resolveModel(model).family : model.family;
}

/**
 * Whether a request is for a Kimi model: what is done for their sake does harm to others.
 *
 * @param model of the options; comes before that of the body
 */
export function isForKimi(body: JsonObject, model: string | ModelProfile | undefined): boolean {
  return familyOf(model ?? textOf(body.model)) !== 'unknown';
}

/** The context of what is wrong in a request. */
export function toRequestContext({ body, url }: KimiRequest): ProblemContext {
  return { of: 'request', choice: 0, ...(typeof body.model === 'string' && { model: body.model }), url };
}

/** The headers that a call sends. */
export function headersOf(input: FetchInput, init: RequestInit | undefined): Headers {
  const headers = new Headers(
    init?.headers ?? (typeof input === 'object' && 'headers' in input ? input.headers : {}),
  );
  // Of a blob `fetch` takes the type; one that is rewritten is none any more.
  const type = init?.body instanceof Blob ? init.body.type : '';
  if (type !== '' && !headers.has('content-type')) headers.set('content-type', type);
  return headers;
}

/** What ends a call. */
export function signalOf(input: FetchInput, init: RequestInit | undefined): AbortSignal | undefined {
  return init?.signal ?? (typeof input === 'object' && 'signal' in input ? input.signal : undefined);
}

function readUrl(text: string): string | undefined {
  // A relative address has no place of its own; only its path matters here.
  const url = URL.parse(text, 'http://relative.invalid');
  if (!url) return undefined;
  const path = url.pathname.replace(/\/+$/, '');
  return url.hostname === 'relative.invalid' ? path : url.origin + path;
}

async function readText(body: unknown): Promise<string | undefined> {
  if (typeof body === 'string') return body;
  if (body instanceof Blob) return body.text();
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return new TextDecoder().decode(body);
  return undefined;
}

/** A body that comes piece by piece, if it is one. Node's `fetch` takes any async iterable. */
function toStream(body: unknown): ReadableStream<Uint8Array> | undefined {
  if (body instanceof ReadableStream) return body;
  const pieces =
    typeof body === 'object' && body !== null && Symbol.asyncIterator in body
      ? (body as AsyncIterable<Uint8Array>)
      : undefined;
  if (!pieces) return undefined;
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel(reason) {
      await iterator.return?.(reason);
    },
  });
}

/** Rejects as `fetch` would: with what breaks the stream, or with the reason of the abort. */
async function readBytes(
  source: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const abortable = source.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), signal && { signal });
  return new Uint8Array(await new Response(abortable).arrayBuffer());
}

function parseObject(text: string): JsonObject {
  const value = parseJson(text);
  return isObject(value) ? value : {};
}

/** The options of the parser that the body of a request implies. */
export function toParserOptions({ model, tools, tool_choice }: JsonObject): ParserOptions {
  const toolChoice = readToolChoice(tool_choice);
  return {
    ...(typeof model === 'string' && { model }),
    tools: listOf(tools).filter(isFunctionTool),
    ...(toolChoice !== undefined && { toolChoice }),
  };
}

/** Other tools (of a provider, namespaces) are not called by name in the text. */
function isFunctionTool(tool: unknown): tool is ToolDefinition {
  return isObject(tool) && isObject(tool.function) && textOf(tool.function.name) !== '';
}

function readToolChoice(choice: unknown): ParserOptions['toolChoice'] {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice;
  const name = isObject(choice) && isObject(choice.function) ? textOf(choice.function.name) : '';
  return name === '' ? undefined : { name };
}

/**
 * The ids that calls in the history of a request have, and those they were given with where a client spells
 * them its own way: neither may be given again.
 */
export function callIdsOf({ messages }: JsonObject): string[] {
  return listOf(messages).flatMap((message) =>
    isObject(message)
      ? listOf(message.tool_calls).flatMap((call) => (isObject(call) ? idsOf(call) : []))
      : [],
  );
}

function idsOf({ id: given, function: called }: JsonObject): string[] {
  const id = textOf(given);
  const name = isObject(called) ? textOf(called.name) : '';
  if (id === '') return [];
  // kimi-code 2.1.0 writes `_` for all but letters, digits, `_` and `-`, and puts a suffix behind what repeats.
  const stem = `functions_${name.replace(/[^\w-]/g, '_')}_`;
  const counter = id.startsWith(stem) ? /^\d+/.exec(id.slice(stem.length)) : null;
  return counter ? [id, `functions.${name}:${counter[0]}`] : [id];
}
