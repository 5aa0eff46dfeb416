import { CUT_ARGUMENTS_SEAL, type ToolCallPiece } from '@kimi-tc/core';
import { AIMessage, AIMessageChunk, type BaseMessage, type InvalidToolCall } from '@langchain/core/messages';
import { parseArguments } from './to-tool-calls.ts';
import { writtenArguments } from './written-arguments.ts';

/**
 * The calls of a message, or of a part of one, as its `tool_calls` and `invalid_tool_calls` say. The raw calls
 * and the pieces of a stream that it has besides can be older: steps of a chain drop and change calls, and
 * what they have refused must not come back.
 */
export function toCallPieces(message: BaseMessage): ToolCallPiece[] {
  if (!AIMessage.isInstance(message)) return [];
  const parts = AIMessageChunk.isInstance(message) ? (message.tool_call_chunks ?? []) : [];
  if (AIMessageChunk.isInstance(message) && parts.length > 0 && isUnchanged(message))
    return parts.map(({ index, id, name, args }) => ({ index, id, name, arguments: args }));
  const raw = message.additional_kwargs.tool_calls ?? [];
  const pieces = inOrder(
    message,
    [...parts, ...raw].map(({ id }) => id),
  );
  let next = parts.reduce((most, { index = -1 }) => Math.max(most, index + 1), 0);
  // More of a call can come in later parts, under its own index.
  const indexOf = (id: string | undefined) => parts.find((part) => part.id === id)?.index ?? next++;
  return pieces.map((piece) => ({ ...piece, index: indexOf(piece.id) }));
}

/** Whether the calls of a part are still what LangChain itself has read in its pieces. */
function isUnchanged(part: AIMessageChunk): boolean {
  const { tool_call_chunks, tool_calls, invalid_tool_calls } = part;
  const Class = part.constructor as new (fields: object) => AIMessageChunk;
  const read = new Class({ content: '', tool_call_chunks });
  const said = JSON.stringify([tool_calls, invalid_tool_calls]);
  return JSON.stringify([read.tool_calls, read.invalid_tool_calls]) === said;
}

type CallPiece = Omit<ToolCallPiece, 'id'> & { id: string | undefined };

/** Whole calls; those that are invalid, which LangChain keeps apart, stand where the server had them. */
function inOrder(message: AIMessage, ids: readonly (string | undefined)[]): CallPiece[] {
  const { tool_calls = [], invalid_tool_calls = [] } = message;
  const pieces: CallPiece[] = tool_calls.map((call) => ({
    id: call.id,
    name: call.name,
    arguments: writtenArguments(message, call) ?? JSON.stringify(call.args),
  }));
  for (const call of invalid_tool_calls) {
    const place = ids.indexOf(call.id);
    const behind = place < 0 ? -1 : pieces.findIndex(({ id }) => ids.indexOf(id) > place);
    const piece = { id: call.id, name: call.name, arguments: sealWhole(call) };
    pieces.splice(behind < 0 ? pieces.length : behind, 0, piece);
  }
  return pieces;
}

/** Arguments that can be mended are read anew; of a call that is invalid although they are whole, none may run. */
function sealWhole({ args = '' }: InvalidToolCall): string {
  return parseArguments(args) ? args + CUT_ARGUMENTS_SEAL : args;
}
