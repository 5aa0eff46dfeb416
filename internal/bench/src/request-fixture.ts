/** A request of an agent late in a long conversation, as clients send it. */
export interface RequestFixture {
  model: string;
  tools: object[];
  messages: object[];
}

/**
 * Tools whose schemas need every kind of rewriting, and a history of foreign ids, empty contents and
 * reasoning in the wrong field. The sizes are counts.
 */
export function createRequestFixture(tools: number, messages: number): RequestFixture {
  return {
    model: 'kimi-k2.5',
    tools: Array.from({ length: tools }, (_, at) => createTool(at)),
    messages: Array.from({ length: messages }, (_, at) => createMessage(at, tools)),
  };
}

function createTool(at: number): object {
  return {
    type: 'function',
    function: {
      name: `tool_${at}`,
      description: 'Looks something up. '.repeat(10),
      parameters: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {
          path: { type: 'string', pattern: '^/', description: 'Where.' },
          mode: { anyOf: [{ const: 'read' }, { const: 'write' }], default: 'read' },
          range: { $ref: '#/$defs/range' },
          ranges: { type: 'array', items: { $ref: '#/$defs/range' } },
          label: { type: ['string', 'null'], maxLength: 40 },
        },
        required: ['path'],
        $defs: {
          range: {
            type: 'object',
            properties: { from: { type: 'integer', exclusiveMinimum: 0 }, to: { type: 'integer' } },
            required: ['from'],
            additionalProperties: false,
          },
        },
      },
    },
  };
}

function createMessage(at: number, tools: number): object {
  if (at === 0) return { role: 'user', content: [{ type: 'text', text: 'Find it.' }] };
  const id = `call_${Math.ceil(at / 2)}`;
  if (at % 2 === 0) return { role: 'tool', tool_call_id: id, content: 'A line of the file.\n'.repeat(50) };
  const args = JSON.stringify({ path: `/src/${at}`, label: 'x'.repeat(200) });
  return {
    role: 'assistant',
    content: '',
    reasoning: 'It may be in the next file. '.repeat(20),
    tool_calls: [{ id, type: 'function', function: { name: `tool_${at % tools}`, arguments: args } }],
  };
}
