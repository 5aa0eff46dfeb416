import type { IncompleteToolCall, ToolCall as KimiToolCall, KimiTurn } from '@kimi-tc/core';
import type { InvalidToolCall, ToolCall } from '@langchain/core/messages';

/** The arguments of a call, if they are what LangChain can run a tool with. */
export function parseArguments(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The calls of a turn: those that may run, and those that must not, because they were cut or because
 * their arguments are no JSON object. LangChain itself completes cut JSON, and would run them.
 */
export function toToolCalls({ toolCalls, incompleteToolCalls }: KimiTurn): {
  tool_calls: ToolCall[];
  invalid_tool_calls: InvalidToolCall[];
} {
  const tool_calls: ToolCall[] = [];
  const invalid_tool_calls: InvalidToolCall[] = [];
  for (const call of toolCalls) {
    const args = parseArguments(call.arguments);
    if (args) tool_calls.push({ type: 'tool_call', id: call.id, name: call.name, args });
    else invalid_tool_calls.push(toInvalidToolCall(call, 'invalid-arguments'));
  }
  for (const call of incompleteToolCalls) invalid_tool_calls.push(toInvalidToolCall(call, call.reason));
  return { tool_calls, invalid_tool_calls };
}

function toInvalidToolCall(call: KimiToolCall | IncompleteToolCall, error: string): InvalidToolCall {
  return { type: 'invalid_tool_call', id: call.id, name: call.name, args: call.arguments, error };
}
