/** What the probes offer: names and schemas that every endpoint is known to take. */
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather in one city, now.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', description: 'Name of the city, e.g. Paris' } },
      required: ['city'],
    },
  },
} as const;

const note = {
  type: 'function',
  function: {
    name: 'write_note',
    description: 'Saves a note.',
    parameters: {
      type: 'object',
      properties: {
        title: { type: 'string' },
        text: { type: 'string', description: 'The note; lines are separated by line breaks' },
      },
      required: ['title', 'text'],
    },
  },
} as const;

export const tools = [weather, note];

export const toolNames: readonly string[] = tools.map((tool) => tool.function.name);
