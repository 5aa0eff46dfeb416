import type { ToolBox } from '../grammar/tools.ts';
import { readObject } from './arguments.ts';
import { memberValues } from './json-members.ts';
import type { TextCall } from './text-calls.ts';

/**
 * A call written as one object: `{"name": …, "arguments" | "parameters": …}` and nothing else, naming an
 * offered tool. The arguments are an object, `null`, or an object encoded as a string (ruling 27).
 * @param text valid JSON text of an object
 */
export function unwrap(text: string, tools: ToolBox): TextCall | undefined {
  const members = memberValues(text);
  const written = members.get('arguments') ?? members.get('parameters');
  const name = members.get('name');
  if (members.size !== 2 || written === undefined || !name?.startsWith('"')) return undefined;
  const tool = tools.find(JSON.parse(name));
  const encoded = written.startsWith('"');
  const args = written === 'null' ? '{}' : encoded ? readObject(JSON.parse(written)) : written;
  if (tool === undefined || !args?.startsWith('{')) return undefined;
  return { name: tool, arguments: args, repaired: encoded };
}
