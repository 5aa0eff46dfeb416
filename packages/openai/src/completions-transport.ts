import { KimiError, type RequestProblem, type SpecialTokensInText } from '@kimi-tc/core';
import { isObject, parseJson, textOf } from './json.ts';
import { checkWord, type KimiOptions } from './kimi-options.ts';
import { headersOf, type KimiRequest, readRequest, signalOf, toRequestContext } from './kimi-request.ts';
import { toChatResponse } from './to-chat-response.ts';
import { toRefusal } from './to-refusal.ts';
import { type TextRequest, toTextRequest } from './to-text-request.ts';

/** How chat requests travel. */
export interface TransportOptions {
  /**
   * Which endpoint a chat request goes to.
   *
   * - `chat` (default): the one it was made for.
   * - `completions`: the prompt is rendered here and sent to `…/completions`, and the text that comes
   *   back is read here. For servers that have no chat endpoint, or a tool parser that breaks.
   * - `auto`: `chat`, until an endpoint says that it has no chat completions, no chat template or no
   *   tool parser and its text completions work; then `completions`, for as long as this fetch lives.
   *
   * Over `completions` a request that sets no limit gets `max_tokens` 32 768, as the servers' default
   * is 16. What cannot be served that way (log probabilities, images, a model whose prompt format is not known) is
   * answered with status 400 and never sent.
   */
  transport?: 'chat' | 'completions' | 'auto' | undefined;
  /**
   * Over `completions`: what becomes of text in messages and tools that spells a control token. See
   * `renderPrompt` of `@kimi-tc/core`. Default `break`: an invisible character keeps it text.
   */
  specialTokensInText?: SpecialTokensInText | undefined;
}

type Fetch = typeof fetch;
type FetchInput = Parameters<Fetch>[0];

export interface Transport {
  /** Puts the transport between the repair of replies and the `fetch` that sends. */
  wrap(send: Fetch): Fetch;
  /** Whether chat requests to an address go to text completions, as far as is known. */
  rendersFor(url: string): boolean;
}

/** How servers begin to say that they have no chat template, or no tool parser for a request with tools. */
const NO_CHAT = [
  // vLLM
  /^(?:as of transformers v[\d.]+, )?default chat template is no longer allowed\b/i,
  /^"auto" tool choice requires --enable-auto-tool-choice\b/i,
  /^tool[_ ]choice ?(?:= ?)?"?\w*"? requires --(?:enable-auto-tool-choice|tool-call-parser)\b/i,
  // transformers, as SGLang and others hand it on
  /^cannot use (?:apply_)?chat[_ ]template(?:\(\)| functions)? because (?:the |this )?(?:tokenizer|processor)\b/i,
  /^(?:the |this )?(?:model|tokenizer|processor) (?:does not have|has no) (?:an? |any )?(?:default )?chat[_ ]template\b/i,
  /^(?:the )?(?:tokenizer\.)?chat[_ ]template (?:is )?(?:not set|not found|not defined|missing)(?: and\b| for\b|[^\w ]|$)/i,
  // Text Generation Inference
  /^template error: template not found\b/i,
  // llama.cpp
  /^tools param requires --jinja\b/i,
];

/** What servers and routers put in front of such words: classes of errors, perhaps with a code. */
const ERROR_CLASSES = /^(?:[\w.]{0,60}(?:error|exception)(?: \d{3})?(?::| -) ?)+/i;

/** Messages about templates are short. Longer ones hold something else, and may hold what the user wrote. */
const MAX_MESSAGE = 500;

/** @throws KimiError naming the option that is wrong */
export function createTransport(options: TransportOptions & KimiOptions): Transport {
  const { transport = 'chat', specialTokensInText = 'break', model, onProblem } = options;
  checkWord('transport', transport, ['chat', 'completions', 'auto']);
  checkWord('specialTokensInText', specialTokensInText, ['keep', 'break', 'reject']);
  if (transport === 'chat') return { wrap: (send) => send, rendersFor: () => false };
  /** Addresses whose chat requests go to text completions. */
  const learnt = new Set<string>();

  async function sendText(send: Fetch, input: FetchInput, init: RequestInit | undefined, text: TextRequest) {
    const response = await send(...toTextCall(input, init, text));
    return toChatResponse(response, text.body.stream === true, text.opensThink ? '<think>' : '');
  }

  function render(request: KimiRequest): TextRequest {
    const { body } = request;
    const text = toTextRequest(body, model, specialTokensInText);
    const choice = body.tool_choice ?? 'auto';
    if (choice !== 'auto' && choice !== 'none') {
      const message = 'A tool call cannot be forced over the completions transport; the model chooses.';
      const problem: RequestProblem = {
        code: 'tool-choice-downgraded',
        message,
        offset: 0,
        path: '/tool_choice',
      };
      onProblem?.(problem, toRequestContext(request));
    }
    return text;
  }

  async function tryChat(
    send: Fetch,
    input: FetchInput,
    init: RequestInit | undefined,
    request: KimiRequest,
  ): Promise<Response> {
    const response = await send(input, init);
    if (!(await lacksChat(response))) return response;
    const text = refusalOr(() => render(request));
    if (text instanceof Response) return response;
    const instead = await sendText(send, input, init, text).catch((error: unknown) => {
      if (signalOf(input, init)?.aborted) throw error;
    });
    const [kept, other] = instead?.ok ? [instead, response] : [response, instead];
    if (instead?.ok) learnt.add(request.url);
    await other?.body?.cancel();
    return kept;
  }

  const rendersFor = (url: string) => transport === 'completions' || learnt.has(url);

  return {
    rendersFor,
    wrap: (send) => async (input, init) => {
      const request = await readRequest(input, init);
      if (!request) return send(input, init);
      if (!rendersFor(request.url)) return tryChat(send, input, init, request);
      const text = refusalOr(() => render(request));
      return text instanceof Response ? text : sendText(send, input, init, text);
    },
  };
}

/** What cannot be rendered is answered as a server would. */
function refusalOr(render: () => TextRequest): TextRequest | Response {
  try {
    return render();
  } catch (error) {
    if (!(error instanceof KimiError)) throw error;
    return toRefusal(error.message, error.option);
  }
}

async function lacksChat(response: Response): Promise<boolean> {
  if ([404, 405, 501].includes(response.status)) return true;
  if (response.status !== 400) return false;
  const message = messageOf(await response.clone().text()).trim();
  if (message.length > MAX_MESSAGE) return false;
  const words = message.replace(ERROR_CLASSES, '');
  return NO_CHAT.some((pattern) => pattern.test(words));
}

/** The server's own words about an error; what else it answers may repeat the request. */
function messageOf(text: string): string {
  const answer = parseJson(text);
  if (!isObject(answer)) return '';
  const { error, message, detail } = answer;
  return textOf(isObject(error) ? error.message : error) || textOf(message) || textOf(detail);
}

/** The same call to the endpoint beside. */
function toTextCall(
  input: FetchInput,
  init: RequestInit | undefined,
  { body }: TextRequest,
): Parameters<Fetch> {
  const request = typeof input === 'object' && 'url' in input ? input : undefined;
  const url = (request?.url ?? String(input)).replace(/\/chat\/completions(?=\/*(?:[?#]|$))/, '/completions');
  const headers = headersOf(input, init);
  headers.delete('content-length');
  const { credentials, redirect, signal } = request ?? {};
  const kept = {
    ...(credentials && { credentials }),
    ...(redirect && { redirect }),
    ...(signal && { signal }),
  };
  return [url, { ...kept, ...init, method: 'POST', headers, body: JSON.stringify(body) }];
}
