import type { JsonObject } from '../../json.ts';
import { tools } from '../tools.ts';

/** Asks for usage as well: clients do, and servers differ. */
const streamed = { stream: true, stream_options: { include_usage: true } } as const;

/** A request that sets nothing but what it must, so that it keeps the rules of every endpoint. */
export function ask(text: string, more: JsonObject = {}): JsonObject {
  return { messages: [{ role: 'user', content: text }], max_tokens: 1024, ...more };
}

export function asStream(body: JsonObject): JsonObject {
  return { ...body, ...streamed };
}

/** A request that only has to be taken or refused: of the reply not much is needed. */
export function asRule(body: JsonObject): JsonObject {
  return { ...body, stream: true, max_tokens: 16 };
}

export const askWeather = 'Call get_weather for Paris. Do not answer before you have its result.';

/**
 * A conversation in which a tool has been called, and is to be called once more.
 *
 * @param id of the earlier call
 * @param change made to the assistant's message
 * @param result what the tool said
 */
export function continueWeather(
  id: string,
  change: JsonObject = {},
  result: unknown = '{"city":"Paris","celsius":21}',
): JsonObject {
  return {
    messages: [
      { role: 'user', content: askWeather },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'I need the weather in Paris.',
        tool_calls: [
          { id, type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
        ],
        ...change,
      },
      { role: 'tool', tool_call_id: id, content: result },
      { role: 'assistant', content: 'It is 21 °C in Paris.' },
      { role: 'user', content: 'And in Oslo? Call get_weather for Oslo.' },
    ],
    tools,
    max_tokens: 1024,
  };
}
