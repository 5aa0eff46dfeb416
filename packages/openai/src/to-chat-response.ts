import { isObject, type JsonObject, parseJson, textOf } from './json.ts';
import { respondWith } from './respond-with.ts';
import { createSseSplitter, joinBytes, readSseEvent, toEvent } from './sse.ts';
import { toChatChoices } from './to-chat-choices.ts';

/**
 * The answer to a text completion as that to a chat completion, streamed or not, the raw text of the
 * model being its content. Errors pass as they are.
 *
 * @param streamed the request asked for a stream
 * @param prefix stands in front of each text: what the prompt has begun for the model
 */
export function toChatResponse(response: Response, streamed: boolean, prefix: string): Response {
  if (!response.ok || response.body === null) return response;
  const type = response.headers.get('content-type') ?? '';
  const isJson = /json/i.test(type);
  const isStream = /event-stream/i.test(type) || (streamed && !isJson);
  if (!isJson && !isStream) return response;
  const converter = isStream ? createStreamConverter(prefix) : createJsonConverter(prefix);
  return respondWith(response, response.body.pipeThrough(new TransformStream(converter)));
}

type Converter = Transformer<Uint8Array<ArrayBuffer>, Uint8Array>;

const encoder = new TextEncoder();

function createStreamConverter(prefix: string): Converter {
  /** What has been converted and not been handed on. */
  let ready: Uint8Array[] = [];
  const splitter = createSseSplitter((event) => ready.push(convert(event)));
  /** Choices whose text has begun. */
  const begun = new Set<unknown>();

  function toDelta({ index, text }: JsonObject): JsonObject {
    const start = begun.has(index) ? '' : prefix;
    begun.add(index);
    const content = start + textOf(text);
    return content === '' ? {} : { content };
  }

  function convert(event: Uint8Array): Uint8Array {
    const { data: json = '', rest } = readSseEvent(event);
    const chunk = parseJson(json);
    if (!isObject(chunk) || !Array.isArray(chunk.choices)) return event;
    const choices = toChatChoices(chunk, (choice) => ({ delta: toDelta(choice) }));
    const data = JSON.stringify({ ...chunk, object: 'chat.completion.chunk', choices });
    return encoder.encode(rest + toEvent(data));
  }

  return {
    transform(bytes, controller) {
      splitter.push(bytes);
      for (const event of ready) controller.enqueue(event);
      ready = [];
    },
    flush(controller) {
      const left = splitter.end();
      if (left) controller.enqueue(convert(left));
    },
  };
}

function createJsonConverter(prefix: string): Converter {
  const parts: Uint8Array[] = [];
  return {
    transform(bytes) {
      parts.push(bytes);
    },
    flush(controller) {
      const bytes = joinBytes(parts);
      const completion = parseJson(new TextDecoder().decode(bytes));
      if (!isObject(completion)) return controller.enqueue(bytes);
      const choices = toChatChoices(completion, ({ text }) => ({
        message: { role: 'assistant', content: prefix + textOf(text) },
      }));
      const chat = { ...completion, object: 'chat.completion', choices };
      controller.enqueue(encoder.encode(JSON.stringify(chat)));
    },
  };
}
