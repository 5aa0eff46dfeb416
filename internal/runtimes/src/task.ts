// The task: one question, one call, one answer that needs the call's result.
import { formatToolCalls } from '@kimi-tc/core';

export const question = 'How warm is it in Kraków?';

export const callWeather = { id: 'functions.weather:0', name: 'weather', arguments: '{"city":"Kraków"}' };

export const answer = 'It is 7 °C in Kraków. 🌤️';

export const prompt = {
  model: 'kimi-k2-thinking',
  messages: [{ role: 'user', content: question }],
  tools: [
    {
      type: 'function',
      function: {
        name: 'weather',
        description: 'The weather of a city.',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string' } },
          required: ['city'],
        },
      },
    },
  ],
} as const;

/** What the model writes: first a thought and the call, then the answer. */
export const script = [
  `<think>I have to look.</think>One moment.${formatToolCalls([callWeather])}`,
  `<think>Seven.</think>${answer}`,
] as const;

/** Runs the tool; its arguments are JSON text. */
export function weather(json: string): string {
  expectEqual('arguments', JSON.parse(json), { city: 'Kraków' });
  return '7 °C';
}

/** @throws Error naming both values */
export function expectEqual(what: string, actual: unknown, expected: unknown): void {
  const [have, want] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (have !== want) throw new Error(`${what}: expected ${want}, got ${have}`);
}
