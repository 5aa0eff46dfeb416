import { isObject, type JsonObject, listOf, textOf, withChanges } from './json.ts';

/** The reasoning of an assistant message, and the fields it was found in as removals. */
export interface FoldedReasoning {
  text: string;
  /** To be applied to the message: source fields go. */
  changes: JsonObject;
}

/**
 * Reads the reasoning of an assistant message from the fields that clients keep it in:
 * `reasoning_content`, `reasoning`, the text parts of `reasoning_details`, and LangChain's
 * `additional_kwargs.reasoning_content`. The first that has text counts (continuedev/continue#11600,
 * earendil-works/pi#989, langchain-ai/langchainjs#10883).
 */
export function foldReasoning(message: JsonObject): FoldedReasoning {
  const { reasoning_content, reasoning, reasoning_details, additional_kwargs } = message;
  const details = listOf(reasoning_details)
    .map((detail) => (isObject(detail) ? textOf(detail.text) : ''))
    .join('');
  const kwargs = isObject(additional_kwargs) ? additional_kwargs : {};
  const text = textOf(reasoning_content) || textOf(reasoning) || details || textOf(kwargs.reasoning_content);
  const { reasoning_content: _, ...otherKwargs } = kwargs;
  return {
    text,
    changes: {
      ...(textOf(reasoning) !== '' && { reasoning: undefined }),
      ...(details !== '' && { reasoning_details: undefined }),
      ...(textOf(kwargs.reasoning_content) !== '' && {
        additional_kwargs: Object.keys(otherKwargs).length > 0 ? otherKwargs : undefined,
      }),
      // Chat templates in Python print a null as `None`.
      ...(reasoning_content === null && { reasoning_content: undefined }),
    },
  };
}

/** Writes it into the fields that the endpoint reads. */
export function writeReasoning(
  message: JsonObject,
  { text, changes }: FoldedReasoning,
  fields: readonly string[],
): JsonObject {
  const written = text === '' ? [] : fields.map((field) => [field, text]);
  return withChanges(message, { ...changes, ...Object.fromEntries(written) });
}
