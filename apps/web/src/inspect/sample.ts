import type { Reply, Tool } from './reply.ts';

function toTool(name: string, parameter: string): Tool {
  const parameters = {
    type: 'object',
    properties: { [parameter]: { type: 'string' } },
    required: [parameter],
  };
  return { type: 'function', function: { name, parameters } };
}

/** What the page opens with: every station has something to show, cuts inside of tokens included. */
export const SAMPLE: Reply = {
  deltas: [
    '<think>Oban is by ',
    'the sea.</thi',
    'nk>Let me',
    ' look.<|tool_calls_sec',
    'tion_begin|><|tool_call_begin|>functions.get',
    '_tide:0<|tool_call_argument_begin|>{"port":',
    '"Oban"}<|tool_call_end|>',
    '<|tool_call_begin|>get_weather:1<|tool_call',
    '_argument_begin|>{"city":"Ob',
    'an"}<|tool_call_end|><|tool_calls_section_end|>',
  ].map((text) => ({ channel: 'content', text })),
  finishReason: 'stop',
  tools: [toTool('get_tide', 'port'), toTool('get_weather', 'city')],
  options: {},
};

export const SAMPLE_NOTE =
  'A thought, a sentence and two calls, in ten deltas. Some of them end in the middle of a special token.';
