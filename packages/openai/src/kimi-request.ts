import {
  type ModelFamily,
  type ModelProfile,
  type ParserOptions,
  resolveModel,
  type ToolDefinition,
} from '@kimi-tc/core';
import { isObject, type JsonObject, listOf, textOf } from './json.ts';
import type { ProblemContext } from './kimi-options.ts';

/** What a request for a chat completion says about the reply to it. */
export interface KimiRequest {
  /** Without credentials, query and fragment. */
  url: string;
  body: JsonObject;
}

type FetchInput = Parameters<typeof fetch>[0];

/** Reads a `POST …/chat/completions`, changing nothing; `undefined` for every other request. */
export async function readRequest(
  input: FetchInput,
  init: RequestInit | undefined,
): Promise<KimiRequest | undefined> {
  const request = typeof input === 'object' && 'url' in input ? input : undefined;
  const method = init?.method ?? request?.method ?? 'GET';
  if (method.toUpperCase() !== 'POST') return undefined;
  const url = readUrl(request?.url ?? String(input));
  if (!url?.endsWith('/chat/completions')) return undefined;
  const text = init?.body === undefined ? await request?.clone().text() : readText(init.body);
  return { url, body: parseObject(text ?? '') };
}

/** The family of a model id, of a profile, or by its own name (`k2.5`), as the prompt rules take it. */
export function familyOf(model: string | ModelProfile): ModelFamily {
  if (typeof model !== 'string') return model.family;
  const { family } = resolveModel(model);
  return family === 'unknown' ? resolveModel(`kimi-${model}`).family : family;
}

/**
 * Whether a request is for a Kimi model: what is done for their sake does harm to others.
 *
 * @param model of the options; comes before that of the body
 */
export function isForKimi(body: JsonObject, model: string | ModelProfile | undefined): boolean {
  const family = model === undefined ? resolveModel(textOf(body.model)).family : familyOf(model);
  return family !== 'unknown';
}

/** The context of what is wrong in a request. */
export function toRequestContext({ body, url }: KimiRequest): ProblemContext {
  return { of: 'request', choice: 0, ...(typeof body.model === 'string' && { model: body.model }), url };
}

/** The headers that a call sends. */
export function headersOf(input: FetchInput, init: RequestInit | undefined): Headers {
  return new Headers(init?.headers ?? (typeof input === 'object' && 'headers' in input ? input.headers : {}));
}

function readUrl(text: string): string | undefined {
  // A relative address has no place of its own; only its path matters here.
  const url = URL.parse(text, 'http://relative.invalid');
  if (!url) return undefined;
  const path = url.pathname.replace(/\/+$/, '');
  return url.hostname === 'relative.invalid' ? path : url.origin + path;
}

function readText(body: unknown): string | undefined {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) return new TextDecoder().decode(body);
  return undefined;
}

function parseObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
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

/** The ids that calls in the history of a request have. */
export function callIdsOf({ messages }: JsonObject): string[] {
  return listOf(messages).flatMap((message) =>
    isObject(message)
      ? listOf(message.tool_calls).flatMap((call) =>
          isObject(call) && textOf(call.id) !== '' ? [textOf(call.id)] : [],
        )
      : [],
  );
}
