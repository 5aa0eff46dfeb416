import { isError } from './chunk-fields.ts';
import type { TransformSettings } from './chunk-transform.ts';
import { completionToChunks } from './completion-to-chunks.ts';
import { isObject, type JsonObject, parseJson } from './json.ts';
import { joinBytes, toEvent } from './sse.ts';
import type { SseWriter } from './sse-writer.ts';
import { toCompletion } from './to-completion.ts';
import { toError } from './to-error.ts';

const encoder = new TextEncoder();

/**
 * Writes the stream that was asked for from an answer that is none: a completion, repaired, as its chunks;
 * anything else (an error with status 200, the page of a proxy, nothing) as an error in the stream, where clients
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
  if (!isObject(answer) || !Array.isArray(answer.choices) || isError(answer))
    return toEvent(JSON.stringify(toError(answer, text)));
  const told = answer.choices.filter(isObject).map(toWholeChoice);
  // Who asked for a turn gets one, and is told that it is empty.
  const choices = told.length > 0 ? told : [{ index: 0 }];
  const chunks = completionToChunks(toCompletion({ ...answer, choices }, settings));
  return [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map(toEvent).join('');
}

/** A stream that has been put together may say in a delta what it says as a whole. */
function toWholeChoice(choice: JsonObject): JsonObject {
  const { delta, ...fields } = choice;
  return isObject(delta) && !isObject(choice.message) ? { ...fields, message: delta } : choice;
}
