import { type AIMessage, AIMessageChunk, type ToolCall } from '@langchain/core/messages';
import { parsePartialJson } from '@langchain/core/output_parsers';

/**
 * The arguments of a call of a message as the model wrote them, digits and spaces included: the pieces of a
 * stream or the raw call of the same id, if LangChain reads in it what the call says. Else somebody has
 * changed the call since, and what it says now counts. JSON text; cut, where LangChain has completed it.
 */
export function writtenArguments(message: AIMessage, { id, args }: ToolCall): string | undefined {
  const said = JSON.stringify(args);
  return textsOf(message, id).find((text) => JSON.stringify(readAsLangChain(text)) === said);
}

function textsOf(message: AIMessage, id: string | undefined): string[] {
  const raw = (message.additional_kwargs.tool_calls ?? []).filter((call) => call.id === id);
  const texts = raw.map((call) => call.function?.arguments).filter((text) => typeof text === 'string');
  const parts = AIMessageChunk.isInstance(message) ? (message.tool_call_chunks ?? []) : [];
  const first = parts.find((part) => part.id === id);
  if (!first) return texts;
  const own = parts.filter((part) => part.index === first.index && (!part.id || part.id === id));
  return [own.map(({ args = '' }) => args).join(''), ...texts];
}

/** It takes cut JSON for complete, and no text for no arguments. */
function readAsLangChain(text: string): unknown {
  return text.trim() === '' ? {} : parsePartialJson(text);
}
