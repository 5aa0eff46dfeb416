import type { TransformSettings } from './chunk-transform.ts';
import { completionToChunks } from './completion-to-chunks.ts';
import { isObject, type JsonObject, listOf, parseJson } from './json.ts';
import { joinBytes, toEvent } from './sse.ts';
import type { SseWriter } from './sse-writer.ts';
import { toCompletion } from './to-completion.ts';

const encoder = new TextEncoder();

/**
 * Writes the stream that was asked for from an answer that is none: a completion, repaired, as its chunks;
 * anything else (an error with status 200, the page of a proxy) as an error in the stream, where clients
 * look for one. What they cannot read as events they pass over in silence.
 */
export function createAnswerWriter(settings: TransformSettings): SseWriter {
  const parts: Uint8Array[] = [];
  return {
    write(bytes) {
      parts.push(bytes);
      return [];
    },
    end() {
      const text = new TextDecoder().decode(joinBytes(parts));
      return [encoder.encode(toEvents(text, settings))];
    },
    fail: () => [],
  };
}

function toEvents(text: string, settings: TransformSettings): string {
  const answer = parseJson(text);
  if (!isObject(answer) || !isCompletion(answer)) return toEvent(JSON.stringify(toError(answer, text)));
  const { choices } = answer;
  // Who asked for a turn gets one, and is told that it is empty.
  const whole = listOf(choices).some(isObject) ? answer : { ...answer, choices: [{ index: 0 }] };
  const chunks = completionToChunks(toCompletion(whole, settings));
  return [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map(toEvent).join('');
}

function isCompletion({ choices, error }: JsonObject): boolean {
  return Array.isArray(choices) && (choices.length > 0 || !error);
}

/** The server's own error; its own words, where it does not call them one. */
function toError(answer: unknown, text: string): JsonObject {
  if (isObject(answer) && answer.error) return answer;
  return { error: { message: text.trim(), ...(isObject(answer) && answer) } };
}
