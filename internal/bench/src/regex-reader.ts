/** What the regular expressions find in a reply. */
export interface WholeReading {
  reasoning: string;
  content: string;
  toolCalls: { id: string; name: string; arguments: string }[];
}

const THOUGHT = /^<think>([\s\S]*?)<\/think>/;
const SECTION = /<\|tool_calls_section_begin\|>([\s\S]*?)<\|tool_calls_section_end\|>/g;
const CALL =
  /<\|tool_call_begin\|>\s*(functions\.([\w.-]+):\d+)\s*<\|tool_call_argument_begin\|>\s*([\s\S]*?)\s*<\|tool_call_end\|>/g;

/**
 * Reads a whole reply the way that the model's own guide describes: the sections by one regular
 * expression, their calls by another. A section counts once it is closed.
 */
export function readWhole(text: string): WholeReading {
  const toolCalls: WholeReading['toolCalls'] = [];
  for (const section of text.matchAll(SECTION)) {
    for (const [, id = '', name = '', args = ''] of (section[1] ?? '').matchAll(CALL)) {
      toolCalls.push({ id, name, arguments: args });
    }
  }
  const thought = THOUGHT.exec(text);
  const answer = thought ? text.slice(thought[0].length) : text;
  return { reasoning: thought?.[1] ?? '', content: answer.replaceAll(SECTION, ''), toolCalls };
}
