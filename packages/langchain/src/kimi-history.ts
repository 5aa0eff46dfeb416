import { AIMessage, type BaseMessage, type InvalidToolCall, ToolMessage } from '@langchain/core/messages';

/** The reasoning of a message, wherever LangChain keeps it; other vendors' models have blocks of thinking. */
export function reasoningOf({ additional_kwargs, content }: BaseMessage): string {
  const { reasoning_content } = additional_kwargs;
  if (typeof reasoning_content === 'string' && reasoning_content !== '') return reasoning_content;
  if (typeof content === 'string') return '';
  return content
    .map(({ type, reasoning, thinking }) =>
      type === 'thinking' ? thinking : type === 'reasoning' && reasoning,
    )
    .filter((text) => typeof text === 'string')
    .join('');
}

/** The calls of a message that must not run; event streams leave them in the content only. */
export function invalidCallsOf(message: BaseMessage): InvalidToolCall[] {
  if (!AIMessage.isInstance(message)) return [];
  const { content, invalid_tool_calls = [] } = message;
  if (invalid_tool_calls.length > 0 || typeof content === 'string') return invalid_tool_calls;
  return content.flatMap((block) =>
    block.type === 'invalid_tool_call' ? [block as unknown as InvalidToolCall] : [],
  );
}

/**
 * The history as it is to be sent: an invalid call that a tool message answers stands among the calls
 * of its turn, without its arguments, as servers refuse an answer to no call and arguments that are no
 * JSON. The given messages are not changed.
 */
export function withAnsweredCalls(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  return messages.map((message, at) => {
    const invalid = invalidCallsOf(message);
    if (invalid.length === 0 || !AIMessage.isInstance(message)) return message;
    const answered = answersBehind(messages, at);
    const calls = invalid.flatMap(({ id, name }) =>
      id && name && answered.has(id) ? [{ type: 'tool_call' as const, id, name, args: {} }] : [],
    );
    if (calls.length === 0) return message;
    const { content } = message;
    return new AIMessage({
      content:
        typeof content === 'string' ? content : content.filter(({ type }) => type !== 'invalid_tool_call'),
      additional_kwargs: message.additional_kwargs,
      response_metadata: message.response_metadata,
      tool_calls: [...(message.tool_calls ?? []), ...calls],
      ...(message.id !== undefined && { id: message.id }),
      ...(message.name !== undefined && { name: message.name }),
    });
  });
}

/** The ids that the tool messages right behind a message answer. */
function answersBehind(messages: readonly BaseMessage[], at: number): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const message of messages.slice(at + 1)) {
    if (!ToolMessage.isInstance(message)) break;
    ids.add(message.tool_call_id);
  }
  return ids;
}

/** The ids that calls of a history have. */
export function callIdsOf(messages: readonly BaseMessage[]): string[] {
  return messages.flatMap((message) =>
    AIMessage.isInstance(message)
      ? [...(message.tool_calls ?? []), ...invalidCallsOf(message)].flatMap(({ id }) => (id ? [id] : []))
      : [],
  );
}
