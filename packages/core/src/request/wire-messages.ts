import { toJson } from '../to-json.ts';
import { isObject, type JsonObject, listOf, mapShared, textOf, withChanges } from './json.ts';

/** The API refuses U+0000, wherever it stands (MoonshotAI/kimi-cli#99). */
export function clean(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text;
}

const MEDIA = /^(?:image|video|audio|input_audio|file|document)/;

/**
 * Content as endpoints take it: a list of nothing but text becomes a string, its parts joined as the
 * chat templates join them. A tool result is a string in any case, unless it holds media: blocks of
 * other kinds (such as `tool_reference`, farion1231/cc-switch#2941) are written out.
 */
export function toContent(content: unknown, role: unknown): unknown {
  if (typeof content === 'string') return clean(content);
  if (Array.isArray(content)) {
    const texts = content.map((part) =>
      typeof part === 'string' ? part : isObject(part) && part.type === 'text' ? textOf(part.text) : part,
    );
    const media = content.some((part) => isObject(part) && MEDIA.test(textOf(part.type)));
    const flat = role === 'tool' ? !media : texts.every((text) => typeof text === 'string');
    if (flat) return clean(texts.map((text) => (typeof text === 'string' ? text : toJson(text))).join(''));
    return mapShared(content, (part) => {
      if (typeof part === 'string') return clean(part);
      return isObject(part) && typeof part.text === 'string'
        ? withChanges(part, { text: clean(part.text) })
        : part;
    });
  }
  if (role !== 'tool') return content;
  return content === undefined || content === null ? '' : toJson(content);
}

/** Not text: it says what a message is, and to which other one it belongs. */
const LINKS = ['role', 'tool_call_id'];

/** The message with its texts as endpoints take them. */
export function cleanTexts(message: JsonObject): JsonObject {
  const texts = Object.entries(message).filter(
    ([key, value]) => !LINKS.includes(key) && typeof value === 'string' && value.includes('\0'),
  );
  return withChanges(message, {
    ...Object.fromEntries(texts.map(([key, value]) => [key, clean(textOf(value))])),
    content: toContent(message.content, message.role),
  });
}

/**
 * AI SDK model messages as messages of the wire: the parts of an assistant message become its fields,
 * the results of a tool message a message each. Anything else is returned as it is.
 */
export function toWireMessages(message: JsonObject): readonly JsonObject[] {
  const { role, content } = message;
  const parts = listOf(content).filter(isObject);
  const ofType = (type: string) => parts.filter((part) => part.type === type);
  const joined = (type: string) =>
    ofType(type)
      .map((part) => textOf(part.text))
      .join('');
  if (role === 'tool') {
    const results = ofType('tool-result');
    if (results.length === 0 || results.length < parts.length) return [message];
    return results.map(({ toolCallId, output, result }) => ({
      ...withChanges(message, { content: undefined }),
      tool_call_id: toolCallId,
      content: toResultText(output ?? result),
    }));
  }
  if (role !== 'assistant' || ofType('tool-call').length + ofType('reasoning').length === 0) return [message];
  const calls = ofType('tool-call').map(({ toolCallId, toolName, input, args }) => ({
    id: toolCallId,
    type: 'function',
    function: { name: toolName, arguments: toJson(input ?? args ?? {}) },
  }));
  const reasoning = joined('reasoning');
  return [
    withChanges(message, {
      content: joined('text') || null,
      ...(reasoning !== '' && { reasoning_content: reasoning }),
      ...(calls.length > 0 && { tool_calls: [...listOf(message.tool_calls), ...calls] }),
    }),
  ];
}

function toResultText(output: unknown): string {
  if (!isObject(output)) return typeof output === 'string' ? output : toJson(output ?? '');
  const value = output.value ?? output.reason ?? (output.type === undefined ? output : '');
  if (typeof value === 'string') return value;
  const texts = output.type === 'content' ? toContent(value, 'tool') : undefined;
  return typeof texts === 'string' ? texts : toJson(value);
}
