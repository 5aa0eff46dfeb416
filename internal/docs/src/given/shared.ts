// What the documents take for granted, whatever they are about.

/** The raw text of a reply with one call. */
export const text: string =
  'Let me look.<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>' +
  '{"path":"src/main.ts"}<|tool_call_end|><|tool_calls_section_end|>';

export const baseURL: string = 'http://localhost:8000/v1';

export const apiKey: string = 'sk-example';

export const prompt: string = 'What is in src/main.ts?';

const parameters = {
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path'],
};

/** OpenAI-shaped. */
export const functionTool = {
  type: 'function' as const,
  function: { name: 'read_file', description: 'Reads a file.', parameters },
};

/** Runs the tool. */
export async function run(name: string, args: { path: string }): Promise<string> {
  if (name !== 'read_file' || args.path !== 'src/main.ts') throw new Error(`${name} ${args.path}`);
  return 'console.log(1);';
}
