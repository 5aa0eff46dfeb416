import { isObject, type JsonObject, listOf, textOf } from './json.ts';

/**
 * A completion as the chunks that a stream of it would have: for each choice the role, reasoning, content,
 * the calls, and the finish. All other fields stay: those of the message on the first chunk of the choice,
 * those of the choice and usage on the last.
 */
export function completionToChunks(completion: JsonObject): JsonObject[] {
  const { choices, usage, ...rest } = completion;
  const chunks = listOf(choices)
    .filter(isObject)
    .flatMap((choice, at): JsonObject[] => {
      const { message, ...fields } = choice;
      const index = typeof choice.index === 'number' ? choice.index : at;
      const deltas = toDeltas(isObject(message) ? message : {});
      return [
        ...deltas.map((delta) => ({ index, delta, finish_reason: null })),
        { ...fields, index, delta: {} },
      ].map((part) => ({ ...rest, object: 'chat.completion.chunk', choices: [part] }));
    });
  const last = chunks.pop();
  return last ? [...chunks, usage === undefined ? last : { ...last, usage }] : [];
}

function toDeltas(message: JsonObject): JsonObject[] {
  const { role, content, reasoning_content, reasoning, tool_calls, ...rest } = message;
  const thought = {
    ...(textOf(reasoning_content) !== '' && { reasoning_content }),
    ...(textOf(reasoning) !== '' && { reasoning }),
  };
  return [
    { role: textOf(role) || 'assistant', content: '', ...rest },
    ...(Object.keys(thought).length > 0 ? [thought] : []),
    // A list of parts is passed on as it is.
    ...(listOf(content).length > 0 || textOf(content) !== '' ? [{ content }] : []),
    ...listOf(tool_calls).filter(isObject).flatMap(toCallDeltas),
  ];
}

/** The first fragment of a call has no arguments, as clients expect. */
function toCallDeltas(call: JsonObject, index: number): JsonObject[] {
  if (!isObject(call.function)) return [{ tool_calls: [{ ...call, index }] }];
  const { arguments: args, ...fields } = call.function;
  return [
    { tool_calls: [{ ...call, index, function: { ...fields, arguments: '' } }] },
    { tool_calls: [{ index, function: { arguments: textOf(args) } }] },
  ];
}
