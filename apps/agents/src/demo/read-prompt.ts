import { isObject } from '../tools/arguments.ts';
import type { Message } from './message.ts';

export interface ReadPrompt {
  /** As a chat request has them. */
  readonly messages: readonly Message[];
  /** The tools that are declared. */
  readonly tools: readonly unknown[];
}

const begin = '<|im_assistant|>assistant<|im_middle|>';

/**
 * Reads a prompt of Kimi K2 Thinking back into messages and tools. It shares nothing with what writes
 * prompts, and takes only what the chat template of the model writes.
 *
 * @throws Error saying where the prompt is wrong
 */
export function readPrompt(prompt: string): ReadPrompt {
  const blocks = prompt.split('<|im_end|>');
  if (blocks.pop() !== begin) throw new Error(`the prompt does not end in ${begin}`);
  const messages = blocks.map(readMessage);
  const [first] = messages;
  if (first?.role !== 'tool_declare') return { messages, tools: [] };
  return { messages: messages.slice(1), tools: readTools(String(first.content)) };
}

function readMessage(block: string, at: number): Message {
  const [, token, name, body = ''] =
    /^<\|im_(system|user|assistant)\|>(\w+)<\|im_middle\|>(.*)$/s.exec(block) ?? [];
  const isKnown =
    token === 'system'
      ? ['system', 'tool', ...(at === 0 ? ['tool_declare'] : [])].includes(name ?? '')
      : token !== undefined && name === token;
  if (!isKnown)
    throw new Error(`message ${at} of the prompt begins with ${JSON.stringify(block.slice(0, 60))}`);
  if (name === 'assistant') return { role: name, ...readReply(body, at) };
  if (name !== 'tool') return { role: name, content: toText(body, at) };
  const [head, id] = /^## Return of (.+)\n/.exec(body) ?? [];
  if (head === undefined) throw new Error(`message ${at} of the prompt is a result without an id`);
  return { role: name, tool_call_id: id, content: toText(body.slice(head.length), at) };
}

const reply =
  /^<think>(.*?)<\/think>(.*?)(?:<\|tool_calls_section_begin\|>(.*)<\|tool_calls_section_end\|>)?$/s;
const call = /<\|tool_call_begin\|>(.*?)<\|tool_call_argument_begin\|>(.*?)<\|tool_call_end\|>/gs;

function readReply(body: string, at: number): Message {
  const [whole, reasoning = '', content = '', section] = reply.exec(body) ?? [];
  if (whole === undefined)
    throw new Error(`message ${at} of the prompt has no closed thought at its beginning`);
  const calls = [...(section ?? '').matchAll(call)];
  const read = calls.map(([text]) => text).join('');
  if (section !== undefined && (read === '' || read !== section)) {
    throw new Error(`message ${at} of the prompt has a broken section of calls`);
  }
  return {
    reasoning_content: toText(reasoning, at),
    content: toText(content, at),
    ...(calls.length > 0 && {
      tool_calls: calls.map(([, id = '', json = '']) => ({
        id: toText(id, at),
        function: { name: /^functions\.(.+):\d+$/.exec(id)?.[1] ?? '', arguments: toText(json, at) },
      })),
    }),
  };
}

/** Text in which a control token is spelled has a zero width space in it. */
function toText(text: string, at: number): string {
  const [token] = /<\|[a-z_]+\|>|<\/?think>/.exec(text) ?? [];
  if (token !== undefined) throw new Error(`message ${at} of the prompt has ${token} in its text`);
  return text.replaceAll('\u200b', '');
}

function readTools(json: string): readonly unknown[] {
  const tools: unknown = JSON.parse(json);
  if (!Array.isArray(tools) || !tools.every(isObject))
    throw new Error('the prompt declares no list of tools');
  return tools;
}
